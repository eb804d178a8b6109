package shopv1 //nolint:dupl // as it will be generated

import (
	"log/slog"
	"sync"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
)

var defineChargedTwice = sync.OnceValue(func() *errs.Definition {
	return errs.MustDeclare((*ChargedTwice)(nil).ProtoReflect().Descriptor())
})

// ChargedTwiceError is the error that [ChargedTwice] declares: charged_twice, never.
type ChargedTwiceError struct {
	message *ChargedTwice
	base    *errs.ToolError
}

var _ errs.Declared = (*ChargedTwiceError)(nil)

// NewChargedTwice raises the error with a copy of message. A nil message is an empty one.
func NewChargedTwice(message *ChargedTwice, options ...errs.Option) *ChargedTwiceError {
	message = proto.CloneOf(message)
	return &ChargedTwiceError{message: message, base: defineChargedTwice().Wrap(message, options...)}
}

// RemedyError returns the error that carries m around base, nil when base has another code.
func (m *ChargedTwice) RemedyError(base *errs.ToolError) errs.Error {
	if base.ErrorCode() != string(defineChargedTwice().Code()) {
		return nil
	}
	return &ChargedTwiceError{message: m, base: base}
}

// GetChargeId returns the charge.
func (e *ChargedTwiceError) GetChargeId() string { return e.of().GetChargeId() } //nolint:staticcheck // as protoc-gen-go names it

// Error returns the portable message.
func (e *ChargedTwiceError) Error() string { return e.Base().Error() }

// ErrorCode returns charged_twice.
func (e *ChargedTwiceError) ErrorCode() string { return e.Base().ErrorCode() }

// RetryPolicy returns whether the same call may be sent again.
func (e *ChargedTwiceError) RetryPolicy() errs.RetryPolicy { return e.Base().RetryPolicy() }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ChargedTwiceError) Plan() *errs.Plan { return e.Base().Plan() }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ChargedTwiceError) GRPCStatus() *status.Status { return e.Base().GRPCStatus() }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ChargedTwiceError) Unwrap() error { return e.Base().Unwrap() }

// Is matches [errs.Code] and [errs.Sentinel].
func (e *ChargedTwiceError) Is(target error) bool { return e.Base().Is(target) }

// As gives the error as itself, and as the [errs.ToolError] that carries it.
func (e *ChargedTwiceError) As(target any) bool {
	switch target := target.(type) {
	case **ChargedTwiceError:
		*target = e
	case **errs.ToolError:
		*target = e.Base()
	default:
		return false
	}
	return true
}

// LogValue logs code, rule and ids, no values.
func (e *ChargedTwiceError) LogValue() slog.Value { return e.Base().LogValue() }

// Base returns the ToolError that carries the message.
func (e *ChargedTwiceError) Base() *errs.ToolError {
	if e == nil {
		return nil
	}
	return e.base
}

// WithBase returns a copy that is carried by another ToolError.
func (e *ChargedTwiceError) WithBase(base *errs.ToolError) errs.Error {
	return &ChargedTwiceError{message: e.of(), base: base}
}

func (e *ChargedTwiceError) of() *ChargedTwice {
	if e == nil {
		return nil
	}
	return e.message
}
