package server_test

import (
	"context"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server"
)

func TestPurgeOperation(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	s := lossy()
	ends := s.effect
	s.effect = func(ctx context.Context, op *server.Op, i in) (out, error) {
		if i.N == 4 {
			close(begun)
			<-end
		}
		return ends(ctx, op, i)
	}
	d := newDesk(t, s)
	purge := func(who, id string) (*servicev1.Operation, error) {
		response, err := d.client.PurgeOperation(as(t, who), &servicev1.PurgeOperationRequest{Id: id})
		return response.GetOperation(), err
	}
	id := d.call(t, "alice@acme", "open", "k", `{"id":"hunter2"}`)
	for who, code := range map[string]errs.Code{
		"alice@acme": errs.CodeAuthorizationDenied, "bob@acme": errs.CodeOperationNotFound, "op@other": errs.CodeOperationNotFound,
	} {
		if _, err := purge(who, id); errs.CodeOf(err) != code {
			t.Errorf("%s: got %v", who, err)
		}
	}
	for range 2 {
		got, err := purge("op@acme", id)
		if r := got.GetResult(); err != nil || r.GetOutputJson() != "" || !r.GetOutputOmitted() {
			t.Errorf("got %v, %v", got, err)
		}
	}
	_, err := d.tools.CallTool(as(t, "alice@acme"), &servicev1.CallToolRequest{
		Tool: "open", OperationKey: "k", Input: &servicev1.CallToolRequest_InputJson{InputJson: `{"id":"hunter2"}`},
	})
	if saidBy(err) != (said{errs.CodeOperationExpired, errs.EffectApplied}) || s.count("effect") != 1 {
		t.Errorf("its key: got %v after %d effects", err, s.count("effect"))
	}
	doubt := d.call(t, "alice@acme", "t", "doubt", `{"id":"a","n":1}`)
	if _, err := purge("op@acme", doubt); errs.CodeOf(err) != "operation_in_doubt" || errs.RetryOf(err) != errs.Never {
		t.Errorf("in doubt: got %v", err)
	}
	ended := make(chan string)
	go func() { ended <- d.call(t, "alice@acme", "t", "runs", `{"id":"a","n":4}`) }()
	<-begun
	running, err := d.get(t, "alice@acme", byKey("t", "runs"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := purge("op@acme", running.GetId()); errs.CodeOf(err) != errs.CodeOperationInFlight || errs.RetryOf(err) != errs.AsIs {
		t.Errorf("in flight: got %v", err)
	}
	close(end)
	<-ended
}
