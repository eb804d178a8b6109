package shopv1 //nolint:dupl // as it will be generated

import (
	"log/slog"
	"sync"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
)

var defineShelfStale = sync.OnceValue(func() *errs.Definition {
	return errs.MustDeclare((*ShelfStale)(nil).ProtoReflect().Descriptor())
})

// ShelfStaleError is the error that [ShelfStale] declares: slot_stale, after_repair.
type ShelfStaleError struct {
	message *ShelfStale
	base    *errs.ToolError
}

var _ errs.Declared = (*ShelfStaleError)(nil)

// NewShelfStale raises the error with a copy of message. A nil message is an empty one.
func NewShelfStale(message *ShelfStale, options ...errs.Option) *ShelfStaleError {
	message = proto.CloneOf(message)
	return &ShelfStaleError{message: message, base: defineShelfStale().Wrap(message, options...)}
}

// RemedyError returns the error that carries m around base, nil when base has another code.
func (m *ShelfStale) RemedyError(base *errs.ToolError) errs.Error {
	if base.ErrorCode() != string(defineShelfStale().Code()) {
		return nil
	}
	return &ShelfStaleError{message: m, base: base}
}

// GetShelf returns the shelf.
func (e *ShelfStaleError) GetShelf() string { return e.of().GetShelf() }

// Error returns the portable message.
func (e *ShelfStaleError) Error() string { return e.Base().Error() }

// ErrorCode returns slot_stale.
func (e *ShelfStaleError) ErrorCode() string { return e.Base().ErrorCode() }

// RetryPolicy returns whether the same call may be sent again.
func (e *ShelfStaleError) RetryPolicy() errs.RetryPolicy { return e.Base().RetryPolicy() }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ShelfStaleError) Plan() *errs.Plan { return e.Base().Plan() }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ShelfStaleError) GRPCStatus() *status.Status { return e.Base().GRPCStatus() }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ShelfStaleError) Unwrap() error { return e.Base().Unwrap() }

// Is matches [errs.Code] and [errs.Sentinel].
func (e *ShelfStaleError) Is(target error) bool { return e.Base().Is(target) }

// As gives the error as itself, and as the [errs.ToolError] that carries it.
func (e *ShelfStaleError) As(target any) bool {
	switch target := target.(type) {
	case **ShelfStaleError:
		*target = e
	case **errs.ToolError:
		*target = e.Base()
	default:
		return false
	}
	return true
}

// LogValue logs code, rule and ids, no values.
func (e *ShelfStaleError) LogValue() slog.Value { return e.Base().LogValue() }

// Base returns the ToolError that carries the message.
func (e *ShelfStaleError) Base() *errs.ToolError {
	if e == nil {
		return nil
	}
	return e.base
}

// WithBase returns a copy that is carried by another ToolError.
func (e *ShelfStaleError) WithBase(base *errs.ToolError) errs.Error {
	return &ShelfStaleError{message: e.of(), base: base}
}

func (e *ShelfStaleError) of() *ShelfStale {
	if e == nil {
		return nil
	}
	return e.message
}
