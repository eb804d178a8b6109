package client_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/internal/tcptest"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

const (
	free    = servicev1.OperationState_OPERATION_STATE_FREE
	effect  = servicev1.OperationState_OPERATION_STATE_EFFECT
	done    = servicev1.OperationState_OPERATION_STATE_DONE
	unknown = servicev1.OperationState_OPERATION_STATE_UNKNOWN
	closed  = servicev1.OperationState_OPERATION_STATE_CLOSED
)

// ledgerService is a real service that keeps its operations in memory. Its callers say in a header who they are, and olga
// is an operator.
type ledgerService struct {
	client *client.Client

	ahead     atomic.Int64 // how far the clock of the ledger is ahead
	committed atomic.Bool  // what Recover of cancel_order finds
}

func newLedgerService(t *testing.T) *ledgerService {
	t.Helper()
	s := &ledgerService{}
	quiet := slog.New(slog.DiscardHandler)
	cancel := server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[CancelOrder, Cancelled]{
		Execute: func(_ context.Context, _ *server.Op, in CancelOrder) (server.Effect[Cancelled], error) {
			if in.OrderID == "shipped" {
				return nil, shippedAlready.New()
			}
			return func(context.Context) (Cancelled, error) {
				if in.OrderID == "doubtful" {
					return Cancelled{}, errors.New("the warehouse did not answer")
				}
				return Cancelled{Refund: 1999}, nil
			}, nil
		},
		Recover: func(context.Context, *server.Op, CancelOrder) (server.Recovered[Cancelled], error) {
			if s.committed.Load() {
				return server.Committed(Cancelled{Refund: 7}), nil
			}
			return server.NotFound[Cancelled](), nil
		},
		Timeouts: server.Timeouts{Effect: time.Hour},
		Errors:   []*errs.Definition{shippedAlready},
	})
	kept := memory.New(memory.WithClock(func() time.Time { return time.Now().Add(time.Duration(s.ahead.Load())) }))
	tools, err := server.New([]*server.AnyTool{cancel}, server.WithLogger(quiet), server.WithLedger(kept),
		server.WithRecheckInterval(0), server.WithSweepInterval(0),
		server.WithOperators(func(_ context.Context, id auth.Identity) bool { return id.Principal == "olga" }))
	if err != nil {
		t.Fatal(err)
	}
	stage, err := auth.New(func(ctx context.Context, _ string) (auth.Identity, error) {
		if who := metadata.ValueFromIncomingContext(ctx, "who"); len(who) == 1 {
			return auth.Identity{Principal: who[0]}, nil
		}
		return auth.Identity{Principal: "alice"}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	options, err := interceptors.ServerOptions(interceptors.WithAuth(stage), interceptors.WithEncode(encode.WithLogger(quiet)))
	if err != nil {
		t.Fatal(err)
	}
	s.client = newClient(t, grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { tools.Register(r) }, options, client.DialOptions()))
	return s
}

// cancel cancels an order under a key, and returns the id of the operation.
func (s *ledgerService) cancel(t *testing.T, key, order string) (string, error) {
	t.Helper()
	result, err := client.Call[CancelOrder, Cancelled](
		t.Context(), s.client, "cancel_order", CancelOrder{OrderID: order}, client.WithOperationKey(key))
	return result.OperationID, err
}

func as(ctx context.Context, who string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "who", who)
}

