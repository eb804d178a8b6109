package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/ledger"
)

type watching = grpc.ServerStreamingClient[servicev1.WatchOperationResponse]

// begin claims an operation of alice, as an owner elsewhere.
func (d *desk) begin(t *testing.T, id string) ledger.Hold {
	t.Helper()
	got, ok, err := d.ledger.Ledger.Claim(t.Context(), ledger.Claim{
		Key: ledger.Key{Tenant: "acme", Scope: "alice", Tool: "open", Key: "k"},
		ID:  id, Attempt: "at_" + id, Principal: "alice", Lease: time.Minute,
	})
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	return got.Hold()
}

// cross does the same, past the boundary.
func (d *desk) cross(t *testing.T, id string) ledger.Hold {
	t.Helper()
	hold := d.begin(t, id)
	if _, ok, err := d.ledger.Ledger.Cross(t.Context(), hold, ledger.Crossing{Lease: time.Second}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	return hold
}

func (d *desk) watch(ctx context.Context, t *testing.T, name *servicev1.OperationName) watching {
	t.Helper()
	stream, err := d.client.WatchOperation(ctx, &servicev1.WatchOperationRequest{Operation: name})
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

// next is what a watch says next.
func next(t *testing.T, stream watching, state ledger.State) *servicev1.Operation {
	t.Helper()
	response, err := stream.Recv()
	if err != nil || response.GetOperation().GetState() != servicev1.OperationState(state) {
		t.Fatalf("got %v, %v, want %v", response, err, state)
	}
	return response.GetOperation()
}

func ends(t *testing.T, stream watching) {
	t.Helper()
	if response, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("got %v, %v, want the end", response, err)
	}
}

// TestWatchOperation follows an operation through every move to its end.
func TestWatchOperation(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	hold := d.begin(t, "op_1")
	alices, operators := d.watch(as(t, "alice@acme"), t, byID("op_1")), d.watch(as(t, "op@acme"), t, byID("op_1"))
	both := func(state ledger.State) {
		t.Helper()
		a, b := next(t, alices, state), next(t, operators, state)
		if a.GetId() != "op_1" || b.GetId() != "op_1" {
			t.Errorf("got %v and %v", a, b)
		}
	}
	made := func(_ ledger.Row, ok bool, err error) {
		t.Helper()
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	l := d.ledger.Ledger
	both(ledger.Claimed)
	made(l.Cross(t.Context(), hold, ledger.Crossing{Lease: time.Second}))
	both(ledger.Effect)
	made(l.Park(t.Context(), hold, "lost"))
	both(ledger.Unknown)
	made(l.Record(t.Context(), hold, ledger.Receipt{Output: []byte(`{"id":"a"}`)}))
	last := next(t, alices, ledger.Done)
	if last.GetResult().GetOutputJson() != `{"id":"a"}` || len(last.GetTrail()) != 4 {
		t.Errorf("got %v", last)
	}
	ends(t, alices)
	next(t, operators, ledger.Done)
	ends(t, operators)
	again := d.watch(as(t, "alice@acme"), t, byID("op_1"))
	next(t, again, ledger.Done)
	ends(t, again)
}

// TestWatchEnds has an operation be closed, freed, and freed with its key taken by another one at once.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	t.Run("closed", func(t *testing.T) {
		t.Parallel()
		d := newDesk(t, lossy())
		hold := d.cross(t, "op_1")
		stream := d.watch(as(t, "alice@acme"), t, byID("op_1"))
		next(t, stream, ledger.Effect)
		if _, _, err := d.ledger.Ledger.Park(t.Context(), hold, "lost"); err != nil {
			t.Fatal(err)
		}
		next(t, stream, ledger.Unknown)
		d.close(t, "op_1")
		next(t, stream, ledger.Closed)
		ends(t, stream)
	})
	for _, taken := range []bool{false, true} {
		t.Run(fmt.Sprintf("freed, taken %v", taken), func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, lossy())
			hold := d.begin(t, "op_1")
			stream := d.watch(as(t, "alice@acme"), t, byKey("open", "k"))
			next(t, stream, ledger.Claimed)
			if _, _, err := d.ledger.Ledger.Free(t.Context(), hold, ledger.Failure{Code: "slot_stale"}); err != nil {
				t.Fatal(err)
			}
			if taken {
				d.begin(t, "op_2")
			}
			if last := next(t, stream, ledger.Free); last.GetId() != "op_1" || len(last.GetTrail()) != 2 {
				t.Errorf("got %v", last)
			}
			ends(t, stream)
		})
	}
}

func TestWatchIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	d.begin(t, "op_1")
	for who, name := range map[string]*servicev1.OperationName{
		"bob@acme": byID("op_1"), "alice@other": byID("op_1"), "alice@acme": byID("op_2"),
	} {
		if response, err := d.watch(as(t, who), t, name).Recv(); errs.CodeOf(err) != errs.CodeOperationNotFound {
			t.Errorf("%s: got %v, %v", who, response, err)
		}
	}
}

// TestWatchShutdown has the server stop: who watches is told, and asks again.
func TestWatchShutdown(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	d.begin(t, "op_1")
	stream := d.watch(as(t, "alice@acme"), t, byID("op_1"))
	next(t, stream, ledger.Claimed)
	stop(t, d.srv)
	if response, err := stream.Recv(); saidBy(err) != (said{errs.CodeShuttingDown, 0}) || errs.RetryOf(err) != errs.AsIs {
		t.Errorf("got %v, %v", response, err)
	}
	if response, err := d.watch(as(t, "alice@acme"), t, byID("op_1")).Recv(); errs.CodeOf(err) != errs.CodeShuttingDown {
		t.Errorf("afterwards: got %v, %v", response, err)
	}
}

// TestWatchSlowly reads nothing while an operation changes often: what comes is in order, and the last is the end.
func TestWatchSlowly(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	hold := d.cross(t, "op_1")
	stream := d.watch(as(t, "alice@acme"), t, byID("op_1"))
	next(t, stream, ledger.Effect)
	l := d.ledger.Ledger
	for i := range 200 {
		d.clock.Advance(2 * time.Second)
		recovery := ledger.Recovery{Key: hold.Key, Attempt: fmt.Sprint("at", i), Lease: time.Second}
		if _, ok, err := l.Recover(t.Context(), recovery); !ok || err != nil {
			t.Fatal(ok, err)
		}
	}
	now, err := l.Find(t.Context(), "acme", "op_1")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok, err := l.Record(t.Context(), now.Hold(), ledger.Receipt{Output: []byte(`{}`)}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var fences []int64
	var last *servicev1.Operation
	for {
		response, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		last = response.GetOperation()
		fences = append(fences, last.GetTrail()[len(last.GetTrail())-1].GetFence())
	}
	if last.GetState() != stateDone || !slices.IsSorted(fences) {
		t.Errorf("got %v, fences %v", last.GetState(), fences)
	}
}

// waits is a ledger that tells when a wait has ended.
type waits struct {
	ledger.Ledger

	begun, ended chan struct{}
}

func (w waits) Wait(ctx context.Context, key ledger.Key, version int64) error {
	w.begun <- struct{}{}
	defer func() { w.ended <- struct{}{} }()
	return w.Ledger.Wait(ctx, key, version)
}

// TestWatchIsLeft has a client go: nothing goes on for it.
func TestWatchIsLeft(t *testing.T) {
	t.Parallel()
	var s script
	d := newDesk(t, &s)
	w := waits{d.ledger, make(chan struct{}, 1), make(chan struct{}, 1)}
	_, conn := serve(t, s.shared(t, w))
	if _, ok, err := d.ledger.Ledger.Claim(t.Context(), ledger.Claim{
		Key: ledger.Key{Tool: "t", Key: "k"}, ID: "op_1", Attempt: "at", Lease: time.Minute,
	}); !ok || err != nil {
		t.Fatal(ok, err)
	}
	ctx, leave := context.WithCancel(t.Context())
	stream, err := servicev1.NewOperationServiceClient(conn).WatchOperation(ctx, &servicev1.WatchOperationRequest{Operation: byID("op_1")})
	if err != nil {
		t.Fatal(err)
	}
	next(t, stream, ledger.Claimed)
	<-w.begun
	leave()
	<-w.ended
	if _, err := stream.Recv(); status.Code(err) != codes.Canceled {
		t.Errorf("got %v", err)
	}
}
