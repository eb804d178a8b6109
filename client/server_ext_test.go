package client_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/tcptest"
	"github.com/remedyrpc/remedy/server"
)

// shop is a real service whose one effect loses the connection of its caller the first time.
type shop struct {
	*tcptest.Server

	effects atomic.Int64
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{}
	cancel := server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[CancelOrder, Cancelled]{
		Execute: func(_ context.Context, _ *server.Op, in CancelOrder) (server.Effect[Cancelled], error) {
			if in.OrderID == "o-2" {
				return nil, shippedAlready.New()
			}
			return func(context.Context) (Cancelled, error) {
				if s.effects.Add(1) == 1 {
					s.Cut()
				}
				return Cancelled{Refund: 1999}, nil
			}, nil
		},
		Errors: []*errs.Definition{shippedAlready},
	})
	look := server.NewReadTool("get_order", "Get one order.", func(_ context.Context, _ *server.Op, in CancelOrder) (CancelOrder, error) {
		return in, nil
	})
	tools, err := server.New([]*server.AnyTool{cancel, look}, server.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		t.Fatal(err)
	}
	s.Server = tcptest.Serve(t, func(r grpc.ServiceRegistrar) { tools.Register(r.(*grpc.Server)) }, serverOptions(t)...)
	return s
}

// TestLostAnswerOfARealService is the promise: equal retries converge on one result, and the effect happens once.
func TestLostAnswerOfARealService(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	order := CancelOrder{OrderID: "o-1"}

	t.Run("the caller sends it again", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		c := dial(t, s.Addr)
		first, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", order)
		lost, ok := errors.AsType[*errs.OutcomeUnknownError](err)
		if !ok || !lost.Inferred || errs.Retryable(err) || first.OperationKey == "" {
			t.Fatalf("got %+v, %v", first, err)
		}
		second, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", order, client.WithOperationKey(first.OperationKey))
		if err != nil || !second.Replayed || second.Output.Refund != 1999 || s.effects.Load() != 1 {
			t.Errorf("got %+v, %v, after %d effects", second, err, s.effects.Load())
		}
		if first.OperationID != "" && first.OperationID != second.OperationID { // its header may have been lost, too
			t.Errorf("operation %s, then %s", first.OperationID, second.OperationID)
		}
	})
	t.Run("the client sends it again", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		c := dial(t, s.Addr, client.WithLedger(), client.WithRetry(client.Retry{InitialBackoff: time.Millisecond}))
		result, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", order)
		if err != nil || !result.Replayed || result.Output.Refund != 1999 || s.effects.Load() != 1 {
			t.Errorf("got %+v, %v, after %d effects", result, err, s.effects.Load())
		}
	})
	t.Run("what is known is not retried", func(t *testing.T) {
		t.Parallel()
		s := newShop(t)
		c := dial(t, s.Addr, client.WithLedger(), client.WithRetry(client.Retry{}))
		_, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", CancelOrder{OrderID: "o-2"})
		if !errors.Is(err, shippedAlready.Code()) || errs.EffectOf(err) != errs.EffectNone || status.Code(err) != codes.FailedPrecondition {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a read", func(t *testing.T) {
		t.Parallel()
		result, err := client.Call[CancelOrder, CancelOrder](ctx, dial(t, newShop(t).Addr), "get_order", order, client.WithReadOnly())
		if err != nil || result.Output != order || result.OperationKey != "" {
			t.Errorf("got %+v, %v", result, err)
		}
	})
}
