package server_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// progress is what a row says of how far its operation is; nil for nothing.
func progress(t *testing.T, row ledger.Row) *servicev1.OperationProgress {
	t.Helper()
	if len(row.Progress) == 0 {
		return nil
	}
	var p servicev1.OperationProgress
	if err := proto.Unmarshal(row.Progress, &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

// TestProgress has an effect say how far it is more often than that is written: the first word at once, and then the latest
// of each second. When the operation has ended there is nothing left of it, and nobody listens any more.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var kept *server.Op
		s := script{
			execute: func(_ context.Context, op *server.Op, _ in) error {
				op.Progress(0, 0, "preparing")
				time.Sleep(time.Millisecond)
				return nil
			},
			effect: func(_ context.Context, op *server.Op, i in) (out, error) {
				kept = op
				for n := range 30 {
					op.Progress(float64(n), 30, "copying")
					time.Sleep(100 * time.Millisecond)
				}
				return out(i), nil
			},
		}
		f := newFaulty(memory.New())
		srv := s.server(t, server.WithLedger(f))
		done := make(chan error, 1)
		go func() { _, err := call(t.Context(), srv, "k", `{"id":"a"}`); done <- err }()
		synctest.Wait()
		for i, want := range []*servicev1.OperationProgress{
			{Message: "preparing"}, {Done: 10, Total: 30, Message: "copying"}, {Done: 20, Total: 30, Message: "copying"},
		} {
			got := progress(t, row(t, f))
			if got == nil || got.GetDone() < want.GetDone()-1 || got.GetDone() > want.GetDone() || got.GetTotal() != want.GetTotal() ||
				got.GetMessage() != want.GetMessage() || got.GetTime().AsTime().IsZero() {
				t.Errorf("after %d s: got %v, want %v", i, got, want)
			}
			time.Sleep(time.Second + time.Millisecond)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		ended := row(t, f)
		if progress(t, ended) != nil || ended.State != ledger.Done {
			t.Errorf("afterwards: got %v", ended)
		}
		written := f.count("progress")
		kept.Progress(1, 1, "late")
		time.Sleep(time.Minute)
		if got := f.count("progress"); got != written || got > 5 {
			t.Errorf("written %d times, and then %d", written, got)
		}
	})
}

// TestProgressIsKept shows how far an operation was that was lost, in a ledger that did not answer all the time, and of what
// was said only what can be shown.
func TestProgressIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := script{effect: func(_ context.Context, op *server.Op, _ in) (out, error) {
			op.Progress(1, 2, "not written")
			time.Sleep(1500 * time.Millisecond)
			op.Progress(math.Inf(1), math.NaN(), "line\nbreak "+strings.Repeat("ä", 200))
			time.Sleep(time.Second)
			return out{}, errors.New("lost")
		}}
		f := newFaulty(memory.New())
		f.breaks("progress", lostBefore, 1)
		srv := s.server(t, server.WithLedger(f))
		_, _ = call(t.Context(), srv, "k", `{"id":"a"}`)
		got := progress(t, row(t, f))
		if row(t, f).State != ledger.Unknown || got == nil || got.GetDone() != 0 || got.GetTotal() != 0 {
			t.Fatalf("got %v, %v", got, row(t, f))
		}
		if text := got.GetMessage(); !strings.HasPrefix(text, "line break ä") || len(text) > 256 || len(text) < 254 || !utf8.ValidString(text) {
			t.Errorf("got the message %q", text)
		}
	})
}

// TestProgressElsewhere has hooks that nobody watches say how far they are.
func TestProgressElsewhere(t *testing.T) {
	t.Parallel()
	new(server.Op).Progress(1, 2, "made by hand")
	says := func(op *server.Op) { op.Progress(1, 2, "nobody is told") }
	s := script{
		authorize: func(_ context.Context, op *server.Op, _ in) error { says(op); return nil },
		effect:    func(context.Context, *server.Op, in) (out, error) { return out{}, errors.New("lost") },
		recover: func(_ context.Context, op *server.Op, i in) (server.Recovered[out], error) {
			says(op)
			return server.Committed(out(i)), nil
		},
		verify: func(_ context.Context, op *server.Op, _ in, _ out) (server.Verdict, error) {
			says(op)
			return server.Verified, nil
		},
	}
	read := server.NewReadTool("read", "Reads.", func(_ context.Context, op *server.Op, i in) (out, error) { says(op); return out(i), nil })
	f := newFaulty(memory.New())
	srv := newServer(t, []*server.AnyTool{s.tool("t"), read}, server.WithLedger(f))
	if _, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil {
		t.Error(err)
	}
	if _, err := srv.Call(t.Context(), server.Call{Tool: "read", Input: `{"id":"a"}`}); err != nil {
		t.Error(err)
	}
	if got := f.count("progress"); got != 0 || len(s.hooks()) < 5 {
		t.Errorf("written %d times", got)
	}
}

// TestWatchProgress has whoever watches an operation see how far it is.
func TestWatchProgress(t *testing.T) {
	t.Parallel()
	seen := make(chan struct{})
	s := &script{effect: func(_ context.Context, op *server.Op, i in) (out, error) {
		op.Progress(3, 7, "parcels")
		<-seen
		return out(i), nil
	}}
	d := newDesk(t, s)
	called := make(chan error, 1)
	go func() {
		_, err := d.tools.CallTool(as(t, "alice@acme"), request("k", `{"id":"a"}`))
		called <- err
	}()
	name := &servicev1.OperationName{Name: &servicev1.OperationName_Key{Key: &servicev1.ToolOperation{Tool: "t", OperationKey: "k"}}}
	for told := false; !told; { // until the call has claimed its operation, there is none
		stream := d.watch(as(t, "alice@acme"), t, name)
		for err := error(nil); err == nil && !told; {
			var response *servicev1.WatchOperationResponse
			response, err = stream.Recv()
			p := response.GetOperation().GetProgress()
			told = p.GetDone() == 3 && p.GetTotal() == 7 && p.GetMessage() == "parcels"
		}
	}
	close(seen)
	if err := <-called; err != nil {
		t.Error(err)
	}
	got, err := d.get(t, "alice@acme", name)
	if err != nil || got.GetProgress() != nil || got.GetState() != stateDone {
		t.Errorf("afterwards: got %v, %v", got, err)
	}
}