func TestOperation(t *testing.T) {
	t.Parallel()
	s := newLedgerService(t)
	id, err := s.cancel(t, "k-1", "o-1")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []client.OperationName{client.OperationID(id), client.OperationKey("cancel_order", "k-1")} {
		got, err := s.client.Operation(t.Context(), name)
		if err != nil || got.GetId() != id || got.GetState() != done || got.GetResult().GetOutputJson() != `{"refund":1999}` {
			t.Errorf("got %v, %v", got, err)
		}
		if len(got.GetTrail()) != 3 {
			t.Errorf("got the trail %v", got.GetTrail())
		}
	}
	for name, ctx := range map[string]context.Context{"nobody's": t.Context(), "alice's, to bob": as(t.Context(), "bob")} {
		key := map[bool]string{true: "k-0", false: "k-1"}[name == "nobody's"]
		got, err := s.client.Operation(ctx, client.OperationKey("cancel_order", key))
		if got != nil || !errors.Is(err, errs.CodeOperationNotFound) || errs.Retryable(err) || client.NeverSent(err) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
	if got, err := s.client.Operation(as(t.Context(), "olga"), client.OperationID(id)); err != nil || got.GetPrincipal() != "alice" {
		t.Errorf("an operator: got %v, %v", got, err)
	}
}

// TestReconcile makes a service look at what nobody knows the outcome of.
func TestReconcile(t *testing.T) {
	t.Parallel()
	s := newLedgerService(t)
	_, err := s.cancel(t, "k-1", "doubtful")
	name, ok := client.OperationOf(err)
	if !ok || !errors.Is(err, errs.CodeOutcomeUnknown) {
		t.Fatalf("got %v", err)
	}
	got, err := s.client.Reconcile(t.Context(), name)
	if err != nil || got.GetState() != unknown || got.GetReason() == "" {
		t.Errorf("nothing is found: got %v, %v", got, err)
	}
	s.committed.Store(true)
	for range 2 {
		got, err = s.client.Reconcile(t.Context(), name)
		if err != nil || got.GetState() != done || got.GetResult().GetOutputJson() != `{"refund":7}` {
			t.Errorf("it is found: got %v, %v", got, err)
		}
	}
}

func TestResolveApplied(t *testing.T) {
	t.Parallel()
	s := newLedgerService(t)
	id, _ := s.cancel(t, "k-1", "doubtful")
	operator := as(t.Context(), "olga")
	for range 2 { // the same decision may be sent again
		got, err := s.client.ResolveApplied(operator, id, "seen in the warehouse", []byte(`{"refund":5}`))
		if err != nil || got.GetState() != done || got.GetTrail()[len(got.GetTrail())-1].GetActor() != "olga" {
			t.Fatalf("got %v, %v", got, err)
		}
	}
	again, err := client.Call[CancelOrder, Cancelled](
		t.Context(), s.client, "cancel_order", CancelOrder{OrderID: "doubtful"}, client.WithOperationKey("k-1"))
	if err != nil || !again.Replayed || again.Output.Refund != 5 || again.OperationID != id {
		t.Errorf("an equal call: got %+v, %v", again, err)
	}
	purged, err := s.client.Purge(operator, id)
	if err != nil || !purged.GetResult().GetOutputOmitted() || purged.GetTrail()[3].GetNote() != "" {
		t.Errorf("purged: got %v, %v", purged, err)
	}
}

func TestResolveNotApplied(t *testing.T) {
	t.Parallel()
	s := newLedgerService(t)
	id, _ := s.cancel(t, "k-1", "doubtful")
	operator := as(t.Context(), "olga")
	_, err := s.client.ResolveNotApplied(operator, id, "nothing there")
	if !errors.Is(err, errs.CodeOperationInFlight) || !errs.Retryable(err) {
		t.Errorf("while an attempt could act: got %v", err)
	}
	s.ahead.Store(int64(2 * time.Hour))
	got, err := s.client.ResolveNotApplied(operator, id, "nothing there")
	if err != nil || got.GetState() != closed || got.GetReason() != "nothing there" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := s.cancel(t, "k-1", "doubtful"); !errors.Is(err, errs.CodeOperationClosed) {
		t.Errorf("an equal call: got %v", err)
	}
}

func TestDecisionsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := newLedgerService(t)
	doubtful, _ := s.cancel(t, "k-1", "doubtful")
	fine, _ := s.cancel(t, "k-2", "o-1")
	operator := as(t.Context(), "olga")
	decide := func(ctx context.Context, id, reason string) error {
		_, err := s.client.ResolveNotApplied(ctx, id, reason)
		return err
	}
	purge := func(ctx context.Context, id string) error {
		_, err := s.client.Purge(ctx, id)
		return err
	}
	for name, test := range map[string]struct {
		err  error
		want errs.Code
	}{
		"no operator":       {decide(t.Context(), doubtful, "x"), errs.CodeAuthorizationDenied},
		"no operator purge": {purge(t.Context(), fine), errs.CodeAuthorizationDenied},
		"somebody else's":   {decide(as(t.Context(), "bob"), doubtful, "x"), errs.CodeOperationNotFound},
		"not in doubt":      {decide(operator, fine, "x"), "operation_not_in_doubt"},
		"no reason":         {decide(operator, doubtful, ""), errs.CodeInvalidInput},
		"none":              {decide(operator, "op_none", "x"), errs.CodeOperationNotFound},
		"purged too early":  {purge(operator, doubtful), "operation_in_doubt"},
	} {
		if errs.CodeOf(test.err) != test.want || client.NeverSent(test.err) {
			t.Errorf("%s: got %v, want %s", name, test.err, test.want)
		}
	}
}

