package main

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/interceptors"
)

// fake is a service whose tools fail as their names say.
type fake struct {
	servicev1.UnimplementedToolServiceServer

	calls chan *servicev1.CallToolRequest
}

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
	errs.Headline("The selected slot is no longer available."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")),
	errs.Preserve("operationId"))

// failures are what the tools of the fake answer with, by their names.
func failures() map[string]error {
	return map[string]error{
		"never":   &errs.AuthorizationError{Tool: "never"},
		"as_is":   &errs.ServiceError{Code: errs.CodeOverloaded, RetryAfter: 2 * time.Second},
		"repair":  errs.WithInfo(slotStale.New(), errs.Info{Effect: errs.EffectNone, OperationID: "op-7", ErrorID: "e-7"}),
		"unknown": &errs.OutcomeUnknownError{Tool: "unknown", OperationKey: "k-1", OperationID: "op-8"},
		"foreign": status.Error(codes.FailedPrecondition, "not \x1b[2Jours"),
		"lost":    status.Error(codes.Unavailable, "the connection broke"),
		"broken":  errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal}, errs.Info{ErrorID: "e-9"}),
		"look":    status.Error(codes.Unavailable, "the connection broke"),
		"liar":    status.Error(codes.Unavailable, "the connection broke"),
		"secret":  status.Error(codes.Unavailable, "the connection broke"),
	}
}

func (f *fake) CallTool(ctx context.Context, r *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	f.calls <- r
	if err := failures()[r.GetTool()]; err != nil {
		return nil, err
	}
	result := &servicev1.ToolResult{
		Output:   &servicev1.ToolResult_OutputJson{OutputJson: `{"refund":10.50,"total":12345678901234567890,"note":"a\u009bb"}`},
		Verified: true, OperationId: "op-9", Replayed: r.GetTool() == "replayed",
	}
	if who := metadata.ValueFromIncomingContext(ctx, "who"); len(who) > 0 {
		result.Output = &servicev1.ToolResult_OutputJson{OutputJson: `{"who":"` + strings.Join(who, "|") + `"}`}
	}
	if r.GetTool() == "empty" {
		result.Output = nil
	}
	if result.GetReplayed() {
		result.FirstCompletedAt = timestamppb.New(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		result.Output, result.OutputOmitted = nil, true
	}
	return &servicev1.CallToolResponse{Result: result}, nil
}

const (
	noKey       = servicev1.OperationKeySource_OPERATION_KEY_SOURCE_NONE
	keyOfCaller = servicev1.OperationKeySource_OPERATION_KEY_SOURCE_CALLER
	keyOfTool   = servicev1.OperationKeySource_OPERATION_KEY_SOURCE_TOOL
)

// listed are the tools of the fake, the last one hostile.
func listed() []*servicev1.Tool {
	return []*servicev1.Tool{
		{
			Name: "cancel_order", Description: "Cancel one unshipped order.", OperationKeySource: keyOfCaller,
			Annotations: &servicev1.ToolAnnotations{Destructive: true, Idempotent: true},
		},
		{Name: "list_orders", Description: "List orders.", OperationKeySource: noKey, Annotations: &servicev1.ToolAnnotations{ReadOnly: true}},
		{Name: "evil\x1b[2J", Description: "a\nb"},
	}
}

func (f *fake) ListTools(_ context.Context, r *servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
	all := listed()
	if r.GetPageToken() == "" { // two pages
		return &servicev1.ListToolsResponse{Tools: all[:1], NextPageToken: "next"}, nil
	}
	return &servicev1.ListToolsResponse{Tools: all[1:]}, nil
}

func (f *fake) GetTool(_ context.Context, r *servicev1.GetToolRequest) (*servicev1.GetToolResponse, error) {
	named := func(tool *servicev1.Tool) *servicev1.GetToolResponse {
		tool.Name = r.GetName()
		return &servicev1.GetToolResponse{Tool: tool}
	}
	tool := listed()[0]
	switch r.GetName() {
	case "cancel_order":
	case "keyless":
		return named(&servicev1.Tool{OperationKeySource: keyOfTool}), nil
	case "look":
		return named(&servicev1.Tool{OperationKeySource: noKey, Annotations: &servicev1.ToolAnnotations{ReadOnly: true}}), nil
	case "liar":
		return named(&servicev1.Tool{OperationKeySource: keyOfCaller, Annotations: &servicev1.ToolAnnotations{ReadOnly: true}}), nil
	case "secret":
		return nil, status.Error(codes.Unavailable, "not now")
	case "nothing":
		return nil, &errs.ServiceError{Code: errs.CodeToolNotFound, Subject: r.GetName()}
	default:
		return named(&servicev1.Tool{OperationKeySource: keyOfCaller}), nil
	}
	tool.InputSchemaJson = `{"type":"object","required":["orderId"],"properties":{"orderId":{"type":"string"}}}`
	tool.Errors = []*servicev1.DeclaredError{{
		Code: "slot_stale", Domain: "tool.remedy.v1", Message: "The selected slot is no longer available.",
		Status: remedyv1.StatusCode_STATUS_CODE_FAILED_PRECONDITION, Retry: remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR,
		Repair: &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{
			{Action: remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, Tool: "list_available_slots", Instruction: "Choose a current slot."},
		}},
	}}
	return &servicev1.GetToolResponse{Tool: tool}, nil
}

// serve starts the fake on a free port of this host.
func serve(t *testing.T) (addr string, f *fake) {
	t.Helper()
	options, err := interceptors.ServerOptions()
	if err != nil {
		t.Fatal(err)
	}
	f = &fake{calls: make(chan *servicev1.CallToolRequest, 100)}
	server := grpc.NewServer(options...)
	servicev1.RegisterToolServiceServer(server, f)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		server.Stop()
		<-done
	})
	return listener.Addr().String(), f
}

// nobody is an address at which nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	return listener.Addr().String()
}

// steady replaces what differs from one run to the next.
func steady(s string, values ...string) string {
	for _, value := range values {
		s = strings.ReplaceAll(s, value, "X")
	}
	return s
}
