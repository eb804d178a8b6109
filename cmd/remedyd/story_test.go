//go:build unix

package main

import (
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// later starts a daemon after the leases of the one before are out.
const later = "REMEDY_CRASH_CLOCK=10m"

// lost ships a parcel with a daemon that is killed at a place.
func (w *world) lost(tool, place string) {
	w.Helper()
	p := w.start("REMEDY_CRASH_AT=" + place)
	_, err := p.ship(w.Context(), tool, "k1")
	if unknown, ok := errors.AsType[*errs.OutcomeUnknownError](err); !ok || unknown.OperationKey != "k1" {
		w.Fatalf("the answer was lost: got %v", err)
	}
	p.killed(w.T)
}

// TestStory is the promise: the effect took place, its answer was lost with the process, and an equal retry gets the receipt.
func TestStory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.lost("ship_tracked", "effect.after")
	requests := w.requests()
	if len(requests) != 1 || requests[0].OperationKey != "k1" {
		t.Fatalf("the carrier was asked for %+v", requests)
	}
	id := requests[0].OperationID

	p := w.start(later)
	first, err := p.ship(t.Context(), "ship_tracked", "k1")
	if err != nil || !first.Replayed || !first.Verified || first.OperationID != id || first.Output.Tracking != id {
		t.Errorf("the retry: got %+v, %v", first, err)
	}
	p.stop(t)

	p = w.start(later)
	again, err := p.ship(t.Context(), "ship_tracked", "k1")
	if err != nil || !again.Replayed || again.Output != first.Output || !again.FirstCompletedAt.Equal(first.FirstCompletedAt) {
		t.Errorf("another retry: got %+v, %v, want %+v", again, err, first)
	}
	p.stop(t)
	if n := len(w.requests()); n != 1 {
		t.Errorf("the carrier was asked %d times", n)
	}
}

// TestPlaces kills the daemon at other places. A retry ends with one effect wherever it was.
func TestPlaces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		tool, place string
		replayed    bool // the effect took place before the end
		requests    int
	}{
		{"ship_tracked", "claim.before", false, 1},
		{"ship_tracked", "claim.after", false, 1},
		{"ship_tracked", "cross.before", false, 1},
		{"ship_tracked", "record.before", true, 1},
		{"ship_tracked", "record.after", true, 1},
		{"ship_untracked", "record.after", true, 1},
		{"ship_now", "effect.after", true, 1},
		{"ship_once", "effect.before", false, 1},
		{"ship_once", "effect.after", false, 2}, // of one operation: the carrier ships one parcel
	}
	for _, test := range tests {
		t.Run(test.tool+" "+test.place, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.lost(test.tool, test.place)
			p := w.start(later, "REMEDY_SWEEP_INTERVAL=0s") // nobody but the retry works on it
			result, err := p.ship(t.Context(), test.tool, "k1")
			if err != nil || result.Replayed != test.replayed {
				t.Errorf("the retry: got %+v, %v", result, err)
			}
			requests := w.requests()
			for _, r := range requests {
				if r.OperationID != result.OperationID {
					t.Errorf("the carrier was asked for operation %s, and the receipt is of %s", r.OperationID, result.OperationID)
				}
			}
			if len(requests) != test.requests {
				t.Errorf("the carrier was asked %d times, want %d", len(requests), test.requests)
			}
			p.stop(t)
		})
	}
}

// TestDoubt has a tool that nobody can look up: an equal retry never has the effect again, and an operator ends the doubt by what
// the carrier says.
func TestDoubt(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, place string
		shipped     int
	}{
		{"applied", "effect.after", 1},
		{"not applied", "effect.before", 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.lost("ship_untracked", test.place)
			p := w.start(later)
			var id string
			for range 2 {
				_, err := p.ship(t.Context(), "ship_untracked", "k1")
				unknown, ok := errors.AsType[*errs.OutcomeUnknownError](err)
				if !ok || unknown.OperationID == "" {
					t.Fatalf("the retry: got %v", err)
				}
				id = unknown.OperationID
			}
			got, err := p.operations.GetOperation(t.Context(), &servicev1.GetOperationRequest{
				Operation: &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: id}},
			})
			if state := got.GetOperation().GetState(); err != nil || state != servicev1.OperationState_OPERATION_STATE_UNKNOWN {
				t.Errorf("got %v, %v", got, err)
			}

			found := w.requests()
			if len(found) != test.shipped {
				t.Fatalf("the carrier was asked %d times", len(found))
			}
			resolve := &servicev1.ResolveOperationRequest{
				Id: id, Reason: "looked into the book", Resolution: servicev1.OperationResolution_OPERATION_RESOLUTION_NOT_APPLIED,
			}
			if test.shipped > 0 {
				resolve.Resolution = servicev1.OperationResolution_OPERATION_RESOLUTION_APPLIED
				resolve.OutputJson = `{"parcel":"p1","tracking":"` + found[0].OperationID + `"}`
			}
			if _, err := p.operations.ResolveOperation(t.Context(), resolve); err != nil {
				t.Fatal(err)
			}
			result, err := p.ship(t.Context(), "ship_untracked", "k1")
			if test.shipped > 0 && (err != nil || !result.Replayed || result.Output.Tracking != id) ||
				test.shipped == 0 && errs.CodeOf(err) != errs.CodeOperationClosed {
				t.Errorf("after the decision: got %+v, %v", result, err)
			}
			if n := len(w.requests()); n != test.shipped {
				t.Errorf("the carrier was asked %d times", n)
			}
			p.stop(t)
		})
	}
}

// TestSecondSignal has two signals while a daemon waits for its end.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	p := newWorld(t).startWith([]string{"--stop-delay", "1h", "--stop-timeout", "2h"})
	ended := make(chan syscall.WaitStatus, 1)
	go func() { ended <- p.wait() }()
	tick := time.NewTicker(20 * time.Millisecond) // signals that come at once are one
	defer tick.Stop()
	for {
		select {
		case status := <-ended:
			if !status.Signaled() || status.Signal() != syscall.SIGTERM {
				t.Errorf("got %v", status)
			}
			return
		case <-tick.C:
			_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may just have ended
		}
	}
}
