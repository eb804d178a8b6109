package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/validate"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/ledgertest"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

const (
	stateEffect  = servicev1.OperationState_OPERATION_STATE_EFFECT
	stateDone    = servicev1.OperationState_OPERATION_STATE_DONE
	stateUnknown = servicev1.OperationState_OPERATION_STATE_UNKNOWN
	stateClosed  = servicev1.OperationState_OPERATION_STATE_CLOSED
)

// desk is a server whose callers say who they are, with an operator of each tenant, "op".
type desk struct {
	tools  servicev1.ToolServiceClient
	client servicev1.OperationServiceClient
	clock  *ledgertest.Clock
	ledger *faulty
	srv    *server.Server
}

// newDesk serves the tool "t" of a script, and the open tool "open", whose results anybody may see that sees the operation.
func newDesk(t *testing.T, s *script, options ...server.Option) *desk {
	t.Helper()
	d := &desk{clock: ledgertest.NewClock()}
	d.ledger = newFaulty(memory.New(memory.WithClock(d.clock.Now)))
	open := func(t *server.Tool[in, out]) { t.Authorize = nil }
	common := func(t *server.Tool[in, out]) { t.Authorize, t.Scope = nil, server.TenantScope }
	d.srv = newServer(t, []*server.AnyTool{s.tool("t"), s.tool("open", open), s.tool("common", common)}, append([]server.Option{
		server.WithLedger(d.ledger), server.WithRecheckInterval(0), server.WithStopDelay(0),
		server.WithOperators(func(_ context.Context, id auth.Identity) bool { return id.Principal == "op" }),
	}, options...)...)
	who, err := auth.New(asTheySay)
	if err != nil {
		t.Fatal(err)
	}
	rules, err := validate.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	tools, conn := serve(t, d.srv, interceptors.WithAuth(who), interceptors.WithValidate(rules))
	d.tools, d.client = tools, servicev1.NewOperationServiceClient(conn)
	return d
}

func asTheySay(ctx context.Context, _ string) (auth.Identity, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	principal, tenant, _ := strings.Cut(strings.Join(md.Get("who"), ""), "@")
	return auth.Identity{Principal: principal, Tenant: tenant}, nil
}

// as makes the context of a caller, principal@tenant.
func as(t *testing.T, who string) context.Context {
	t.Helper()
	return metadata.AppendToOutgoingContext(t.Context(), "who", who)
}

// call calls a tool, and returns the id of the operation, whatever becomes of it.
func (d *desk) call(t *testing.T, who, tool, key, input string) string {
	t.Helper()
	d.clock.Advance(time.Millisecond)
	response, err := d.tools.CallTool(as(t, who), &servicev1.CallToolRequest{
		Tool: tool, OperationKey: key, RunId: "run-1", Input: &servicev1.CallToolRequest_InputJson{InputJson: input},
	})
	if err != nil {
		return errs.InfoOf(err).OperationID
	}
	return response.GetResult().GetOperationId()
}

func byID(id string) *servicev1.OperationName {
	return &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: id}}
}

func byKey(tool, key string) *servicev1.OperationName {
	return &servicev1.OperationName{Name: &servicev1.OperationName_Key{Key: &servicev1.ToolOperation{Tool: tool, OperationKey: key}}}
}

func (d *desk) get(t *testing.T, who string, name *servicev1.OperationName) (*servicev1.Operation, error) {
	t.Helper()
	response, err := d.client.GetOperation(as(t, who), &servicev1.GetOperationRequest{Operation: name})
	return response.GetOperation(), err
}

// lossy is a tool whose effect takes place and loses its answer where n is 1.
func lossy() *script {
	return &script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		if in.N == 1 {
			return out{}, errors.New(secret)
		}
		return out(in), nil
	}}
}

