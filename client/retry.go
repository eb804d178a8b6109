package client

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// Retry says how a call is sent again, always under the same operation key. A call is sent again only where its error
// says as_is, where [WithLedger] makes that the rule of a lost answer, and where the service was not there and it is
// proven that nothing was sent. The caller's deadline ends it: a wait that would not end before is not begun.
//
// When attempts or time run out, the error says what the last attempt said. Where time ran out, the context's error
// matches too. Where an earlier attempt may have taken effect and none since has said what became of it, the error is
// that unknown outcome, and the last one matches too.
//
// No field may be negative, and no wait longer than a day.
type Retry struct {
	// MaxAttempts bounds the attempts, the first included: 1 to 10; zero means 4.
	MaxAttempts int
	// InitialBackoff is the longest wait before the second attempt; each further one doubles it. The wait is random
	// between zero and that. Zero means 100 ms.
	InitialBackoff time.Duration
	// MaxBackoff bounds the doubling; zero means 5 s.
	MaxBackoff time.Duration
	// MaxServerDelay is the longest delay asked for by the service that is waited for; the random wait comes on top.
	// An error that asks for more is not retried, rather than too early. Zero means 30 s.
	MaxServerDelay time.Duration
}

const (
	defaultAttempts       = 4
	mostAttempts          = 10
	defaultInitialBackoff = 100 * time.Millisecond
	defaultMaxBackoff     = 5 * time.Second
	defaultMaxServerDelay = 30 * time.Second

	longest = 24 * time.Hour // of any wait
)

// complete fills in the defaults, and fails for what is out of range.
func complete(r Retry) (Retry, error) {
	if r.MaxAttempts < 0 || r.MaxAttempts > mostAttempts {
		return r, fmt.Errorf("client: Retry.MaxAttempts %d must be 1 to %d, or 0 for %d", r.MaxAttempts, mostAttempts, defaultAttempts)
	}
	if r.MaxAttempts == 0 {
		r.MaxAttempts = defaultAttempts
	}
	for _, field := range []struct {
		name     string
		value    *time.Duration
		fallback time.Duration
	}{
		{"InitialBackoff", &r.InitialBackoff, defaultInitialBackoff},
		{"MaxBackoff", &r.MaxBackoff, defaultMaxBackoff},
		{"MaxServerDelay", &r.MaxServerDelay, defaultMaxServerDelay},
	} {
		if *field.value < 0 || *field.value > longest {
			return r, fmt.Errorf("client: Retry.%s %v must be from 0 to %v", field.name, *field.value, longest)
		}
		if *field.value == 0 {
			*field.value = field.fallback
		}
	}
	return r, nil
}

// retrier makes the attempts of a call. The zero value makes one.
type retrier struct {
	Retry // complete, or zero

	ledger bool // the service keeps operations
}

// do makes attempts until one succeeds, must not be repeated, or is the last. An attempt returns its error and whether
// it is proven that nothing was sent; where that is proven of all of them, the error says so.
func (r *retrier) do(ctx context.Context, attempt func(context.Context) (unsent bool, err error)) error {
	sent := false
	err := r.repeat(ctx, func(ctx context.Context) (bool, error) {
		unsent, err := attempt(ctx)
		sent = sent || !unsent
		return unsent, err
	})
	if err == nil || sent {
		return err
	}
	return &neversent.Error{Err: err}
}

func (r *retrier) repeat(ctx context.Context, attempt func(context.Context) (unsent bool, err error)) error {
	var open error   // of an earlier attempt that may have taken effect, while none since has said what became of it
	var before error // of the attempt before, where that is not the open one
	for n := 1; ; n++ {
		unsent, err := attempt(ctx)
		if err == nil {
			return nil
		}
		effect := errs.EffectOf(err)
		if effect != errs.EffectUnspecified {
			open = nil // an effect is stated of the operation, and so of every attempt
		}
		again, end := r.next(ctx, n, unsent, err)
		switch {
		case !again && end == nil && n > 1 && ctx.Err() != nil: // time ran out during the attempt
			return ended(open, err, before, ctx.Err())
		case !again:
			return ended(open, err, end)
		case effect == errs.EffectUnknown:
			open, before = err, nil
		default:
			before = err
		}
	}
}

// next waits for the time of the next attempt and returns true, or returns false: with what ran out of time, or nil
// when the call must not be sent again.
func (r *retrier) next(ctx context.Context, n int, unsent bool, err error) (bool, error) {
	if !r.repeatable(unsent, err) {
		return false, nil
	}
	return r.pause(ctx, n, err)
}

// pause is next for an error after which the same call may be sent again.
func (r *retrier) pause(ctx context.Context, n int, err error) (bool, error) {
	if n >= r.MaxAttempts {
		return false, nil
	}
	delay, _ := errs.RetryAfterOf(err)
	if delay > r.MaxServerDelay {
		return false, nil
	}
	delay += r.backoff(n)
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) <= delay {
		return false, context.DeadlineExceeded
	}
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// repeatable reports whether the rule of err, or the proof that nothing was sent, lets the same call be sent again.
func (r *retrier) repeatable(unsent bool, err error) bool {
	if unsent {
		return status.Code(err) == codes.Unavailable
	}
	return errs.Retryable(err) && (r.ledger || errs.EffectOf(err) != errs.EffectUnknown)
}

// backoff is a random wait after attempt n: full jitter, so that callers who failed together do not come back together.
func (r *retrier) backoff(n int) time.Duration {
	ceiling := r.InitialBackoff
	for ; n > 1 && ceiling < r.MaxBackoff; n-- {
		ceiling *= 2
	}
	return rand.N(min(ceiling, r.MaxBackoff) + 1) //nolint:gosec // spreads load, keeps no secret
}

// endedError is the error of a call that was sent more than once, or could not be sent again in time. The first of them
// says what to do.
type endedError struct{ all []error }

// ended returns the first error that is not nil, with the others for errors.Is and errors.As to find.
func ended(all ...error) error {
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	if len(all) == 1 {
		return all[0]
	}
	return &endedError{all: all}
}

// Error returns the message of the first, so that grpc reads its status unchanged out of this.
func (e *endedError) Error() string { return e.all[0].Error() }

// Unwrap returns all of them, the first one first.
func (e *endedError) Unwrap() []error { return e.all }
