package server_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
)

func TestReconcileOperation(t *testing.T) {
	t.Parallel()
	truth := server.NotFound[out]()
	s := lossy()
	s.recover = func(context.Context, *server.Op, in) (server.Recovered[out], error) { return truth, nil }
	d := newDesk(t, s)
	reconcile := func(who, id string) (*servicev1.Operation, error) {
		response, err := d.client.ReconcileOperation(as(t, who), &servicev1.ReconcileOperationRequest{Operation: byID(id)})
		return response.GetOperation(), err
	}
	id := d.call(t, "alice@acme", "t", "k", `{"id":"a","n":1}`)
	other := d.call(t, "alice@acme", "t", "l", `{"id":"a","n":1}`)
	s.hooks()
	if got, err := reconcile("alice@acme", id); err != nil || got.GetState() != stateUnknown || s.count("recover") != 1 {
		t.Errorf("not found: got %v, %v after %d looks", got, err, s.count("recover"))
	}
	if _, err := reconcile("bob@acme", id); errs.CodeOf(err) != errs.CodeOperationNotFound {
		t.Errorf("of another: got %v", err)
	}
	truth = server.Committed(out{ID: "found"})
	for range 2 { // the second finds it done
		if got, err := reconcile("alice@acme", id); err != nil || got.GetState() != stateDone || got.GetContradicted() {
			t.Errorf("found: got %v, %v", got, err)
		}
	}
	if hooks := s.hooks(); !slices.Equal(hooks, []string{"recover", "recover"}) {
		t.Errorf("hooks %v", hooks)
	}
	// One that was closed turns out to have taken effect.
	d.close(t, other)
	if got, err := reconcile("op@acme", other); err != nil || got.GetState() != stateDone || !got.GetContradicted() {
		t.Errorf("closed: got %v, %v", got, err)
	}
	d.ledger.cut()
	if _, err := reconcile("alice@acme", id); saidBy(err) != (said{errs.CodeLedgerUnavailable, 0}) {
		t.Errorf("no ledger: got %v", err)
	}
}

// TestReconcileThrottled looks again only after the interval.
func TestReconcileThrottled(t *testing.T) {
	t.Parallel()
	s := lossy()
	s.recover = func(context.Context, *server.Op, in) (server.Recovered[out], error) {
		return server.NotFound[out](), nil
	}
	d := newDesk(t, s, server.WithRecheckInterval(time.Minute))
	id := d.call(t, "alice@acme", "t", "k", `{"id":"a","n":1}`)
	for i, looks := range []int{1, 1, 2, 2} { // the first one is of the call
		if i == 2 {
			d.clock.Advance(time.Minute)
		}
		response, err := d.client.ReconcileOperation(as(t, "alice@acme"), &servicev1.ReconcileOperationRequest{Operation: byID(id)})
		if got := response.GetOperation(); err != nil || got.GetState() != stateUnknown || s.count("recover") != looks {
			t.Errorf("%d: got %v, %v after %d looks", i, got, err, s.count("recover"))
		}
	}
}

// TestReconcileWithoutHook has a tool that cannot look, and one that is gone: the row says what is known.
func TestReconcileWithoutHook(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	id := d.call(t, "alice@acme", "t", "k", `{"id":"a","n":1}`)
	response, err := d.client.ReconcileOperation(as(t, "alice@acme"), &servicev1.ReconcileOperationRequest{Operation: byKey("t", "k")})
	if got := response.GetOperation(); err != nil || got.GetId() != id || got.GetState() != stateUnknown {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestReconcileAbandoned ends the wait for the sweeper, where a process is gone.
func TestReconcileAbandoned(t *testing.T) {
	t.Parallel()
	d := newDesk(t, &script{})
	key := ledger.Key{Tenant: "acme", Scope: "alice", Tool: "t", Key: "k"}
	claim := ledger.Claim{
		Key: key, ID: "op_x", Attempt: "at_x", Principal: "alice", Lease: time.Second, Immediate: &ledger.Crossing{Lease: time.Second},
	}
	if _, ok, err := d.ledger.Ledger.Claim(t.Context(), claim); !ok || err != nil {
		t.Fatal(ok, err)
	}
	for _, state := range []servicev1.OperationState{stateEffect, stateUnknown} {
		response, err := d.client.ReconcileOperation(as(t, "alice@acme"), &servicev1.ReconcileOperationRequest{Operation: byID("op_x")})
		if got := response.GetOperation(); err != nil || got.GetState() != state {
			t.Errorf("got %v, %v", got, err)
		}
		d.clock.Advance(time.Second)
	}
}

// close closes an operation of acme as not applied, with a ledger for which an hour has passed.
func (d *desk) close(t *testing.T, id string) {
	t.Helper()
	d.clock.Advance(time.Hour)
	_, err := d.client.ResolveOperation(as(t, "op@acme"), &servicev1.ResolveOperationRequest{
		Id: id, Resolution: servicev1.OperationResolution_OPERATION_RESOLUTION_NOT_APPLIED, Reason: "the bank says so",
	})
	if err != nil {
		t.Fatal(err)
	}
}
