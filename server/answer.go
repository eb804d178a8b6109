package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// answer makes of the error of a stage what the caller gets: a typed error that says which call it belongs to and, where
// that is known, that the call had no effect. Everything that was returned is matched in it, and what the caller is not
// told is logged under the error id that it is given.
func (s *Server) answer(ctx context.Context, c *call, stage string, err error) error {
	info := errs.Info{RunID: c.runID(), Effect: s.effect(ctx, c)}
	if c.tool != nil {
		info.Tool, info.OperationKey, info.OperationID = c.tool.name, c.key, c.attempt.id
	}
	// The rules for what may leave are those for any handler. The effect is stated afterwards, so that what failed before
	// the boundary stays internal and does not become an unknown outcome.
	encoded := errs.Encoder{}.Encode(completed(err, c), "", false)
	answered := errs.WithInfo(encoded.Err, info)
	if errs.CodeOf(answered) == "" && lost(status.Code(answered)) {
		encoded.ErrorID, encoded.Hidden = newErrorID(), err
		info.ErrorID = encoded.ErrorID
		answered = errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal}, info)
	}
	s.logFailure(ctx, c, stage, answered, encoded)
	if e, ok := answered.(errs.Error); ok { //nolint:errorlint // this very error
		return &answeredError{typed: e, cause: err}
	}
	return answered
}

// effect says what this server knows of an effect of the operation when a call fails before its boundary.
func (s *Server) effect(ctx context.Context, c *call) errs.Effect {
	switch {
	case c.tool == nil:
		return errs.EffectUnspecified
	case !c.tool.effect || c.freed:
		return errs.EffectNone
	case c.key == "" && c.tool.key != nil || c.attempt.id != "":
		return errs.EffectUnspecified // an earlier call may have had one
	case c.key == "":
		return errs.EffectNone // without a key there is no earlier call
	}
	if known, err := s.ledger.look(ctx, c.opKey()); err == nil && known.state == stateNone {
		return errs.EffectNone
	}
	return errs.EffectUnspecified
}

// completed fills in which call an error belongs to where a hook left that to the server.
func completed(err error, c *call) error {
	typed, ok := errors.AsType[errs.Error](err)
	if !ok || c.tool == nil {
		return err
	}
	switch e := typed.(type) {
	case *errs.AuthorizationError:
		if e != nil && e.Tool == "" {
			return &errs.AuthorizationError{Tool: c.tool.name, Reason: e.Reason, Message: e.Message, Cause: err}
		}
	case *errs.ConfirmationError:
		if e != nil && e.Tool == "" {
			return &errs.ConfirmationError{
				Tool: c.tool.name, OperationKey: c.key, Reason: e.Reason, ConfirmationID: e.ConfirmationID, ExpiresAt: e.ExpiresAt,
				Message: e.Message, Cause: err,
			}
		}
	}
	return err
}

// lost reports the codes of a status that is not ours from which a client could not conclude what happened.
func lost(code codes.Code) bool {
	switch code {
	case codes.Canceled, codes.Unknown, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Internal, codes.Unavailable,
		codes.DataLoss:
		return true
	default:
		return code > codes.Unauthenticated
	}
}

// answeredError is what the caller gets, with everything that was returned, to be matched in this process.
type answeredError struct {
	typed

	cause error
}

type typed = errs.Error // embedded under a name that is not also a method's

var _ errs.Error = (*answeredError)(nil)

// Unwrap returns both.
func (e *answeredError) Unwrap() []error { return []error{e.typed, e.cause} }

// LogValue logs code, rule and ids, no values.
func (e *answeredError) LogValue() slog.Value {
	if v, ok := e.typed.(slog.LogValuer); ok {
		return v.LogValue()
	}
	return slog.StringValue(e.ErrorCode())
}

// logFailure logs what the caller is not told, and what somebody has to look into.
func (s *Server) logFailure(ctx context.Context, c *call, stage string, answered error, encoded errs.Encoded) {
	attrs := []slog.Attr{slog.String("tool", c.Tool), slog.String("stage", stage), slog.Any("answer", answered)}
	switch code := errs.CodeOf(answered); {
	case encoded.Hidden != nil:
		s.log(ctx, slog.LevelError, "a tool failed", encoded.Hidden, append(attrs, slog.String("errorId", encoded.ErrorID))...)
	case code == errs.CodeOutcomeUnknown:
		s.log(ctx, slog.LevelError, "an outcome is unknown", causeOf(answered), attrs...)
	case code == errs.CodeVerificationFailed:
		s.log(ctx, slog.LevelError, "a result is not verified", causeOf(answered), attrs...)
	case errs.InfoOf(answered).Domain == errs.DomainTool && c.tool != nil && !c.tool.declares(code) && code != errNotApplied.Code():
		s.log(ctx, slog.LevelWarn, "a tool returned an error that it does not declare", nil, attrs...)
	}
}

func causeOf(err error) error {
	return errors.Unwrap(err)
}

// stacked is an error that knows where it came from, such as a panic.
type stacked interface {
	error
	StackTrace() string
}

// log writes one line. The text of an error is that of the hook which returned it.
func (s *Server) log(ctx context.Context, level slog.Level, message string, err error, attrs ...slog.Attr) {
	if err != nil {
		attrs = append(attrs, slog.String("type", fmt.Sprintf("%T", err)), slog.String("error", errs.Message(err)))
		if e, ok := errors.AsType[stacked](err); ok {
			attrs = append(attrs, slog.String("stack", e.StackTrace()))
		}
	}
	logger := s.logger
	if logger == nil {
		logger = slog.Default()
	}
	logger.LogAttrs(ctx, level, message, attrs...) //nolint:sloglint // every caller passes a constant
}

func (c *call) runID() string {
	if isWord(c.RunID, maxRunID, "_.:-") {
		return c.RunID
	}
	return ""
}

func newErrorID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails
	return hex.EncodeToString(id[:])
}
