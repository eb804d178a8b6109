package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

// TestVerdicts has calls verify a result one after the other, and looks at what is kept: an ok stays, whatever a replay is
// answered.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	failed := said{errs.CodeVerificationFailed, errs.EffectApplied}
	type step struct {
		verdict server.Verdict
		err     error
		said    said
		kept    ledger.Verdict
		reason  string
	}
	disagrees := step{server.NotVerified(secret), nil, failed, ledger.Failed, "not_verified"}
	breaks := step{"", errors.New(secret), failed, ledger.Failed, "unavailable"}
	agrees := step{server.Verified, nil, said{}, ledger.OK, ""}
	superseded := step{server.Superseded, nil, said{}, ledger.OK, ""}
	late := func(s step) step { // after an ok
		s.kept, s.reason = ledger.OK, ""
		return s
	}
	for name, steps := range map[string][]step{
		"ok, then failed":      {agrees, late(disagrees), late(breaks), agrees},
		"superseded":           {superseded, late(disagrees)},
		"failed, then ok":      {disagrees, disagrees, agrees, late(disagrees)},
		"unavailable, then ok": {breaks, superseded},
		"unavailable, failed":  {breaks, disagrees, breaks},
	} {
		m := memory.New()
		var now step
		s := script{verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) { return now.verdict, now.err }}
		srv := s.shared(t, m)
		for i, step := range steps {
			now = step
			_, err := call(t.Context(), srv, "k", `{"id":"a"}`)
			if saidBy(err) != step.said {
				t.Errorf("%s, call %d: got %v", name, i, err)
			}
			if got := row(t, m); got.Verdict != step.kept || got.VerdictReason != step.reason {
				t.Errorf("%s, call %d: kept %v, %q", name, i, got.Verdict, got.VerdictReason)
			}
		}
		if got := s.count("effect"); got != 1 {
			t.Errorf("%s: %d effects", name, got)
		}
	}
}

// TestNoTimeToVerify has the caller leave while the result is verified: that is no verdict.
func TestNoTimeToVerify(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		s := script{verify: func(ctx context.Context, _ *server.Op, _ in, _ out) (server.Verdict, error) {
			return server.Verified, sleep(ctx, time.Second)
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := call(ctx, s.shared(t, m), "k", `{"id":"a"}`); saidBy(err) != (said{errs.CodeVerificationFailed, errs.EffectApplied}) {
			t.Errorf("got %v", err)
		}
		if got := row(t, m); got.State != ledger.Done || got.Verdict != ledger.Pending {
			t.Errorf("it is %v, verdict %v", got.State, got.Verdict)
		}
	})
}

// TestFirstReceiptStays has two attempts complete one operation with other outputs: everybody gets, and verifies, the first.
func TestFirstReceiptStays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory.New()
		end := make(chan struct{})
		defer release(end)
		s := script{
			effect: func(context.Context, *server.Op, in) (out, error) {
				if _, _, err := m.Record(t.Context(), row(t, m).Hold(), ledger.Receipt{Output: []byte(`{"id":"first"}`)}); err != nil {
					t.Error(err)
				}
				return out{ID: "second"}, nil
			},
			verify: func(_ context.Context, _ *server.Op, _ in, o out) (server.Verdict, error) {
				if o.ID != "first" {
					t.Errorf("verified %+v", o)
				}
				return server.Verified, nil
			},
		}
		srv := s.shared(t, m)
		for range 2 {
			if r, err := call(t.Context(), srv, "k", `{"id":"a"}`); err != nil || string(r.Output) != `{"id":"first"}` {
				t.Errorf("got %s, %v", r.Output, err)
			}
		}
	})
}
