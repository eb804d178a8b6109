//go:build crashpoint && linux

package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// places are where a daemon can kill itself, but for numbers.
func places() (all []string) {
	for _, move := range []string{"get", "claim", "cross", "effect", "record", "judge", "free", "park", "recover", "redo"} {
		all = append(all, move+".before", move+".after")
	}
	return all
}

// step is one life of a daemon, and what ends it.
type step struct {
	place  string        // where it kills itself; empty is anywhere
	number int           // the how-manieth time
	random time.Duration // when it is killed; that of a place, when it is killed that did not come to it
	jump   time.Duration // that the clock is ahead of the life before
	sweep  time.Duration
	choose func(*rand.Rand) (tool, fate string)
	tries  int
}

const (
	patience  = 2500 * time.Millisecond // for a place to be reached
	leasesOut = 25 * time.Second        // longer than every lease
	freshOnes = 8                       // new intents in a life
	callers   = 6
	anywhere  = 4  // kills of an episode at any moment
	retries   = 3  // kills past the boundary, after which callers come back before it is swept
	killsEach = 36 // of an episode, about
	most      = 6  // tries to reach a place
)

// one chooses one of several.
func one[T any](random *rand.Rand, of ...T) T { return of[random.IntN(len(of))] }

// anything is a mix of all tools and fates.
func anything(random *rand.Rand) (tool, fate string) {
	return one(random, tracked, untracked, now, once), one(random, "", "", "", refused, closed, lost)
}

// choice are the tools and fates with which a place is reached.
func choice(place string) func(*rand.Rand) (tool, fate string) {
	return func(random *rand.Rand) (tool, fate string) {
		move, _, _ := strings.Cut(place, ".")
		switch move {
		case "cross":
			return one(random, tracked, untracked, once), ""
		case "effect":
			return one(random, tracked, untracked, now, once), one(random, "", "", lost)
		case "record":
			return one(random, tracked, untracked, now, once), ""
		case "judge":
			return tracked, ""
		case "free":
			return one(random, tracked, untracked, once), one(random, refused, closed)
		case "park":
			return one(random, untracked, once), lost
		default:
			return anything(random)
		}
	}
}

// dealt are the steps that lead to a place.
func dealt(random *rand.Rand, place string, number int) []step {
	s := step{
		place: place, number: number, random: patience, choose: choice(place),
		sweep: one(random, 0, 200*time.Millisecond, 5*time.Second),
	}
	if random.IntN(3) > 0 {
		s.jump = leasesOut
	}
	move, _, _ := strings.Cut(place, ".")
	switch move {
	case "get": // by a call that waits for an equal one, whose lease is not out
		s.number = 1
		steps := afterEffect(random, s, tracked, untracked, now, once)
		steps[1].jump = 0
		return steps
	case "recover":
		s.number = 1
		return afterEffect(random, s, tracked, untracked, now, once)
	case "redo":
		s.number = 1
		return afterEffect(random, s, once)
	default:
		return []step{s}
	}
}

// afterEffect has callers call again, after the leases and before a sweep, for what was past its boundary when its process was
// killed.
func afterEffect(random *rand.Rand, s step, tools ...string) []step {
	before := step{
		place: one(random, "effect.before", "effect.after", "record.before"), number: 1, random: patience,
		choose: func(random *rand.Rand) (tool, fate string) { return one(random, tools...), "" },
	}
	s.jump, s.sweep, s.choose = leasesOut, 0, before.choose
	return []step{before, s}
}

// plan makes the steps of an episode: every place once, and some moments at random.
func plan(random *rand.Rand) (steps []step) {
	var deck [][]step
	for _, place := range places() {
		deck = append(deck, dealt(random, place, one(random, 1, 1, 1, 2, 3)))
	}
	moment := func() time.Duration { return time.Duration(random.IntN(300)) * time.Millisecond }
	for range anywhere {
		deck = append(deck, []step{{
			random: moment(), choose: anything, jump: one(random, 0, leasesOut), sweep: one(random, 0, 200*time.Millisecond),
		}})
	}
	for range retries {
		deck = append(deck, afterEffect(random, step{random: 100*time.Millisecond + moment()}, tracked, untracked, untracked, now, once))
	}
	random.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
	return slices.Concat(deck...)
}

// tally is what a campaign has done.
type tally struct {
	mu                   sync.Mutex
	kills                map[string]int // by place; "random" is any moment, "missed" a place that was not reached
	counts, states       map[string]int
	operations, requests int
	waited, jumped       time.Duration // the longest until all had ended: real time, and time after the leases were out
}

func newTally() *tally {
	return &tally{kills: map[string]int{}, counts: map[string]int{}, states: map[string]int{}}
}

func (t *tally) String() string {
	sum := 0
	for _, n := range t.kills {
		sum += n
	}
	return fmt.Sprintf("%d kills, %d operations, %d requests to the carrier\nkills: %v\nanswers and moves: %v\nended: %v\n"+
		"slowest end: %v after the last kill, and %v where the leases were out by then",
		sum, t.operations, t.requests, t.kills, t.counts, t.states, t.waited.Round(time.Millisecond), t.jumped.Round(time.Millisecond))
}

// episode is a world, a plan, and one daemon after another.
type episode struct {
	*world

	number uint64
	random *rand.Rand
	steps  []step
	gate   *gate
	ahead  time.Duration
	kills  map[string]int
	ended  []string // how each life did
}

