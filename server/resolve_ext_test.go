package server_test

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

const (
	applied = servicev1.OperationResolution_OPERATION_RESOLUTION_APPLIED
	not     = servicev1.OperationResolution_OPERATION_RESOLUTION_NOT_APPLIED
)

func (d *desk) resolve(
	t *testing.T, who, id string, resolution servicev1.OperationResolution, output string,
) (*servicev1.Operation, error) {
	t.Helper()
	response, err := d.client.ResolveOperation(as(t, who), &servicev1.ResolveOperationRequest{
		Id: id, Resolution: resolution, Reason: "the bank says so", OutputJson: output,
	})
	return response.GetOperation(), err
}

func TestResolveApplied(t *testing.T) {
	t.Parallel()
	for _, output := range []string{"", `{"id":"seen"}`} {
		s := lossy()
		d := newDesk(t, s)
		id := d.call(t, "alice@acme", "open", "k", `{"id":"a","n":1}`)
		for range 2 { // twice the same
			got, err := d.resolve(t, "op@acme", id, applied, output)
			if err != nil || got.GetState() != stateDone || got.GetResult().GetOutputJson() != output {
				t.Fatalf("got %v, %v", got, err)
			}
			last := got.GetTrail()[len(got.GetTrail())-1]
			if last.GetActor() != "op" || last.GetNote() != "the bank says so" {
				t.Errorf("the trail ends with %v", last)
			}
		}
		response, err := d.tools.CallTool(as(t, "alice@acme"), &servicev1.CallToolRequest{
			Tool: "open", OperationKey: "k", Input: &servicev1.CallToolRequest_InputJson{InputJson: `{"id":"a","n":1}`},
		})
		r := response.GetResult()
		if err != nil || !r.GetReplayed() || r.GetOutputOmitted() != (output == "") || r.GetOutputJson() != output || s.count("effect") != 1 {
			t.Errorf("the caller: got %v, %v", r, err)
		}
		if got, err := d.resolve(t, "op@acme", id, applied, `{"id":"other"}`); errs.CodeOf(err) != "operation_not_in_doubt" {
			t.Errorf("another output: got %v, %v", got, err)
		}
		_, err = d.resolve(t, "op@acme", id, not, "")
		if errs.CodeOf(err) != "operation_not_in_doubt" || status.Code(err) != codes.FailedPrecondition {
			t.Errorf("the other decision: got %v", err)
		}
	}
}

func TestResolveNotApplied(t *testing.T) {
	t.Parallel()
	s := lossy()
	d := newDesk(t, s)
	id := d.call(t, "alice@acme", "t", "k", `{"id":"a","n":1}`)
	_, err := d.resolve(t, "op@acme", id, not, "")
	if after, ok := errs.RetryAfterOf(err); saidBy(err) != (said{errs.CodeOperationInFlight, 0}) || !ok || after <= 0 {
		t.Errorf("too early: got %v", err)
	}
	if got := d.ledger.count("resolve"); got != 1 {
		t.Errorf("what was answered was asked for %d times", got)
	}
	d.clock.Advance(40 * time.Second)
	for range 2 { // twice the same
		got, err := d.resolve(t, "op@acme", id, not, "")
		if err != nil || got.GetState() != stateClosed || got.GetReason() != "the bank says so" {
			t.Errorf("got %v, %v", got, err)
		}
	}
	if _, err := d.resolve(t, "op@acme", id, applied, ""); errs.CodeOf(err) != "operation_not_in_doubt" {
		t.Errorf("the other decision: got %v", err)
	}
	_, err = d.tools.CallTool(as(t, "alice@acme"), &servicev1.CallToolRequest{
		Tool: "t", OperationKey: "k", Input: &servicev1.CallToolRequest_InputJson{InputJson: `{"id":"a","n":1}`},
	})
	if saidBy(err) != (said{errs.CodeOperationClosed, 0}) || errs.InfoOf(err).OperationID != id || s.count("effect") != 1 {
		t.Errorf("the caller: got %v after %d effects", err, s.count("effect"))
	}
}

func TestResolveIsRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	done := d.call(t, "alice@acme", "t", "done", `{"id":"a"}`)
	id := d.call(t, "alice@acme", "t", "k", `{"id":"a","n":1}`)
	d.clock.Advance(time.Hour)
	for name, test := range map[string]struct {
		who, id, output string
		resolution      servicev1.OperationResolution
		code            errs.Code
	}{
		"not an operator":               {"alice@acme", id, "", applied, errs.CodeAuthorizationDenied},
		"of another":                    {"bob@acme", id, "", applied, errs.CodeOperationNotFound},
		"an operator of another tenant": {"op@other", id, "", applied, errs.CodeOperationNotFound},
		"no such operation":             {"op@acme", "op_x", "", applied, errs.CodeOperationNotFound},
		"done":                          {"op@acme", done, "", not, "operation_not_in_doubt"},
		"no decision":                   {"op@acme", id, "", 0, errs.CodeInvalidInput},
		"no JSON":                       {"op@acme", id, "{", applied, errs.CodeInvalidInput},
		"not what the tool returns":     {"op@acme", id, `{"id":7}`, applied, errs.CodeInvalidInput},
		"an output of nothing":          {"op@acme", id, `{"id":"a"}`, not, errs.CodeInvalidInput},
	} {
		if got, err := d.resolve(t, test.who, test.id, test.resolution, test.output); errs.CodeOf(err) != test.code {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if got, err := d.get(t, "alice@acme", byID(id)); err != nil || got.GetState() != stateUnknown {
		t.Errorf("afterwards: got %v, %v", got, err)
	}
	if got, err := d.resolve(t, "op@acme", done, applied, ""); err != nil || got.GetState() != stateDone {
		t.Errorf("what is known already: got %v, %v", got, err)
	}
}
