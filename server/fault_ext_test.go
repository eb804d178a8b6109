package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// upstream is the system behind a tool. It knows what took effect.
type upstream struct {
	dedupes bool

	mu      sync.Mutex
	applied []string // operation ids, in order
}

func (u *upstream) apply(id string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.dedupes || !slices.Contains(u.applied, id) {
		u.applied = append(u.applied, id)
	}
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.applied)
}

func (u *upstream) knows(id string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Contains(u.applied, id)
}

// kind is a kind of tool, and of what its first attempt does.
type kind struct {
	recover            string // "" has no hook; "found" reads the truth; "blind" never finds anything
	dedupes, immediate bool
	first              string // of the behaviors
}

// What a first attempt does.
const (
	works      = "works"
	refuses    = "refuses"     // Execute returns a typed error
	notApplied = "not applied" // the effect states that
	loses      = "loses"       // the effect takes place, and returns an error
	vanishes   = "vanishes"    // the process ends after the effect
	vanishing  = "vanishing"   // the process ends before the effect
)

func kinds() []kind {
	var all []kind
	for _, looks := range []string{"", "found", "blind"} {
		for _, dedupes := range []bool{false, true} {
			for _, immediate := range []bool{false, true} {
				for _, first := range []string{works, refuses, notApplied, loses, vanishes, vanishing} {
					if !immediate || first != refuses {
						all = append(all, kind{looks, dedupes, immediate, first})
					}
				}
			}
		}
	}
	return all
}

// stage is one operation of a kind of tool.
type stage struct {
	kind     kind
	upstream upstream
	tool     *server.AnyTool
	gone     chan struct{} // closed at the end, for effects of a process that is gone

	mu       sync.Mutex
	attempts int
}

func newStage(k kind) *stage {
	s := &stage{kind: k, upstream: upstream{dedupes: k.dedupes}, gone: make(chan struct{})}
	tool := server.Tool[in, out]{
		InputSchema: `{"type":"object"}`, DedupesOnOperationID: k.dedupes,
		Verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) {
			return server.Verified, nil
		},
	}
	if k.immediate {
		tool.Immediate = s.effect
	} else {
		tool.Execute = func(_ context.Context, op *server.Op, i in) (server.Effect[out], error) {
			if k.first == refuses && s.begin() == 1 {
				return nil, stale.New()
			}
			return func(ctx context.Context) (out, error) { return s.effect(ctx, op, i) }, nil
		}
	}
	if k.recover != "" {
		tool.Recover = func(_ context.Context, op *server.Op, i in) (server.Recovered[out], error) {
			if k.recover == "found" && s.upstream.knows(op.ID) {
				return server.Committed(out(i)), nil
			}
			return server.NotFound[out](), nil
		}
	}
	s.tool = server.NewTool("t", "Does something.", tool)
	return s
}

func (s *stage) server(t *testing.T, l ledger.Ledger) *server.Server {
	t.Helper()
	return newServer(t, []*server.AnyTool{s.tool}, server.WithLedger(l), server.WithStopDelay(0))
}

func (s *stage) begin() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attempts++
	return s.attempts
}

func (s *stage) effect(_ context.Context, op *server.Op, i in) (out, error) {
	if s.begin() == 1 {
		switch s.kind.first {
		case notApplied:
			return out{}, op.NotApplied(stale.New())
		case loses:
			s.upstream.apply(op.ID)
			return out{}, errors.New("lost")
		case vanishes:
			s.upstream.apply(op.ID)
			<-s.gone
			return out{}, errors.New("gone")
		case vanishing:
			<-s.gone
			return out{}, errors.New("gone")
		}
	}
	s.upstream.apply(op.ID)
	return out(i), nil
}

// abandoned leaves the operation past its boundary, by a process that is gone, with its lease out.
func (s *stage) abandoned(t *testing.T, m *memory.Ledger) {
	t.Helper()
	f := newFaulty(m)
	srv := s.server(t, f)
	ctx, leave := context.WithCancel(t.Context())
	go func() { _, _ = call(ctx, srv, "k", `{"id":"a"}`) }()
	synctest.Wait()
	f.cut()
	leave()
	stop(t, srv)
	time.Sleep(41 * time.Second)
}

// stop ends a server for good.
func stop(t *testing.T, srv *server.Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	g := newStopper()
	close(g.calls)
	_ = srv.Shutdown(ctx, g) // it may say what it left running
}

