package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"google.golang.org/grpc"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
)

const (
	executeTool   = "cancel_order"
	immediateTool = "cancel_order_now"
	order         = `{"orderId":"ord_1"}`
)

type cancelInput struct {
	OrderID string `json:"orderId"`
}

type cancelOutput struct {
	OrderID string `json:"orderId"`
	State   string `json:"state"`
	Refund  refund `json:"refund"`
}

type refund struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// cancel is the effect, which costs nothing.
func cancel(in cancelInput) cancelOutput {
	return cancelOutput{OrderID: in.OrderID, State: "cancelled", Refund: refund{Amount: "12.50", Currency: "EUR"}}
}

// tools serves the two tools over a ledger, and returns a connection to them.
func (c *closers) tools(ctx context.Context, l ledger.Ledger) (*grpc.ClientConn, error) {
	three := server.NewTool(executeTool, "Cancels an order.", server.Tool[cancelInput, cancelOutput]{
		Execute: func(_ context.Context, _ *server.Op, in cancelInput) (server.Effect[cancelOutput], error) {
			return func(context.Context) (cancelOutput, error) { return cancel(in), nil }, nil
		},
	})
	two := server.NewTool(immediateTool, "Cancels an order.", server.Tool[cancelInput, cancelOutput]{
		Immediate: func(_ context.Context, _ *server.Op, in cancelInput) (cancelOutput, error) { return cancel(in), nil },
	})
	srv, err := server.New([]*server.AnyTool{three, two}, server.WithLedger(l), server.WithStopDelay(0),
		server.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, err
	}
	core, err := interceptors.ServerOptions()
	if err != nil {
		return nil, err
	}
	conn, stop, err := connect(ctx, "bufconn", srv.Register, core, nil)
	if err != nil {
		return nil, err
	}
	c.add(func() error { return srv.Shutdown(context.WithoutCancel(ctx), stopper(stop)) })
	return conn, nil
}

// stopper stops a gRPC server that nobody calls any more.
type stopper func()

func (s stopper) GracefulStop() { s() }
func (s stopper) Stop()         { s() }

// fresh calls a tool under a key that is new, and again under one that is not.
func fresh(ctx context.Context, conn *grpc.ClientConn, tool, key string) error {
	return call(ctx, conn, tool, key, false)
}

func again(ctx context.Context, conn *grpc.ClientConn, tool, key string) error {
	return call(ctx, conn, tool, key, true)
}

func call(ctx context.Context, conn *grpc.ClientConn, tool, key string, replayed bool) error {
	answer, err := servicev1.NewToolServiceClient(conn).CallTool(ctx, &servicev1.CallToolRequest{
		Tool: tool, OperationKey: key, Input: &servicev1.CallToolRequest_InputJson{InputJson: order},
	})
	if err != nil {
		return err
	}
	if r := answer.GetResult(); r.GetOutputJson() == "" || r.GetOperationId() == "" || r.GetReplayed() != replayed {
		return fmt.Errorf("the answer to %s is %v", key, r)
	}
	return nil
}

// handler is a tool by hand: it does something for a key, and answers.
type handler struct {
	servicev1.UnimplementedToolServiceServer

	do func(ctx context.Context, key string) error
}

func (h handler) CallTool(ctx context.Context, r *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	if err := h.do(ctx, r.GetOperationKey()); err != nil {
		return nil, err
	}
	return &servicev1.CallToolResponse{Result: &servicev1.ToolResult{
		Output: &servicev1.ToolResult_OutputJson{OutputJson: output()}, OperationId: r.GetOperationKey(),
	}}, nil
}

func output() string {
	text, err := json.Marshal(cancel(cancelInput{OrderID: "ord_1"}))
	if err != nil {
		return ""
	}
	return string(text)
}

// moves is what the server asks of the ledger, and nothing else of the server.
func moves(ctx context.Context, l ledger.Ledger, key string) error {
	text := []byte(output())
	sum := sha256.Sum256([]byte(order))
	row, ok, err := l.Claim(ctx, ledger.Claim{
		Key: ledger.Key{Tenant: "bare", Scope: "bare", Tool: executeTool, Key: key}, ID: operationID(),
		Attempt: "at_" + rand.Text(), Sent: sum, Prepared: sum, Lease: time.Minute,
	})
	if err == nil && ok {
		row, ok, err = l.Cross(ctx, row.Hold(), ledger.Crossing{Lease: time.Minute})
	}
	if err == nil && ok {
		row, ok, err = l.Record(ctx, row.Hold(), ledger.Receipt{Output: text, Size: int64(len(text)), Hash: sha256.Sum256(text)})
	}
	if err == nil && !ok {
		err = fmt.Errorf("the operation %s is %v", key, row.State)
	}
	return err
}

// floor is a table of operations by hand: state 2 is claimed, 3 is crossed, 4 is done. Each statement changes one row, and is
// durable when it returns.
type floor interface {
	insert(ctx context.Context, key, id string, state int64, sent []byte) error
	cross(ctx context.Context, key string) error
	receive(ctx context.Context, key, output string) error
	close() error
}

// statements is what a handler by hand does for one key: three statements, or two.
func statements(ctx context.Context, f floor, key string, n int) error {
	sum := sha256.Sum256([]byte(order))
	state := int64(2)
	if n == 2 {
		state = 3
	}
	if err := f.insert(ctx, key, operationID(), state, sum[:]); err != nil {
		return err
	}
	if state == 2 {
		if err := f.cross(ctx, key); err != nil {
			return err
		}
	}
	return f.receive(ctx, key, output())
}

// operationID begins with the time, as those of the server do.
func operationID() string {
	return fmt.Sprintf("op_%012x%s", time.Now().UnixMilli(), rand.Text()[:14])
}