func TestGetOperation(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	id := d.call(t, "alice@acme", "t", "k", `{"id":"hunter2"}`)
	open := d.call(t, "alice@acme", "open", "k", `{"id":"hunter2"}`)
	for _, name := range []*servicev1.OperationName{byID(id), byKey("t", "k")} {
		got, err := d.get(t, "alice@acme", name)
		if err != nil || got.GetId() != id || got.GetTool() != "t" || got.GetOperationKey() != "k" || got.GetPrincipal() != "alice" ||
			got.GetRunId() != "run-1" || got.GetState() != stateDone || got.GetCrossings() != 1 ||
			got.GetCreateTime() == nil || got.GetCrossTime() == nil || got.GetUpdateTime() == nil || len(got.GetTrail()) != 3 {
			t.Errorf("got %v, %v", got, err)
		}
		if got.GetResult() != nil || strings.Contains(protojson.Format(got), "hunter2") {
			t.Errorf("what an authorized caller may see is in %v", got)
		}
	}
	got, err := d.get(t, "alice@acme", byID(open))
	if r := got.GetResult(); err != nil || r.GetOutputJson() != `{"id":"hunter2"}` || !r.GetReplayed() || r.GetOperationId() != open {
		t.Errorf("of an open tool: got %v, %v", got, err)
	}
	if got, err := d.get(t, "op@acme", byID(id)); err != nil || got.GetId() != id {
		t.Errorf("an operator: got %v, %v", got, err)
	}
	for _, test := range []struct {
		who  string
		name *servicev1.OperationName
	}{
		{"bob@acme", byID(id)},
		{"alice@other", byID(id)},
		{"op@other", byID(id)},
		{"alice@acme", byID("op_unknown")},
		{"bob@acme", byKey("t", "k")},
		{"op@acme", byKey("t", "k")},
		{"alice@", byKey("t", "k")}, // they have keys of their own
	} {
		got, err := d.get(t, test.who, test.name)
		if errs.CodeOf(err) != errs.CodeOperationNotFound || status.Code(err) != codes.NotFound {
			t.Errorf("%s, %v: got %v, %v", test.who, test.name, got, err)
		}
	}
	if _, err := d.get(t, "alice@acme", &servicev1.OperationName{}); errs.CodeOf(err) != errs.CodeInvalidInput {
		t.Errorf("no name: got %v", err)
	}
	d.ledger.cut()
	if _, err := d.get(t, "alice@acme", byKey("t", "k")); saidBy(err) != (said{errs.CodeLedgerUnavailable, 0}) {
		t.Errorf("no ledger: got %v", err)
	}
}

// TestNothingLeaks has operations that hold a secret in every place: no answer of the service shows it to a caller.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	s := &script{
		execute: func(_ context.Context, op *server.Op, i in) error {
			if i.N == 2 {
				return errors.New(secret)
			}
			return op.Journal([]byte(secret))
		},
		effect: func(_ context.Context, op *server.Op, i in) (out, error) {
			switch i.N {
			case 1:
				return out{}, errors.New(secret)
			case 3:
				return out{}, op.NotApplied(errors.New(secret))
			}
			return out(i), nil
		},
		recover: func(context.Context, *server.Op, in) (server.Recovered[out], error) {
			return server.NotFound[out](), errors.New(secret)
		},
		verify: func(context.Context, *server.Op, in, out) (server.Verdict, error) {
			return server.NotVerified(secret), nil
		},
	}
	d := newDesk(t, s)
	for n := range 4 {
		id := d.call(t, "alice@acme", "t", fmt.Sprint("k", n), fmt.Sprintf(`{"id":"hunter2","n":%d}`, n))
		got, err := d.get(t, "alice@acme", byID(id))
		if err != nil || strings.Contains(protojson.Format(got), "hunter2") {
			t.Errorf("%d: got %v, %v", n, got, err)
		}
	}
	every := &servicev1.ListOperationsRequest{States: []servicev1.OperationState{1, 2, 3, 4, 5, 6}}
	list, err := d.client.ListOperations(as(t, "op@acme"), every)
	if err != nil || len(list.GetOperations()) != 4 || strings.Contains(protojson.Format(list), "hunter2") {
		t.Errorf("got %v, %v", list, err)
	}
}