// TestFaults has every move of every kind of tool go wrong in every way, and holds the answer against what took effect.
// Afterwards, when the ledger is well, equal calls converge.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		t.Run(fmt.Sprintf("%+v", k), func(t *testing.T) {
			t.Parallel()
			asked := k.try(t, "", "", 0, 0) // of what may go wrong
			for _, move := range moves {
				if asked[move] == 0 {
					continue
				}
				for _, fault := range []fault{lostBefore, lostAfter, lostLate, slow, tooSlow} {
					k.try(t, move, fault, 1, 0)
					if fault != slow {
						k.try(t, move, fault, -1, 0)
						k.try(t, move, fault, -1, 4*time.Second)
					}
				}
			}
		})
	}
}

// try calls a tool while a move goes wrong, and returns how often each move was asked for.
func (k kind) try(t *testing.T, move string, fault fault, times int, deadline time.Duration) (asked map[string]int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		name := fmt.Sprintf("%+v, %s %s %d times, deadline %v", k, move, fault, times, deadline)
		m := memory.New()
		s := newStage(k)
		defer release(s.gone)
		if k.first == vanishes || k.first == vanishing {
			s.abandoned(t, m)
		}
		f := newFaulty(m)
		srv := s.server(t, f)
		defer stop(t, srv)
		f.breaks(move, fault, times)
		ctx, cancel := t.Context(), context.CancelFunc(func() {})
		if deadline > 0 {
			ctx, cancel = context.WithTimeout(ctx, deadline)
		}
		_, err := call(ctx, srv, "k", `{"id":"a"}`)
		cancel()
		s.holds(t, name+": first", err)
		time.Sleep(5 * time.Second)
		s.holds(t, name+": later", err)
		f.heal()
		for range 5 {
			time.Sleep(20 * time.Second)
			if _, err := srv.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		first, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		s.holds(t, name+": again", err)
		if errs.CodeOf(err) == "slot_stale" { // it was the first that got so far
			first, err = call(t.Context(), srv, "k", `{"id":"a"}`)
		}
		second, again := call(t.Context(), srv, "k", `{"id":"a"}`)
		s.holds(t, name+": once more", again)
		if second.OperationID != first.OperationID || errs.CodeOf(again) != errs.CodeOf(err) || err == nil && !second.Replayed {
			t.Errorf("%s: %+v, %v and then %+v, %v", name, first, err, second, again)
		}
		if err != nil && errs.CodeOf(err) != errs.CodeOutcomeUnknown {
			t.Errorf("%s: it ends with %v", name, err)
		}
		if err != nil && k.recover == "found" && s.upstream.count() == 1 {
			t.Errorf("%s: it can be found, and ends with %v", name, err)
		}
		asked = f.asked
	})
	return asked
}

// holds checks an answer against what took effect.
func (s *stage) holds(t *testing.T, name string, err error) {
	t.Helper()
	effects := s.upstream.count()
	says, inferred := errs.EffectOf(err), errs.IsInferred(errs.InferOutcome(err, errs.Call{Name: "t"}))
	switch {
	case effects > 1:
		t.Errorf("%s: %d effects", name, effects)
	case err == nil && effects != 1:
		t.Errorf("%s: success without an effect", name)
	case err == nil || effects == 0:
	case errs.CodeOf(err) == errs.CodeOutcomeUnknown, errs.CodeOf(err) == errs.CodeOperationInFlight:
	case says == errs.EffectNone, !inferred && says != errs.EffectApplied:
		t.Errorf("%s: there was an effect, and the answer is %v of effect %q", name, err, says)
	case errs.InfoOf(err).OperationID == "": // it came to no operation
	case status.Code(err) == codes.Unavailable, status.Code(err) == codes.Canceled, status.Code(err) == codes.DeadlineExceeded:
		t.Errorf("%s: there was an effect, and the answer is %v", name, err)
	}
	if says == errs.EffectApplied && effects == 0 {
		t.Errorf("%s: there was no effect, and the answer is %v of effect %q", name, err, says)
	}
}

