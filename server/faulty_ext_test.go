package server_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// fault is what goes wrong with a move.
type fault string

const (
	lostBefore fault = "not made"        // an error, and the move was not made
	lostAfter  fault = "made, lost"      // an error, and it was
	lostLate   fault = "made later"      // an error, and the move is made two seconds later
	slow       fault = "slow"            // it takes three seconds
	tooSlow    fault = "slower than may" // it takes longer than one question may, and is made at the end
)

// faulty is a ledger in memory whose moves go wrong.
type faulty struct {
	*memory.Ledger

	latency time.Duration // of every move; a move that nobody waits for any more is made all the same

	mu     sync.Mutex
	faults map[string]*planned // by move
	asked  map[string]int
	note   func(move string) // of every move that is asked for; may be nil
}

type planned struct {
	fault fault
	left  int // how often; less than zero is for ever
}

func newFaulty(l *memory.Ledger) *faulty {
	return &faulty{Ledger: l, faults: make(map[string]*planned), asked: make(map[string]int)}
}

// moves are those that may go wrong.
var moves = []string{"claim", "cross", "record", "free", "park", "recover", "redo", "judge"}

// cut makes every move go wrong for ever, as for a process that is gone.
func (f *faulty) cut() {
	for _, move := range append([]string{"get", "find", "sweep"}, moves...) {
		f.breaks(move, lostBefore, -1)
	}
}

// breaks makes a move go wrong so many times; less than zero is for ever.
func (f *faulty) breaks(move string, fault fault, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[move] = &planned{fault, times}
}

// heal makes all moves go well.
func (f *faulty) heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.faults)
}

// count returns how often a move was asked for.
func (f *faulty) count(move string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[move]
}

// next returns what goes wrong with a move that is asked for, or nothing.
func (f *faulty) next(move string) fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked[move]++
	if f.note != nil {
		f.note(move)
	}
	p := f.faults[move]
	if p == nil || p.left == 0 {
		return ""
	}
	p.left--
	return p.fault
}

func lostAnswer(move string) error { return fmt.Errorf("%w: %s", ledger.ErrUnavailable, move) }

// made is the result of a move.
type made[T any] struct {
	value T
	ok    bool
	err   error
}

// do makes a move, with what goes wrong.
func do[T any](ctx context.Context, f *faulty, name string, move func(context.Context) (T, bool, error)) (T, bool, error) {
	if f.latency > 0 {
		move = delayed(f.latency, move)
	}
	var none T
	switch fault := f.next(name); fault {
	case lostBefore:
		return none, false, lostAnswer(name)
	case lostAfter:
		_, _, _ = move(ctx)
		return none, false, lostAnswer(name)
	case lostLate:
		time.AfterFunc(2*time.Second, func() { _, _, _ = move(context.WithoutCancel(ctx)) })
		return none, false, lostAnswer(name)
	case slow, tooSlow:
		return delayed(map[bool]time.Duration{false: 3 * time.Second, true: 7 * time.Second}[fault == tooSlow], move)(ctx)
	default:
		return move(ctx)
	}
}

// delayed makes a move some time later, also where nobody waits for it any more, as a store does.
func delayed[T any](d time.Duration, move func(context.Context) (T, bool, error)) func(context.Context) (T, bool, error) {
	return func(ctx context.Context) (T, bool, error) {
		results := make(chan made[T], 1)
		time.AfterFunc(d, func() {
			v, ok, err := move(context.WithoutCancel(ctx))
			results <- made[T]{v, ok, err}
		})
		select {
		case r := <-results:
			return r.value, r.ok, r.err
		case <-ctx.Done():
			var none T
			return none, false, ctx.Err()
		}
	}
}

func (f *faulty) Get(ctx context.Context, key ledger.Key) (ledger.Row, error) {
	row, _, err := do(ctx, f, "get", func(ctx context.Context) (ledger.Row, bool, error) {
		row, err := f.Ledger.Get(ctx, key)
		return row, true, err
	})
	return row, err
}

func (f *faulty) Find(ctx context.Context, tenant, id string) (ledger.Row, error) {
	row, _, err := do(ctx, f, "find", func(ctx context.Context) (ledger.Row, bool, error) {
		row, err := f.Ledger.Find(ctx, tenant, id)
		return row, true, err
	})
	return row, err
}

func (f *faulty) Claim(ctx context.Context, claim ledger.Claim) (ledger.Row, bool, error) {
	return do(ctx, f, "claim", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Claim(ctx, claim) })
}

func (f *faulty) Cross(ctx context.Context, hold ledger.Hold, crossing ledger.Crossing) (ledger.Row, bool, error) {
	return do(ctx, f, "cross", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Cross(ctx, hold, crossing) })
}

func (f *faulty) Free(ctx context.Context, hold ledger.Hold, failure ledger.Failure) (ledger.Row, bool, error) {
	return do(ctx, f, "free", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Free(ctx, hold, failure) })
}

func (f *faulty) Record(ctx context.Context, hold ledger.Hold, receipt ledger.Receipt) (ledger.Row, bool, error) {
	return do(ctx, f, "record", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Record(ctx, hold, receipt) })
}

func (f *faulty) Judge(ctx context.Context, hold ledger.Hold, verdict ledger.Verdict, reason string) (ledger.Row, bool, error) {
	return do(ctx, f, "judge", func(ctx context.Context) (ledger.Row, bool, error) {
		return f.Ledger.Judge(ctx, hold, verdict, reason)
	})
}

func (f *faulty) Progress(ctx context.Context, h ledger.Hold, progress []byte) (ledger.Row, bool, error) {
	return do(ctx, f, "progress", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Progress(ctx, h, progress) })
}

func (f *faulty) Park(ctx context.Context, hold ledger.Hold, reason string) (ledger.Row, bool, error) {
	return do(ctx, f, "park", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Park(ctx, hold, reason) })
}

func (f *faulty) Recover(ctx context.Context, recovery ledger.Recovery) (ledger.Row, bool, error) {
	return do(ctx, f, "recover", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Recover(ctx, recovery) })
}

func (f *faulty) Redo(ctx context.Context, hold ledger.Hold, lease time.Duration) (ledger.Row, bool, error) {
	return do(ctx, f, "redo", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Redo(ctx, hold, lease) })
}

func (f *faulty) Resolve(ctx context.Context, resolution ledger.Resolution) (ledger.Row, bool, error) {
	return do(ctx, f, "resolve", func(ctx context.Context) (ledger.Row, bool, error) { return f.Ledger.Resolve(ctx, resolution) })
}

func (f *faulty) Sweep(ctx context.Context, sweep ledger.Sweep) ([]ledger.Row, error) {
	rows, _, err := do(ctx, f, "sweep", func(ctx context.Context) ([]ledger.Row, bool, error) {
		rows, err := f.Ledger.Sweep(ctx, sweep)
		return rows, true, err
	})
	return rows, err
}