func (e *episode) run(ctx context.Context, t *tally) error {
	c, err := e.dial(e.gate.addr())
	if err != nil {
		return err
	}
	defer c.Close()
	calling, stop := context.WithCancel(ctx)
	e.focus(0, anything)
	wait := e.callers(calling, callers, c)
	err = e.lives()
	stop()
	wait()
	if err != nil {
		return err
	}
	return e.end(ctx, t)
}

// lives starts one daemon after another, and kills it.
func (e *episode) lives() error {
	for len(e.steps) > 0 {
		s := e.steps[0]
		e.steps = e.steps[1:]
		e.ahead += s.jump
		l := life{ahead: e.ahead, sweep: s.sweep}
		if s.place != "" {
			l.at = fmt.Sprintf("%s:%d", s.place, s.number)
		}
		e.focus(freshOnes, s.choose)
		d, err := e.start(l)
		if err != nil {
			return err
		}
		e.gate.lead(d.addr)
		itself := d.ended(s.random)
		d.kill()
		e.gate.lead("")
		e.ended = append(e.ended, fmt.Sprintf("%s killed itself=%t %+v", time.Now().Format("15:04:05.000"), itself, l))
		switch {
		case !d.killed(), itself && s.place == "":
			return fmt.Errorf("the daemon ended: %v", d.cmd.ProcessState)
		case itself:
			e.kills[s.place]++
		case s.place == "":
			e.kills["random"]++
		default:
			e.kills["missed"]++
			s.tries++
			if s.tries == most {
				return fmt.Errorf("%s was not reached in %d lives", l.at, most)
			}
			for _, again := range dealt(e.random, s.place, 1) {
				again.tries = s.tries
				e.steps = append(e.steps, again)
			}
		}
	}
	return nil
}

// end starts the last daemon, which nobody calls until every operation has ended.
func (e *episode) end(ctx context.Context, t *tally) error {
	killed := time.Now()
	jump := leasesOut
	if e.number%3 == 1 { // the leases are waited for
		jump = 0
	}
	e.ahead += jump
	d, err := e.start(life{ahead: e.ahead, sweep: 5 * time.Second})
	if err != nil {
		return err
	}
	defer d.kill()
	c, err := e.dial(d.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	_, late := settle(ctx, c, longestLease+settling-jump)
	took := time.Since(killed)
	reports, states := e.audit(ctx, c)
	requests, _ := e.carrier.Requests() // as the audit read it
	t.mu.Lock()
	defer t.mu.Unlock()
	for from, to := range map[*map[string]int]map[string]int{&e.kills: t.kills, &e.counts: t.counts, &states: t.states} {
		for what, n := range *from {
			to[what] += n
		}
	}
	t.operations += len(e.intents)
	t.requests += len(requests)
	if jump == 0 {
		t.waited = max(t.waited, took)
	} else {
		t.jumped = max(t.jumped, took)
	}
	return broken(late, reports)
}

// broken is the error of what was not kept: that all ends in time, and what the audit reports; nil where there is nothing.
func broken(late error, reports []string) error {
	if len(reports) > 0 {
		late = errors.Join(late, fmt.Errorf("%d broken promises:\n%s", len(reports), strings.Join(reports, "\n")))
	}
	return late
}

// keep makes a folder that stays where something goes wrong.
func keep(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "campaign-") //nolint:usetesting // it outlives a test that fails
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// campaign runs episodes, a few at once, until there were so many kills.
func campaign(t *testing.T, database func(t *testing.T, folder string) string) {
	t.Helper()
	done := newTally()
	numbers := make(chan uint64)
	go func() {
		defer close(numbers)
		if *episodeFlag >= 0 {
			numbers <- uint64(*episodeFlag)
			return
		}
		for n := range (*killsFlag + killsEach - 1) / killsEach {
			numbers <- uint64(n)
		}
	}()
	var workers sync.WaitGroup
	for range *worldsFlag {
		workers.Go(func() {
			for n := range numbers {
				folder := keep(t)
				if err := runEpisode(t, n, folder, database(t, folder), done); err != nil {
					t.Errorf("go test -tags crashpoint ./internal/campaign -run '^%s$' -args -seed %d -episode %d\nkept in %s\n%v",
						t.Name(), *seedFlag, n, folder, err)
					continue
				}
				_ = os.RemoveAll(folder)
			}
		})
	}
	workers.Wait()
	t.Logf("seed %d: %v", *seedFlag, done)
	for _, place := range places() {
		if done.kills[place] == 0 {
			t.Errorf("%s was never reached", place)
		}
	}
}

func runEpisode(t *testing.T, n uint64, folder, db string, done *tally) error {
	t.Helper()
	g, err := newGate()
	if err != nil {
		return err
	}
	defer g.close()
	random := rand.New(rand.NewPCG(*seedFlag, n))
	e := &episode{
		world: newWorld(folder, db, *seedFlag, n), number: n, random: random, steps: plan(random), gate: g, kills: map[string]int{},
	}
	if err := e.run(t.Context(), done); err != nil {
		return fmt.Errorf("%w\nlives:\n%s", err, strings.Join(e.ended, "\n"))
	}
	return nil
}

// TestCrashSQLite kills daemons on a file.
func TestCrashSQLite(t *testing.T) {
	t.Parallel()
	campaign(t, func(_ *testing.T, folder string) string { return filepath.Join(folder, "operations.db") })
}

// TestCrashPostgres kills daemons on a database.
func TestCrashPostgres(t *testing.T) {
	t.Parallel()
	campaign(t, func(t *testing.T, _ string) string {
		t.Helper()
		return newDatabase(t)
	})
}
