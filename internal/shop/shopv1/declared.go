package shopv1

// What protoc-gen-remedy writes for the errors of shop.proto and stock.proto, written by hand until it does.

import (
	"log/slog"
	"sync"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/errs"
)

var defineSlotStale = sync.OnceValue(func() *errs.Definition {
	return errs.MustDeclare((*SlotStale)(nil).ProtoReflect().Descriptor())
})

// SlotStaleError is the error that [SlotStale] declares: slot_stale, after_repair.
type SlotStaleError struct {
	message *SlotStale
	base    *errs.ToolError
}

var _ errs.Declared = (*SlotStaleError)(nil)

// NewSlotStale raises the error with a copy of message. A nil message is an empty one.
func NewSlotStale(message *SlotStale, options ...errs.Option) *SlotStaleError {
	message = proto.CloneOf(message)
	return &SlotStaleError{message: message, base: defineSlotStale().Wrap(message, options...)}
}

// RemedyError returns the error that carries m around base, nil when base has another code.
func (m *SlotStale) RemedyError(base *errs.ToolError) errs.Error {
	if base.ErrorCode() != string(defineSlotStale().Code()) {
		return nil
	}
	return &SlotStaleError{message: m, base: base}
}

// GetSlotId returns the slot that was asked for.
func (e *SlotStaleError) GetSlotId() string { return e.of().GetSlotId() } //nolint:staticcheck // as protoc-gen-go names it

// GetSeatsLeft returns the seats that are left in all others.
func (e *SlotStaleError) GetSeatsLeft() int32 { return e.of().GetSeatsLeft() }

// GetReason returns why it is gone.
func (e *SlotStaleError) GetReason() SlotStale_Reason { return e.of().GetReason() }

// GetAlternatives returns the slots that are free now.
func (e *SlotStaleError) GetAlternatives() []*Slot { return e.of().GetAlternatives() }

// GetPrices returns prices by slot, in cents.
func (e *SlotStaleError) GetPrices() map[string]int64 { return e.of().GetPrices() }

// GetTakenAt returns when the slot was taken.
func (e *SlotStaleError) GetTakenAt() *timestamppb.Timestamp { return e.of().GetTakenAt() }

// GetCursor returns what is opaque to callers.
func (e *SlotStaleError) GetCursor() []byte { return e.of().GetCursor() }

// Error returns the portable message.
func (e *SlotStaleError) Error() string { return e.Base().Error() }

// ErrorCode returns slot_stale.
func (e *SlotStaleError) ErrorCode() string { return e.Base().ErrorCode() }

// RetryPolicy returns whether the same call may be sent again.
func (e *SlotStaleError) RetryPolicy() errs.RetryPolicy { return e.Base().RetryPolicy() }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *SlotStaleError) Plan() *errs.Plan { return e.Base().Plan() }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *SlotStaleError) GRPCStatus() *status.Status { return e.Base().GRPCStatus() }

// Unwrap returns the cause; typed causes survive the wire.
func (e *SlotStaleError) Unwrap() error { return e.Base().Unwrap() }

// Is matches [errs.Code] and [errs.Sentinel].
func (e *SlotStaleError) Is(target error) bool { return e.Base().Is(target) }

// As gives the error as itself, and as the [errs.ToolError] that carries it.
func (e *SlotStaleError) As(target any) bool {
	switch target := target.(type) {
	case **SlotStaleError:
		*target = e
	case **errs.ToolError:
		*target = e.Base()
	default:
		return false
	}
	return true
}

// LogValue logs code, rule and ids, no values.
func (e *SlotStaleError) LogValue() slog.Value { return e.Base().LogValue() }

// Base returns the ToolError that carries the message.
func (e *SlotStaleError) Base() *errs.ToolError {
	if e == nil {
		return nil
	}
	return e.base
}

// WithBase returns a copy that is carried by another ToolError.
func (e *SlotStaleError) WithBase(base *errs.ToolError) errs.Error {
	return &SlotStaleError{message: e.of(), base: base}
}

func (e *SlotStaleError) of() *SlotStale {
	if e == nil {
		return nil
	}
	return e.message
}