// TestNamesThatAreRefused sends nothing of what the service would refuse.
func TestNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	s := &operations{}
	c := s.serve(t)
	for _, name := range []client.OperationName{
		{},
		client.OperationID(""), client.OperationID("op 1"), client.OperationID("1234567890123456789012345678901234567"),
		client.OperationKey("", "k"), client.OperationKey("t", ""), client.OperationKey("a tool", "k"), client.OperationKey("t", "a/b"),
	} {
		_, got := c.Operation(t.Context(), name)
		_, reconciled := c.Reconcile(t.Context(), name)
		_, waited := c.WaitOperation(t.Context(), name)
		for _, err := range []error{got, reconciled, waited} {
			if !errors.Is(err, errs.CodeInvalidInput) || !client.NeverSent(err) {
				t.Errorf("%+v: got %v", name, err)
			}
		}
	}
	_, resolved := c.ResolveApplied(t.Context(), "op 1", "x", nil)
	_, purged := c.Purge(t.Context(), "")
	if !client.NeverSent(resolved) || !client.NeverSent(purged) || s.calls.Load() != 0 {
		t.Errorf("got %v, %v, after %d calls", resolved, purged, s.calls.Load())
	}
}

func TestOperationOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want client.OperationName
		ok   bool
	}{
		{&errs.OutcomeUnknownError{Tool: "pay", OperationKey: "k", OperationID: "op_1"}, client.OperationID("op_1"), true},
		{&errs.OutcomeUnknownError{Tool: "pay", OperationKey: "k"}, client.OperationKey("pay", "k"), true},
		{&errs.OutcomeUnknownError{Tool: "pay"}, client.OperationName{}, false},
		{errs.WithInfo(shippedAlready.New(), errs.Info{OperationID: "op_2"}), client.OperationID("op_2"), true},
		{&client.OutputError{Tool: "pay", OperationKey: "k"}, client.OperationKey("pay", "k"), true},
		{lost, client.OperationName{}, false},
		{nil, client.OperationName{}, false},
	} {
		if got, ok := client.OperationOf(test.err); got != test.want || ok != test.ok {
			t.Errorf("%v: got %+v, %v", test.err, got, ok)
		}
	}
}

// operations is an OperationService whose methods are functions.
type operations struct {
	servicev1.UnimplementedOperationServiceServer

	list    func(*servicev1.ListOperationsRequest) (*servicev1.ListOperationsResponse, error)
	watch   func(*servicev1.WatchOperationRequest, grpc.ServerStreamingServer[servicev1.WatchOperationResponse]) error
	resolve func(context.Context) error
	calls   atomic.Int64
}

func (o *operations) ListOperations(
	_ context.Context, r *servicev1.ListOperationsRequest,
) (*servicev1.ListOperationsResponse, error) {
	o.calls.Add(1)
	return o.list(r)
}

func (o *operations) WatchOperation(
	r *servicev1.WatchOperationRequest, stream grpc.ServerStreamingServer[servicev1.WatchOperationResponse],
) error {
	o.calls.Add(1)
	return o.watch(r, stream)
}