func TestListOperations(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	var alices []string
	for i := range 5 {
		alices = append(alices, d.call(t, "alice@acme", "t", fmt.Sprint("k", i), `{"id":"a"}`))
	}
	slices.Reverse(alices) // the newest first
	unknown := d.call(t, "alice@acme", "open", "k", `{"id":"a","n":1}`)
	bobs := d.call(t, "bob@acme", "t", "k0", `{"id":"a"}`)
	d.call(t, "carol@other", "t", "k0", `{"id":"a"}`)
	mine := append([]string{unknown}, alices...)
	everybodys := append([]string{bobs}, mine...)
	tests := []struct {
		name    string
		who     string
		request *servicev1.ListOperationsRequest
		want    []string
		code    errs.Code
	}{
		{"own", "alice@acme", &servicev1.ListOperationsRequest{}, mine, ""},
		{"own, by name", "alice@acme", &servicev1.ListOperationsRequest{Principal: "alice"}, mine, ""},
		{"of another", "alice@acme", &servicev1.ListOperationsRequest{Principal: "bob"}, nil, errs.CodeInvalidInput},
		{"of a tool", "alice@acme", &servicev1.ListOperationsRequest{Tool: "open"}, []string{unknown}, ""},
		{"of a key", "op@acme", &servicev1.ListOperationsRequest{OperationKey: "k0"}, []string{bobs, alices[4]}, ""},
		{"of a key of another", "alice@acme", &servicev1.ListOperationsRequest{OperationKey: "k0"}, alices[4:], ""},
		{"of a run", "alice@acme", &servicev1.ListOperationsRequest{RunId: "run-1"}, mine, ""},
		{"of another run", "alice@acme", &servicev1.ListOperationsRequest{RunId: "run-2"}, nil, ""},
		{"unknown", "alice@acme", &servicev1.ListOperationsRequest{States: []servicev1.OperationState{stateUnknown}}, []string{unknown}, ""},
		{"done", "alice@acme", &servicev1.ListOperationsRequest{States: []servicev1.OperationState{stateDone}}, alices, ""},
		{"an operator", "op@acme", &servicev1.ListOperationsRequest{}, everybodys, ""},
		{"an operator, of one", "op@acme", &servicev1.ListOperationsRequest{Principal: "bob"}, []string{bobs}, ""},
		{"an operator of another tenant", "op@none", &servicev1.ListOperationsRequest{}, nil, ""},
		{"a token that is none", "alice@acme", &servicev1.ListOperationsRequest{PageToken: "x"}, nil, errs.CodeInvalidInput},
		{"too many", "alice@acme", &servicev1.ListOperationsRequest{PageSize: 1001}, nil, errs.CodeInvalidInput},
		{"no such state", "alice@acme", &servicev1.ListOperationsRequest{States: []servicev1.OperationState{0}}, nil, errs.CodeInvalidInput},
	}
	for i := range tests {
		test := &tests[i]
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, size := range []int32{0, 1, 2, 100} {
				request, ok := proto.Clone(test.request).(*servicev1.ListOperationsRequest)
				if !ok {
					t.Fatal("no request")
				}
				if request.GetPageSize() == 0 {
					request.PageSize = size
				}
				var got []string
				for {
					page, err := d.client.ListOperations(as(t, test.who), request)
					if errs.CodeOf(err) != test.code {
						t.Errorf("got %v", err)
					}
					if size > 0 && len(page.GetOperations()) > int(size) {
						t.Errorf("a page of %d has %d", size, len(page.GetOperations()))
					}
					for _, o := range page.GetOperations() {
						got = append(got, o.GetId())
						if o.GetResult() != nil || len(o.GetTrail()) != 0 {
							t.Errorf("a list has %v", o)
						}
					}
					if request.PageToken = page.GetNextPageToken(); request.GetPageToken() == "" {
						break
					}
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("pages of %d: got %v, want %v", size, got, test.want)
				}
			}
		})
	}
}

// TestListOfNobody has a service that asks nobody who is calling, beside one that does: who has no name sees what is of nobody.
func TestListOfNobody(t *testing.T) {
	t.Parallel()
	who, err := auth.New(asTheySay, auth.WithExempt("remedy.service.v1.OperationService"))
	if err != nil {
		t.Fatal(err)
	}
	srv := lossy().server(t, server.WithLedger(memory.New()))
	client, conn := serve(t, srv, interceptors.WithAuth(who))
	if _, err := client.CallTool(as(t, "alice@"), request("k", `{"id":"a"}`)); err != nil {
		t.Fatal(err)
	}
	nobodys, err := call(t.Context(), srv, "k", `{"id":"a"}`)
	if err != nil {
		t.Fatal(err)
	}
	list, err := servicev1.NewOperationServiceClient(conn).ListOperations(t.Context(), &servicev1.ListOperationsRequest{})
	if got := list.GetOperations(); err != nil || len(got) != 1 || got[0].GetId() != nobodys.OperationID {
		t.Errorf("got %v, %v", got, err)
	}
}

// TestListOfSharedKeys lists the operations of a tool whose keys a tenant shares for whoever began them, and for no other.
func TestListOfSharedKeys(t *testing.T) {
	t.Parallel()
	d := newDesk(t, lossy())
	id := d.call(t, "ada@acme", "common", "k", `{"id":"a"}`)
	list := func(who, principal string) []string {
		response, err := d.client.ListOperations(as(t, who), &servicev1.ListOperationsRequest{Tool: "common", Principal: principal})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for _, operation := range response.GetOperations() {
			ids = append(ids, operation.GetId())
		}
		return ids
	}
	for _, test := range []struct {
		who, principal string
		want           []string
	}{
		{"ada@acme", "", []string{id}},
		{"bob@acme", "", nil},
		{"op@acme", "ada", []string{id}},
		{"op@acme", "bob", nil},
		{"op@other", "", nil},
	} {
		if got := list(test.who, test.principal); !slices.Equal(got, test.want) {
			t.Errorf("%s, of %q: got %q, want %q", test.who, test.principal, got, test.want)
		}
	}
}