// TestLostAnswers holds the answers to what is documented of commits that are not acknowledged.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	unavailable := said{errs.CodeLedgerUnavailable, 0}
	unknown := said{errs.CodeOutcomeUnknown, errs.EffectUnknown}
	freed := said{"slot_stale", errs.EffectNone}
	tests := []struct {
		name  string
		kind  kind
		move  string
		fault fault
		times int
		said  said
		after said // of an equal call when the ledger is well
	}{
		{"claim, asked again", kind{first: works}, "claim", lostAfter, 1, said{}, said{}},
		{"claim, not made", kind{first: works}, "claim", lostBefore, -1, unavailable, said{}},
		{"claim, made and freed", kind{first: works}, "claim", lostAfter, -1, said{errs.CodeLedgerUnavailable, errs.EffectNone}, said{}},
		{"claim of an immediate tool, asked again", kind{first: works, immediate: true}, "claim", lostAfter, 2, said{}, said{}},
		{
			"claim of an immediate tool, made and freed",
			kind{first: works, immediate: true},
			"claim", lostAfter, -1,
			said{errs.CodeLedgerUnavailable, errs.EffectNone},
			said{},
		},
		{"crossing, asked again", kind{first: works}, "cross", lostAfter, 2, said{}, said{}},
		{"crossing, not made", kind{first: works}, "cross", lostBefore, -1, said{errs.CodeLedgerUnavailable, errs.EffectNone}, said{}},
		{"crossing, made", kind{first: works}, "cross", lostAfter, -1, said{errs.CodeLedgerUnavailable, errs.EffectNone}, said{}},
		{"crossing, made later", kind{first: works}, "cross", lostLate, -1, said{errs.CodeLedgerUnavailable, errs.EffectNone}, said{}},
		{"receipt, asked again", kind{first: works}, "record", lostAfter, 2, said{}, said{}},
		{"receipt, not made", kind{first: works}, "record", lostBefore, -1, unknown, said{}},
		{"receipt, made", kind{first: works}, "record", lostAfter, -1, unknown, said{}},
		{"failure, asked again", kind{first: refuses}, "free", lostAfter, 2, freed, said{}},
		{"failure, not freed", kind{first: refuses}, "free", lostBefore, -1, said{"slot_stale", 0}, said{}},
		{"failure past the boundary, asked again", kind{first: notApplied}, "free", lostAfter, 2, freed, said{}},
		{"failure past the boundary, not freed", kind{first: notApplied}, "free", lostBefore, -1, said{"slot_stale", 0}, said{}},
		{"doubt, asked again", kind{first: loses}, "park", lostAfter, 2, unknown, unknown},
		{"doubt, not noted", kind{first: loses}, "park", lostBefore, -1, unknown, unknown},
		{"look, asked again", kind{first: vanishes, recover: "found"}, "recover", lostAfter, 2, said{}, said{}},
		{"look, not made", kind{first: vanishes, recover: "found"}, "recover", lostBefore, -1, unknown, said{}},
		{"look, found and not recorded", kind{first: vanishes, recover: "found"}, "record", lostBefore, -1, unknown, said{}},
		{"executed again, asked again", kind{first: vanishes, dedupes: true}, "redo", lostAfter, 2, said{}, said{}},
		{"not executed again", kind{first: vanishes, dedupes: true}, "redo", lostBefore, -1, unknown, said{}},
		{"executed again, not crossed", kind{first: vanishes, dedupes: true}, "cross", lostBefore, -1, unknown, said{}},
		{
			"immediate, executed again, not crossed",
			kind{first: vanishes, dedupes: true, immediate: true},
			"cross", lostBefore, -1,
			unknown,
			said{},
		},
		{"verdict, not kept", kind{first: works}, "judge", lostBefore, -1, said{}, said{}},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := memory.New()
				s := newStage(test.kind)
				defer release(s.gone)
				if test.kind.first == vanishes {
					s.abandoned(t, m)
				}
				f := newFaulty(m)
				srv := s.server(t, f)
				defer stop(t, srv)
				f.breaks(test.move, test.fault, test.times)
				_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
				if saidBy(err) != test.said {
					t.Errorf("got %+v (%v), want %+v", saidBy(err), err, test.said)
				}
				if f.count(test.move) == 0 {
					t.Errorf("%s was not asked for", test.move)
				}
				f.heal()
				time.Sleep(15 * time.Second) // what is asked for until it is answered is answered
				if _, err := srv.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
				_, err = call(t.Context(), srv, "k", `{"id":"a"}`)
				if saidBy(err) != test.after {
					t.Errorf("afterwards: got %+v (%v), want %+v", saidBy(err), err, test.after)
				}
				if got := s.upstream.count(); got > 1 || test.after == (said{}) && got != 1 {
					t.Errorf("%d effects", got)
				}
			})
		})
	}
}

// TestOutage has a ledger be gone for long: what calls leave behind asks for a while, and not for ever.
func TestOutage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		kind kind
		move string
		last string // what is asked for last
		asks int    // how often, at most
	}{
		{"a claim", kind{first: works}, "claim", "free", 3},
		{"a crossing", kind{first: works}, "cross", "free", 200},
		{"a verdict", kind{first: works}, "judge", "judge", 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := newFaulty(memory.New())
			srv := newStage(test.kind).server(t, f)
			f.breaks(test.move, lostAfter, -1)
			f.breaks(test.last, lostAfter, -1)
			_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
			time.Sleep(time.Minute)
			asks := f.count(test.last)
			time.Sleep(time.Hour)
			if got := f.count(test.last); got != asks || got == 0 || got > test.asks {
				t.Errorf("%s: %s was asked for %d times in a minute, and then %d", test.name, test.last, asks, got)
			}
		})
	}
}
