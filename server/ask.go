package server

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/crashpoint"
	"github.com/remedyrpc/remedy/server/ledger"
)

// How the ledger is asked.
const (
	askTimeout = 5 * time.Second // of one question past the boundary, where no caller sets one
	askAgain   = 3               // times in all, while a caller waits
	askDelay   = 50 * time.Millisecond
	mostDelay  = time.Second
)

// newID makes the name of an operation or of an attempt.
func newID(prefix string) string { return prefix + rand.Text() }

// moved is the answer to a move.
type moved struct {
	row ledger.Row
	ok  bool
}

// ask asks for a move, again when its answer was lost: every move may be, and finds its own result. An error means that it
// is not known whether the move was made. The name is that of the move.
func ask(ctx context.Context, name string, move func(context.Context) (ledger.Row, bool, error)) (moved, error) {
	delay := askDelay
	for try := 1; ; try++ {
		crashpoint.At(name + ".before")
		limited, cancel := context.WithTimeout(ctx, askTimeout)
		row, ok, err := move(limited)
		cancel()
		crashpoint.At(name + ".after")
		if err == nil || try == askAgain || errors.Is(err, ledger.ErrFull) || ctx.Err() != nil {
			return moved{row, ok}, err
		}
		if !pause(ctx, delay) {
			return moved{}, err
		}
		delay = min(2*delay, mostDelay) //nolint:mnd // twice
	}
}

// pause waits, and reports whether ctx has not ended.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// unavailable is the error of a call that the ledger did not answer. The error of the ledger is logged and never sent.
func unavailable(tool string, err error) error {
	if errors.Is(err, ledger.ErrFull) {
		return &errs.ServiceError{Code: errs.CodeOverloaded, Subject: tool, RetryAfter: roomDelay, Cause: err}
	}
	if cutOff(err) && !errors.Is(err, ledger.ErrUnavailable) {
		return err // it is the caller who is gone
	}
	return &errs.ServiceError{Code: errs.CodeLedgerUnavailable, Subject: tool, Cause: err}
}

// roomDelay is how long to wait where there is no room for another operation.
const roomDelay = time.Minute
