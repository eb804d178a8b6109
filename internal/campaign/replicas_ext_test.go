//go:build crashpoint && linux

package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/client"
)

const (
	replicaCallers = 64
	replicaKeys    = 200
)

// replica is a place for one daemon after another.
type replica struct {
	*world

	random *rand.Rand
	gate   *gate
	ahead  time.Duration // of the clocks of its daemons
	daemon *daemon
	log    string
	did    map[string]int
}

func (r *replica) start(at string) error {
	d, err := start(r.db, r.book, r.log, life{at: at, ahead: r.ahead, sweep: time.Duration(1+r.random.IntN(5)) * time.Second})
	if err != nil {
		return err
	}
	r.daemon = d
	r.gate.lead(d.addr)
	return nil
}

// chaos kills and stops daemons until ctx ends, and leaves one running.
func (r *replica) chaos(ctx context.Context) error {
	for ctx.Err() == nil {
		pause(ctx, time.Duration(200+r.random.IntN(2000))*time.Millisecond)
		switch action := r.random.IntN(10); {
		case r.daemon.ended(0): // by itself
			r.did["crash point"]++
		case action < 2: // past every lease of a call
			r.did["stopped past the lease"]++
			r.stop(hookTimeout + 11*time.Second)
			continue
		case action < 5:
			r.did["stopped"]++
			r.stop(time.Duration(r.random.IntN(1500)) * time.Millisecond)
			continue
		default:
			r.did["killed"]++
		}
		r.daemon.kill()
		r.gate.lead("")
		pause(ctx, time.Duration(r.random.IntN(1000))*time.Millisecond)
		at := ""
		if r.random.IntN(2) == 0 {
			at = fmt.Sprintf("%s:%d", one(r.random, places()...), 1+r.random.IntN(20))
		}
		if err := r.start(at); err != nil {
			return err
		}
	}
	return nil
}

// stop has the daemon stand still for a while, just after an effect, which may be its own.
func (r *replica) stop(d time.Duration) {
	before := r.size()
	for range 1000 {
		if r.size() != before {
			break
		}
		time.Sleep(500 * time.Microsecond)
	}
	r.daemon.signal(syscall.SIGSTOP)
	time.Sleep(d)
	r.daemon.signal(syscall.SIGCONT)
}

// size is that of the book.
func (r *replica) size() int64 {
	info, err := os.Stat(r.book)
	if err != nil {
		return 0 // nothing is in it yet
	}
	return info.Size()
}

// replicas runs daemons on one database, whose clocks are so far ahead, the first one's the farthest.
func replicas(t *testing.T, folder string, number uint64, ahead ...time.Duration) error {
	t.Helper()
	w := newWorld(folder, newDatabase(t), *seedFlag, number)
	w.stopped, w.insist, w.crowd, w.rest = true, true, 2, 20*time.Millisecond
	all := make([]*replica, len(ahead))
	clients := make([]*client.Client, len(ahead))
	for i := range all {
		g, err := newGate()
		if err != nil {
			return err
		}
		t.Cleanup(g.close)
		all[i] = &replica{
			world: w, random: rand.New(rand.NewPCG(*seedFlag, number<<8|uint64(i))), gate: g, ahead: ahead[i],
			log: filepath.Join(folder, fmt.Sprintf("log%d", i)), did: map[string]int{},
		}
		if clients[i], err = w.dial(g.addr()); err != nil {
			return err
		}
		t.Cleanup(func() { _ = clients[i].Close() })
		if err := all[i].start(""); err != nil {
			return err
		}
		t.Cleanup(func() { all[i].daemon.kill() })
	}
	killed, err := w.among(t.Context(), all, clients)
	if err != nil {
		return err
	}
	for _, r := range all {
		if err := r.start(""); err != nil {
			return err
		}
	}
	_, late := settle(t.Context(), clients[0], longestLease+settling)
	took := time.Since(killed)
	for _, r := range all[1:] { // where clocks differ, another one may take for abandoned what is under way
		r.daemon.kill()
	}
	reports, states := w.audit(t.Context(), clients[0])
	requests, _ := w.carrier.Requests() // as the audit read it
	chaos := map[string]int{}
	for _, r := range all {
		for what, n := range r.did {
			chaos[what] += n
		}
	}
	t.Logf("seed %d, clocks %v: %d operations, %d requests to the carrier\nchaos: %v\nanswers and moves: %v\nended: %v\n"+
		"slowest end: %v after the last kill",
		*seedFlag, ahead, len(w.intents), len(requests), chaos, w.counts, states, took.Round(time.Millisecond))
	return broken(late, reports)
}

// among calls while the daemons are killed and stopped, and in the end kills all of them.
func (w *world) among(ctx context.Context, all []*replica, clients []*client.Client) (killed time.Time, err error) {
	calling, leave := context.WithCancel(ctx)
	defer leave()
	w.focus(0, anything)
	wait := w.callers(calling, replicaCallers, clients...)
	chaos, calm := context.WithTimeout(ctx, *chaosFlag)
	defer calm()
	var running sync.WaitGroup
	errs := make([]error, len(all))
	for i, r := range all {
		running.Go(func() { errs[i] = r.chaos(chaos) })
	}
	for range replicaKeys { // all the time
		w.more()
		pause(chaos, *chaosFlag/replicaKeys)
	}
	running.Wait()
	for _, r := range all { // in the middle of all calls
		r.daemon.kill()
		r.gate.lead("")
	}
	killed = time.Now()
	leave()
	wait()
	return killed, errors.Join(errs...)
}

// TestReplicas has several daemons on one database, of which some are killed, and some stand still until others have taken over
// what they were doing.
func TestReplicas(t *testing.T) {
	t.Parallel()
	tests := map[string][]time.Duration{
		"one clock":           {0, 0, 0},
		"a clock that is off": {time.Hour, 0, -time.Hour},
	}
	for name, ahead := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := keep(t)
			if err := replicas(t, folder, uint64(len(name)), ahead...); err != nil {
				t.Fatalf("seed %d, kept in %s\n%v", *seedFlag, folder, err)
			}
			_ = os.RemoveAll(folder)
		})
	}
}
