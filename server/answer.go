package server

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// answer makes of the error of a stage what the caller gets: a typed error that says which call it belongs to and, where
// that is known, that the call had no effect. Everything that was returned is matched in it, and what the caller is not
// told is logged under the error id that it is given.
func (s *Server) answer(ctx context.Context, c *call, stage string, err error) error {
	info := errs.Info{RunID: c.runID(), Effect: c.effect()}
	if c.tool != nil {
		info.Tool, info.OperationKey, info.OperationID = c.tool.name, c.key, c.row.ID
	}
	// The rules for what may leave are those for any handler. The effect is stated here, so that what failed before the
	// boundary stays internal and does not become an unknown outcome.
	encoded := errs.Encoder{}.Encode(errs.WithInfo(returned{completed(err, c)}, info), "", false)
	answered := encoded.Err
	_, own := errors.AsType[ownLimitError](err)
	switch {
	case own, errs.CodeOf(answered) == "" && lost(status.Code(answered)):
		info.ErrorID, encoded.Hidden = newErrorID(), err
		answered = errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal, Cause: err}, info)
	case encoded.Hidden != nil || errs.CodeOf(err) == "":
		answered = errs.WithInfo(answered, info) // it is typed only now
	}
	s.logFailure(ctx, c, stage, answered, encoded.Hidden, err)
	return answered
}

// returned is what a stage returned. Around a typed error it makes errs keep that very error, to be matched in this process,
// beside the copy that says more.
type returned struct{ error }

// Unwrap returns it.
func (r returned) Unwrap() error { return r.error }

// effect says what is known of an effect when a call fails before its boundary. What it states is about the operation, as
// its key names it, and not only about this call. A key that nothing is known of proves nothing: its operation may have been
// forgotten, and whatever the ledger, an equal call that has come at the same time may be about to claim it. So none is
// stated where there is no key, and for the operation that a call has claimed and freed; else nothing is stated.
func (c *call) effect() errs.Effect {
	switch {
	case c.tool == nil:
		return errs.EffectUnspecified
	case !c.tool.effect || c.freed || c.tool.key == nil && c.key == "":
		return errs.EffectNone
	default:
		return errs.EffectUnspecified
	}
}

// masked reports whether a caller gets internal in place of an error.
func masked(err error) bool { return errs.CodeOf(err) == "" || errs.CodeOf(err) == errs.CodeInternal }

// completed fills in which call an error belongs to where a hook left that to the server.
func completed(err error, c *call) error {
	typed, ok := errors.AsType[errs.Error](err)
	if !ok || c.tool == nil {
		return err
	}
	switch e := typed.(type) {
	case *errs.AuthorizationError:
		if e != nil && e.Tool == "" {
			return &errs.AuthorizationError{Tool: c.tool.name, Reason: e.Reason, Message: e.Message, Cause: concealed(e.Cause, err)}
		}
	case *errs.ConfirmationError:
		if e != nil && e.Tool == "" {
			return &errs.ConfirmationError{
				Tool: c.tool.name, OperationKey: c.key, Reason: e.Reason, ConfirmationID: e.ConfirmationID, ExpiresAt: e.ExpiresAt,
				Message: e.Message, Cause: concealed(e.Cause, err),
			}
		}
	}
	return err
}

// concealed keeps the error that a hook returned to be matched in this process, beside the cause of the copy that stands
// for it. It does not travel, because the copy does.
func concealed(cause, original error) error { return errors.Join(cause, concealedError{original}) }

// concealedError matches what the error in it matches, and shows it to nobody else.
type concealedError struct{ original error }

func (e concealedError) Error() string        { return e.original.Error() }
func (e concealedError) Is(target error) bool { return errors.Is(e.original, target) }
func (e concealedError) As(target any) bool   { return errors.As(e.original, target) }

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

// logFailure logs what the caller is not told, and what somebody has to look into.
func (s *Server) logFailure(ctx context.Context, c *call, stage string, answered, hidden, err error) {
	info, code := errs.InfoOf(answered), errs.CodeOf(answered)
	attrs := []slog.Attr{slog.String("tool", c.Tool), slog.String("stage", stage), slog.String("code", string(code))}
	for _, a := range []slog.Attr{
		slog.String("effect", info.Effect.String()), slog.String("operationKey", info.OperationKey),
		slog.String("operationId", info.OperationID), slog.String("runId", info.RunID), slog.String("errorId", info.ErrorID),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	switch {
	case hidden != nil:
		s.log(ctx, slog.LevelError, "a tool failed", err, attrs...)
	case code == errs.CodeOutcomeUnknown: // the operation may go on; where it ends in doubt, that is logged as an error, once
		s.log(ctx, slog.LevelWarn, "a caller was told that an outcome is unknown", errors.Unwrap(err), attrs...)
	case code == errs.CodeLedgerUnavailable:
		s.log(ctx, slog.LevelWarn, "the ledger does not answer, and a call was refused", errors.Unwrap(err), attrs...)
	case code == errs.CodeVerificationFailed && ctx.Err() != nil: // nothing is known to be wrong
		s.log(ctx, slog.LevelWarn, "a caller left before its result was verified", errors.Unwrap(err), attrs...)
	case code == errs.CodeVerificationFailed:
		s.log(ctx, slog.LevelError, "a result is not verified", errors.Unwrap(err), attrs...)
	case info.Domain == errs.DomainTool && c.tool != nil && !c.tool.declares(code) && code != errNotApplied.Code():
		s.log(ctx, slog.LevelWarn, "a tool returned an error that it does not declare", nil, attrs...)
	}
}

// logCall logs that a call has ended, for whoever looks closely.
func (s *Server) logCall(ctx context.Context, c *call, stage string, begun time.Time, err error) {
	debug := false
	if _ = caught("the log", func() error { debug = s.logger().Enabled(ctx, slog.LevelDebug); return nil }); !debug {
		return
	}
	attrs := []slog.Attr{slog.String("tool", c.Tool), slog.Duration("duration", time.Since(begun))}
	info := errs.InfoOf(err)
	code := string(errs.CodeOf(err))
	if code == "" && err != nil {
		code = status.Code(err).String() // of another service
	}
	for _, a := range []slog.Attr{
		slog.String("stage", stage), slog.String("code", code), slog.String("effect", info.Effect.String()),
		slog.String("operationKey", c.key), slog.String("operationId", c.row.ID), slog.String("runId", c.runID()),
		slog.String("errorId", info.ErrorID),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	if err == nil {
		attrs = append(attrs, slog.Bool("replayed", c.replayed), slog.Bool("verified", c.verified))
	}
	s.log(ctx, slog.LevelDebug, "a call ended", nil, attrs...)
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
	// A panic in a handler changes nothing.
	_ = caught("the log", func() error {
		s.logger().LogAttrs(ctx, level, message, attrs...) //nolint:sloglint // every caller passes a constant
		return nil
	})
}

func (s *Server) logger() *slog.Logger {
	if s.config.logger != nil {
		return s.config.logger
	}
	return slog.Default()
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
