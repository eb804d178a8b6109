package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/crashpoint"
	"github.com/remedyrpc/remedy/server/ledger"
)

// How the ledger is asked.
const (
	askTimeout = 5 * time.Second // of one question, where no caller sets less
	askAgain   = 3               // times in all
	askDelay   = 50 * time.Millisecond
	mostDelay  = time.Second
	// moment is how long a call whose caller has left waits for the last word of the ledger: what it says is sent before the
	// deadline of the caller, which ends a little later than that of the call.
	moment = 20 * time.Millisecond
)

// newAttempt makes the name of an attempt.
func newAttempt() string { return "at_" + rand.Text() }

// newOperation makes the name of an operation: the time, and 85 random bits. What begins at the same time is so stored in the
// same place, and a store writes one page for many of them.
func newOperation() string {
	const digits, digit = "234567ABCDEFGHIJKLMNOPQRSTUVWXYZ", 5 // in the order of their bytes, and the bits of each
	id := []byte("op_#########" + rand.Text()[:17])
	now := time.Now().UnixMilli()
	for i := len("op_#########") - 1; id[i] == '#'; i-- {
		id[i] = digits[now&(1<<digit-1)]
		now >>= digit
	}
	return string(id)
}

// moved is the answer to a move.
type moved struct {
	row ledger.Row
	ok  bool
}

// mover is a move of the ledger.
type mover func(ctx context.Context) (ledger.Row, bool, error)

// ask asks for a move, again when its answer was lost: every move may be, and finds its own result. An error that
// is [ledger.ErrUnavailable] means that it is not known whether the move was made; others are answers, or say that ctx ended
// before it began. The name is that of the move.
func ask(ctx context.Context, name string, move mover) (got moved, err error) {
	delay := askDelay
	var lost error // of an answer, so that the move may have been made
	for try := 1; ; try++ {
		crashpoint.At(name + ".before")
		limited, cancel := context.WithTimeout(ctx, askTimeout)
		got.row, got.ok, err = move(limited)
		cancel()
		crashpoint.At(name + ".after")
		switch {
		case err == nil, errors.Is(err, ledger.ErrFull), errors.Is(err, ledger.ErrTooEarly):
			return got, err
		case ctx.Err() != nil:
			return moved{}, errors.Join(err, lost)
		case !errors.Is(err, ledger.ErrUnavailable): // the time of the question was up, and not that of the call
			err = fmt.Errorf("%w: %w", ledger.ErrUnavailable, err)
		}
		lost = err
		if try == askAgain || !pause(ctx, delay) {
			return moved{}, err
		}
		delay = min(2*delay, mostDelay) //nolint:mnd // twice
	}
}

// insist asks for a move until it is answered or the server stops. It tells of the answer and of every error, and goes on
// after one for as long as it is told to.
func (s *Server) insist(ctx context.Context, name string, move mover, tell func(moved, error) (goOn bool)) {
	for delay := askDelay; ; delay = min(2*delay, mostDelay) { //nolint:mnd // twice
		got, err := ask(ctx, name, move)
		if goOn := tell(got, err); err == nil || !goOn || !pause(s.lifetime, delay) { //nolint:contextcheck // for as long as the server lives
			return
		}
	}
}

// parting asks for a last move, whether the caller stays or not, and again for so long while the ledger does not answer: once
// for zero. The answer is waited for as long as the caller stays, and a moment.
func (s *Server) parting(ctx context.Context, again time.Duration, name string, move mover) (moved, error) {
	type answer struct {
		moved
		err error
	}
	answers := make(chan answer, 1)
	end := time.Now().Add(again)
	go s.insist(context.WithoutCancel(ctx), name, move, func(got moved, err error) bool {
		select {
		case answers <- answer{got, err}:
		default: // the caller has one
		}
		return time.Now().Before(end)
	})
	select {
	case a := <-answers:
		return a.moved, a.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(moment)
	defer timer.Stop()
	select {
	case a := <-answers:
		return a.moved, a.err
	case <-timer.C:
		return moved{}, ctx.Err()
	}
}

// get reads the row of a key.
func (s *Server) get(ctx context.Context, key ledger.Key) (ledger.Row, error) {
	got, err := ask(ctx, "get", func(ctx context.Context) (ledger.Row, bool, error) {
		row, err := s.ledger.Get(ctx, key)
		return row, true, err
	})
	return got.row, err
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
func unavailable(ctx context.Context, tool string, err error) error {
	switch {
	case errors.Is(err, ledger.ErrFull):
		return &errs.ServiceError{Code: errs.CodeOverloaded, Subject: tool, RetryAfter: roomDelay, Cause: err}
	case ctx.Err() != nil:
		return gone(ctx, err)
	default:
		return &errs.ServiceError{Code: errs.CodeLedgerUnavailable, Subject: tool, Cause: err}
	}
}

// roomDelay is how long to wait where there is no room for another operation.
const roomDelay = time.Minute
