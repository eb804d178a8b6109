package server

import (
	"context"
	"log/slog"
	"runtime"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/ledger"
)

// failing is a ledger with a fault of its own.
type failing struct {
	ledger.Ledger

	fault func()
}

func (f failing) Record(context.Context, ledger.Hold, ledger.Receipt) (ledger.Row, bool, error) {
	f.fault()
	return ledger.Row{}, false, nil
}

// TestSalvage has the goroutine of an operation past its boundary end in every way: the operation is parked, and the
// process lives.
func TestSalvage(t *testing.T) {
	t.Parallel()
	type value struct{}
	for name, fault := range map[string]func(){"panic": func() { panic("x") }, "exit": runtime.Goexit} {
		tool := NewTool("t", "Does something.", Tool[value, value]{
			Immediate: func(context.Context, *Op, value) (value, error) { return value{}, nil },
			Recover:   func(context.Context, *Op, value) (Recovered[value], error) { return Committed(value{}), nil },
		})
		srv, err := New([]*AnyTool{tool}, WithLogger(slog.New(slog.DiscardHandler)), WithRecheckInterval(0))
		if err != nil {
			t.Fatal(err)
		}
		srv.ledger = failing{srv.ledger, fault}
		for i := range 2 { // in the effect's goroutine, and in that of a second look
			_, err := srv.Call(t.Context(), Call{Tool: "t", OperationKey: "k"})
			if errs.CodeOf(err) != errs.CodeOutcomeUnknown {
				t.Errorf("%s, call %d: got %v", name, i, err)
			}
		}
		<-srv.carrying.idle()
	}
}