func (o *operations) ResolveOperation(
	ctx context.Context, _ *servicev1.ResolveOperationRequest,
) (*servicev1.ResolveOperationResponse, error) {
	o.calls.Add(1)
	return nil, o.resolve(ctx)
}

func (o *operations) register(r grpc.ServiceRegistrar) {
	servicev1.RegisterOperationServiceServer(r, o)
}

func (o *operations) serve(tb testing.TB, options ...client.Option) *client.Client {
	tb.Helper()
	return newClient(tb, grpctest.ServeAny(tb, o.register, serverOptions(tb), client.DialOptions()), options...)
}

// TestOperations lists page after page, and asks for what was chosen.
func TestOperations(t *testing.T) {
	t.Parallel()
	filter := client.OperationFilter{
		States: []servicev1.OperationState{unknown}, Tool: "pay", OperationKey: "k-1", RunID: "r-1", Principal: "alice", PageSize: 2,
	}
	s := &operations{list: func(r *servicev1.ListOperationsRequest) (*servicev1.ListOperationsResponse, error) {
		if r.GetTool() != "pay" || r.GetRunId() != "r-1" || r.GetPrincipal() != "alice" || r.GetOperationKey() != "k-1" || r.GetPageSize() != 2 ||
			!slices.Equal(r.GetStates(), filter.States) {
			t.Errorf("asked for %v", r)
		}
		page, _ := strconv.Atoi(r.GetPageToken())
		if page == 3 {
			return nil, &errs.ServiceError{Code: errs.CodeLedgerUnavailable}
		}
		return &servicev1.ListOperationsResponse{
			Operations:    []*servicev1.Operation{{Id: "a" + strconv.Itoa(page)}, {Id: "b" + strconv.Itoa(page)}},
			NextPageToken: strconv.Itoa(page + 1),
		}, nil
	}}
	c := s.serve(t)
	var ids []string
	var last error
	for operation, err := range c.Operations(t.Context(), filter) {
		if last = err; err == nil {
			ids = append(ids, operation.GetId())
		}
	}
	if want := []string{"a0", "b0", "a1", "b1", "a2", "b2"}; !slices.Equal(ids, want) || !errors.Is(last, errs.CodeLedgerUnavailable) {
		t.Errorf("got %v, %v", ids, last)
	}
	s.calls.Store(0)
	for range c.Operations(t.Context(), filter) {
		break
	}
	if got := s.calls.Load(); got != 1 {
		t.Errorf("fetched %d pages for one operation", got)
	}
	s.list = func(*servicev1.ListOperationsRequest) (*servicev1.ListOperationsResponse, error) {
		return &servicev1.ListOperationsResponse{NextPageToken: "again"}, nil
	}
	for _, err := range c.Operations(t.Context(), client.OperationFilter{}) {
		if last = err; err == nil {
			t.Error("got an operation")
		}
	}
	if last == nil {
		t.Error("a token that repeats is no error")
	}
}

// TestLostDecision is an unknown outcome that names its operation, and nothing sends it again but the caller.
func TestLostDecision(t *testing.T) {
	t.Parallel()
	s := &operations{}
	killed := tcptest.Serve(t, s.register, serverOptions(t)...)
	s.resolve = func(ctx context.Context) error {
		killed.Cut()
		<-ctx.Done()
		return ctx.Err()
	}
	c := dial(t, killed.Addr, client.WithRetry(client.Retry{InitialBackoff: time.Millisecond}), client.WithLedger())
	_, err := c.ResolveNotApplied(t.Context(), "op_1", "nothing there")
	if !errs.IsInferred(err) || errs.InfoOf(err).OperationID != "op_1" || status.Code(err) != codes.Unknown || s.calls.Load() != 1 {
		t.Errorf("got %v, %+v, after %d calls", err, errs.InfoOf(err), s.calls.Load())
	}
	_, err = dial(t, tcptest.Refused(t)).Purge(t.Context(), "op_1")
	if status.Code(err) != codes.Unavailable || !client.NeverSent(err) {
		t.Errorf("nobody listens: got %v", err)
	}
}
