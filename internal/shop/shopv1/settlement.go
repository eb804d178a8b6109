package shopv1

import (
	"log/slog"
	"sync"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
)

var defineSettlementHeld = sync.OnceValue(func() *errs.Definition {
	return errs.MustDeclare((*SettlementHeld)(nil).ProtoReflect().Descriptor())
})

// SettlementHeldError is the error that [SettlementHeld] declares:
// settlement_held_until_the_receiving_bank_confirms_a_new_mandate, after_repair.
type SettlementHeldError struct {
	message *SettlementHeld
	base    *errs.ToolError
}

var _ errs.Declared = (*SettlementHeldError)(nil)

// NewSettlementHeld raises the error with a copy of message. A nil message is an empty one.
func NewSettlementHeld(message *SettlementHeld, options ...errs.Option) *SettlementHeldError {
	message = proto.CloneOf(message)
	return &SettlementHeldError{message: message, base: defineSettlementHeld().Wrap(message, options...)}
}

// RemedyError returns the error that carries m around base, nil when base has another code.
func (m *SettlementHeld) RemedyError(base *errs.ToolError) errs.Error {
	if base.ErrorCode() != string(defineSettlementHeld().Code()) {
		return nil
	}
	return &SettlementHeldError{message: m, base: base}
}

// GetSettlementId returns the settlement.
func (e *SettlementHeldError) GetSettlementId() string { return e.of().GetSettlementId() } //nolint:staticcheck // as protoc-gen-go names it

// GetAmount returns the amount, in the smallest unit.
func (e *SettlementHeldError) GetAmount() int64 { return e.of().GetAmount() }

// GetState returns the state.
func (e *SettlementHeldError) GetState() SettlementHeld_State { return e.of().GetState() }

// GetEvidence returns what the bank sent.
func (e *SettlementHeldError) GetEvidence() []string { return e.of().GetEvidence() }

// GetAttachment returns the attachment.
func (e *SettlementHeldError) GetAttachment() []byte { return e.of().GetAttachment() }

// Error returns the portable message.
func (e *SettlementHeldError) Error() string { return e.Base().Error() }

// ErrorCode returns settlement_held_until_the_receiving_bank_confirms_a_new_mandate.
func (e *SettlementHeldError) ErrorCode() string { return e.Base().ErrorCode() }

// RetryPolicy returns whether the same call may be sent again.
func (e *SettlementHeldError) RetryPolicy() errs.RetryPolicy { return e.Base().RetryPolicy() }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *SettlementHeldError) Plan() *errs.Plan { return e.Base().Plan() }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *SettlementHeldError) GRPCStatus() *status.Status { return e.Base().GRPCStatus() }

// Unwrap returns the cause; typed causes survive the wire.
func (e *SettlementHeldError) Unwrap() error { return e.Base().Unwrap() }

// Is matches [errs.Code] and [errs.Sentinel].
func (e *SettlementHeldError) Is(target error) bool { return e.Base().Is(target) }

// As gives the error as itself, and as the [errs.ToolError] that carries it.
func (e *SettlementHeldError) As(target any) bool {
	switch target := target.(type) {
	case **SettlementHeldError:
		*target = e
	case **errs.ToolError:
		*target = e.Base()
	default:
		return false
	}
	return true
}

// LogValue logs code, rule and ids, no values.
func (e *SettlementHeldError) LogValue() slog.Value { return e.Base().LogValue() }

// Base returns the ToolError that carries the message.
func (e *SettlementHeldError) Base() *errs.ToolError {
	if e == nil {
		return nil
	}
	return e.base
}

// WithBase returns a copy that is carried by another ToolError.
func (e *SettlementHeldError) WithBase(base *errs.ToolError) errs.Error {
	return &SettlementHeldError{message: e.of(), base: base}
}

func (e *SettlementHeldError) of() *SettlementHeld {
	if e == nil {
		return nil
	}
	return e.message
}
