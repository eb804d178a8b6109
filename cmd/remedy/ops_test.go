package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

type order struct {
	OrderID string `json:"orderId"`
}

type cancelled struct {
	Refund int64  `json:"refund"`
	Note   string `json:"note,omitempty"`
}

// warehouse is a real service that keeps its operations in memory. Its callers say in a header who they are, and olga is an
// operator.
type warehouse struct {
	addr string

	ago       atomic.Int64  // how far the clock of the ledger is behind
	committed atomic.Bool   // what Recover finds
	begun     chan struct{} // an order that hangs has crossed
	release   chan struct{} // it may go on
}

func newWarehouse(t *testing.T) *warehouse {
	t.Helper()
	w := &warehouse{begun: make(chan struct{}), release: make(chan struct{})}
	quiet := slog.New(slog.DiscardHandler)
	kept := memory.New(memory.WithClock(func() time.Time { return time.Now().Add(-time.Duration(w.ago.Load())) }))
	service, err := server.New([]*server.AnyTool{w.cancelOrder()}, server.WithLogger(quiet), server.WithLedger(kept),
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
	w.addr = listen(t, func(r *grpc.Server) { service.Register(r) }, options...)
	return w
}

func (w *warehouse) cancelOrder() *server.AnyTool {
	return server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[order, cancelled]{
		Execute: func(_ context.Context, _ *server.Op, in order) (server.Effect[cancelled], error) {
			if in.OrderID == "shipped" {
				return nil, errs.MustDefine("order_already_shipped", errs.Never, errs.Headline("Shipped.")).New()
			}
			return func(context.Context) (cancelled, error) {
				switch in.OrderID {
				case "doubtful":
					return cancelled{}, errors.New("the shelf did not answer")
				case "hanging":
					close(w.begun)
					<-w.release
				}
				return cancelled{Refund: 1999, Note: "a\u009bb"}, nil
			}, nil
		},
		Recover: func(context.Context, *server.Op, order) (server.Recovered[cancelled], error) {
			if w.committed.Load() {
				return server.Committed(cancelled{Refund: 7}), nil
			}
			return server.NotFound[cancelled](), nil
		},
		Verify: func(context.Context, *server.Op, order, cancelled) (server.Verdict, error) {
			return server.Verified, nil
		},
		Timeouts: server.Timeouts{Effect: time.Hour},
	})
}

// call cancels an order as somebody, so long ago.
func (w *warehouse) call(t *testing.T, who, key, id string, ago time.Duration) result {
	t.Helper()
	w.ago.Store(int64(ago))
	return command(t, "", "call", "--addr", w.addr, "--header", "who="+who, "--key", key,
		"--input", `{"orderId":"`+id+`"}`, "--run-id", "run-1", "cancel_order")
}

// ops runs remedy ops as somebody.
func (w *warehouse) ops(t *testing.T, who string, args ...string) result {
	t.Helper()
	return command(t, "", append(append([]string{"ops"}, args...), "--addr", w.addr, "--header", "who="+who)...)
}

var (
	operationID  = regexp.MustCompile(`op_[A-Z2-7]{26}`)
	timeOfDay    = regexp.MustCompile(`20\d\d-\d\d-\d\dT[0-9:.]+Z`)
	justNow      = regexp.MustCompile(`, \d+s ago`)
	timeOfGolden = "2026-01-01T00:00:00.000Z"
)

func idsOf(text string) []string { return operationID.FindAllString(text, -1) }

// steadyOps replaces what differs from one run to the next, ids by the order in which they first appear.
func (w *warehouse) steadyOps(text string) string {
	for n := 1; len(idsOf(text)) > 0; n++ {
		text = strings.ReplaceAll(text, idsOf(text)[0], fmt.Sprintf("op_%026d", n))
	}
	text = justNow.ReplaceAllString(strings.ReplaceAll(text, w.addr, "X"), ", 0s ago")
	return timeOfDay.ReplaceAllString(text, timeOfGolden)
}

// TestOpsGolden has operations in every state that lasts.
func TestOpsGolden(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	w.call(t, "alice", "k-free", "shipped", 100*time.Hour)
	w.call(t, "alice", "k-done", "o-1", 73*time.Hour)
	w.call(t, "bob", "k-bob", "doubtful", 150*time.Minute)
	w.call(t, "alice", "k-unknown", "doubtful", 75*time.Minute)
	tool := []string{"--tool", "cancel_order"}
	for name, c := range map[string]struct {
		who  string
		args []string
		code int
	}{
		"list":           {"alice", []string{"list"}, exitOK},
		"list_operator":  {"olga", []string{"list", "--state", "unknown,free", "--state", "done"}, exitOK},
		"list_filtered":  {"olga", []string{"list", "--principal=bob", "--run=run-1", "--tool=cancel_order"}, exitOK},
		"list_limited":   {"alice", []string{"list", "--limit=1"}, exitOK},
		"list_key":       {"olga", []string{"list", "--key=k-bob", "--tool=cancel_order"}, exitOK},
		"list_key_free":  {"alice", []string{"list", "--key=k-free"}, exitOK},
		"list_none":      {"carol", []string{"list"}, exitOK},
		"get_free":       {"alice", append(tool, "get", "--key", "k-free"), exitOK},
		"get_done":       {"alice", append(tool, "get", "--key", "k-done"), exitOK},
		"get_unknown":    {"alice", append(tool, "get", "--key", "k-unknown"), exitOK},
		"get_missing":    {"alice", append(tool, "get", "--key", "k-bob"), exitNever},
		"watch_done":     {"alice", append(tool, "watch", "--key", "k-done"), exitOK},
		"reconcile":      {"alice", append(tool, "reconcile", "--key", "k-unknown"), exitOutcomeUnknown},
		"reconcile_done": {"alice", append(tool, "reconcile", "--key", "k-done"), exitOK},
	} {
		t.Run(name, func(t *testing.T) {
			args := c.args
			if args[0] == "--tool" { // the verb comes first
				args = append([]string{args[2]}, append(args[3:len(args):len(args)], args[:2]...)...)
			}
			got := w.ops(t, c.who, args...)
			if got.code != c.code {
				t.Errorf("exit %d, want %d", got.code, c.code)
			}
			golden(t, "ops/"+name+".txt", w.steadyOps("-- out\n"+got.out+"-- err\n"+got.err))
			if bad := unshowable(got.out + got.err); bad != "" {
				t.Errorf("%q reaches the terminal", bad)
			}
			got = w.ops(t, c.who, append(args, "--json")...)
			if got.code != c.code || strings.Contains(got.err, "remedy:") {
				t.Errorf("with --json: exit %d, want %d; %s", got.code, c.code, got.err)
			}
			golden(t, "ops/"+name+".json", w.steadyOps(got.out))
			if bad := unshowable(got.out); bad != "" {
				t.Errorf("%q reaches the terminal", bad)
			}
		})
	}
}

// TestOpsResolve decides operations, and says before what follows.
func TestOpsResolve(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	unknown := func(key string) string {
		return idsOf(w.call(t, "alice", key, "doubtful", 10*time.Hour).err)[0]
	}
	early, closing, applying, silent := unknown("k-1"), unknown("k-2"), unknown("k-3"), unknown("k-4")
	reason := []string{"--reason", "looked at \x1b[2J the shelf"}
	for _, c := range []struct {
		name string
		who  string
		ago  time.Duration
		args []string
		code int
	}{
		{"too_early", "olga", 10 * time.Hour, append(reason, "resolve", early, "--not-applied"), exitAsIs},
		{"denied", "alice", 0, append(reason, "resolve", early, "--not-applied"), exitNever},
		{"not_found", "olga", 0, append(reason, "resolve", "op_none", "--applied"), exitNever},
		{"not_applied", "olga", 0, append(reason, "resolve", closing, "--not-applied"), exitOK},
		{"not_applied_again", "olga", 0, append(reason, "resolve", closing, "--not-applied"), exitOK},
		{"decided_otherwise", "olga", 0, append(reason, "resolve", closing, "--applied"), exitNever},
		{"applied", "olga", 0, append(reason, "resolve", applying, "--applied", "--output", "testdata/ops/output.in"), exitOK},
		{"applied_unseen", "olga", 0, append(reason, "resolve", silent, "--applied"), exitOK},
		{"purge_early", "olga", 0, []string{"purge", early}, exitNever},
		{"purge_denied", "alice", 0, []string{"purge", applying}, exitNever},
		{"purge_done", "olga", 0, []string{"purge", applying}, exitOK},
		{"purge_closed", "olga", 0, []string{"purge", closing}, exitOK},
	} {
		w.ago.Store(int64(c.ago))
		args := c.args
		if args[0] == "--reason" { // the verb comes first
			args = append(append([]string{}, args[2:]...), args[:2]...)
		}
		got := w.ops(t, c.who, args...)
		if got.code != c.code {
			t.Errorf("%s: exit %d, want %d", c.name, got.code, c.code)
		}
		golden(t, "ops/"+c.name+".txt", w.steadyOps("-- out\n"+got.out+"-- err\n"+got.err))
		if bad := unshowable(got.out + got.err); bad != "" {
			t.Errorf("%s: %q reaches the terminal", c.name, bad)
		}
	}
	got := w.ops(t, "olga", "purge", applying, "--json")
	if got.code != exitOK || !strings.Contains(got.err, "PURGE operation "+applying) {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
	golden(t, "ops/purge.json", w.steadyOps(got.out))
	for key, want := range map[string]string{"k-2": "operation_closed", "k-3": "operation_expired", "k-4": "not kept"} {
		if got := w.call(t, "alice", key, "doubtful", 0); !strings.Contains(got.err, want) {
			t.Errorf("an equal call under %s: %s", key, got.err)
		}
	}
}

// TestOpsWatch follows an operation to its end, and one that does not end for as long as there is time.
func TestOpsWatch(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	called := make(chan result, 1)
	go func() {
		called <- command(t, "", "call", "--addr", w.addr, "--header", "who=alice", "--key", "k-1",
			"--input", `{"orderId":"hanging"}`, "cancel_order")
	}()
	<-w.begun
	named := []string{"--tool", "cancel_order", "--key", "k-1"}
	for _, form := range []string{"--json=false", "--json"} {
		ctx, leave := context.WithCancel(t.Context())
		var complaint strings.Builder
		args := append([]string{"ops", "watch", form, "--addr", w.addr}, named...)
		code := run(ctx, args, &streams{out: leaving(leave), err: &complaint})
		if code != exitOutcomeUnknown || !strings.Contains(complaint.String(), "it is effect") {
			t.Errorf("%s: exit %d, %s", form, code, &complaint)
		}
	}
	got := w.ops(t, "alice", append([]string{"reconcile"}, named...)...)
	if got.code != exitOutcomeUnknown || !strings.Contains(got.out, "effect: past the boundary") {
		t.Errorf("while it runs: exit %d, %s%s", got.code, got.out, got.err)
	}
	watched := make(chan result, 1)
	go func() { watched <- w.ops(t, "alice", append([]string{"watch"}, named...)...) }()
	close(w.release)
	if got := <-watched; got.code != exitOK || !strings.Contains(got.out, "  done") || got.err != "" {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
	if got := <-called; got.code != exitOK {
		t.Errorf("exit %d, %s", got.code, got.err)
	}
}

// leaving leaves once it has been told of the state.
type leaving func()

func (l leaving) Write(p []byte) (int, error) {
	if strings.Contains(string(p), "effect") {
		l()
	}
	return len(p), nil
}

// TestCallSaysHowToReconcile prints a command that can be run as it is.
func TestCallSaysHowToReconcile(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	got := w.call(t, "alice", "k-1", "doubtful", 0)
	id := idsOf(got.err)[0]
	want := "remedy ops reconcile " + id + " --addr " + w.addr + " --header who=…"
	if got.code != exitOutcomeUnknown || !strings.Contains(got.err, "\n    "+want+"\n") {
		t.Errorf("exit %d, want %q in:\n%s", got.code, want, got.err)
	}
	w.committed.Store(true)
	got = w.ops(t, "alice", "reconcile", id)
	if got.code != exitOK || !strings.Contains(got.out, "done: it took effect") {
		t.Errorf("exit %d, %s%s", got.code, got.out, got.err)
	}
}

func TestOpsNextCommand(t *testing.T) {
	t.Parallel()
	unknown := func(id string) error { return &errs.OutcomeUnknownError{Tool: "pay", OperationID: id} }
	a := &address{Addr: defaultAddr}
	for _, c := range []struct {
		err  error
		key  string
		want string
	}{
		{unknown("op_1"), "k-1", "remedy ops reconcile op_1"},
		{unknown(""), "k-1", "remedy ops reconcile --tool pay --key k-1"},
		{unknown("x; rm -rf ~"), "k-1", "remedy ops reconcile --tool pay --key k-1"},
		{unknown("--addr=evil:1"), "-k", "remedy ops reconcile --tool pay --key=-k"},
		{unknown("a\nb"), "", "remedy ops list --tool pay"},
		{&errs.AuthorizationError{}, "k-1", ""},
	} {
		if got := a.reconcile(c.err, "pay", c.key); got != c.want {
			t.Errorf("%v: got %q, want %q", c.err, got, c.want)
		}
	}
	far := &address{Addr: "a.example:443", connection: connection{
		TLS: "on", CAFile: "it's mine.pem", Header: map[string]string{"b": "secret", "a": "secret"},
	}}
	want := `remedy ops list --tool pay --addr a.example:443 --tls on --ca-file 'it'\''s mine.pem' --header a=… --header b=…`
	if got := far.reconcile(unknown(""), "pay", ""); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// hostile is a service whose every text is an attack on the terminal.
type hostile struct {
	servicev1.UnimplementedOperationServiceServer
}

const attack = "\x1b[2J\u009b31m\r\n\u202e"

func attacking() *servicev1.Operation {
	return &servicev1.Operation{
		Id: attack, Tool: attack, OperationKey: attack, Principal: attack, RunId: attack, Reason: attack, FailureCode: attack,
		VerdictReason: attack, State: 99, Verdict: 99, Contradicted: true, Crossings: -1,
		Trail:  []*servicev1.OperationMove{{OperationId: attack, Actor: attack, Note: attack}},
		Result: &servicev1.ToolResult{Output: &servicev1.ToolResult_OutputJson{OutputJson: attack}},
	}
}

func (hostile) GetOperation(context.Context, *servicev1.GetOperationRequest) (*servicev1.GetOperationResponse, error) {
	return &servicev1.GetOperationResponse{Operation: attacking()}, nil
}

func (hostile) ListOperations(context.Context, *servicev1.ListOperationsRequest) (*servicev1.ListOperationsResponse, error) {
	return &servicev1.ListOperationsResponse{Operations: []*servicev1.Operation{attacking(), {}}}, nil
}

func (hostile) WatchOperation(
	_ *servicev1.WatchOperationRequest, stream grpc.ServerStreamingServer[servicev1.WatchOperationResponse],
) error {
	return stream.Send(&servicev1.WatchOperationResponse{Operation: attacking()})
}

func (hostile) PurgeOperation(context.Context, *servicev1.PurgeOperationRequest) (*servicev1.PurgeOperationResponse, error) {
	unknown := attacking()
	unknown.State = servicev1.OperationState_OPERATION_STATE_UNKNOWN
	return &servicev1.PurgeOperationResponse{Operation: unknown}, nil
}

func TestOpsShowNoControls(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(r *grpc.Server) { servicev1.RegisterOperationServiceServer(r, hostile{}) })
	for _, args := range [][]string{
		{"list"}, {"get", "op_1"}, {"watch", "op_1"}, {"purge", "op_1"}, {"list", "--json"}, {"get", "--json", "op_1"},
	} {
		got := command(t, "", append(append([]string{"ops"}, args...), "--addr", addr)...)
		if bad := unshowable(got.out + got.err); bad != "" {
			t.Errorf("%v: %q reaches the terminal", args, bad)
		}
	}
}

// losing is a service that loses the answer to a purge, and the second page of a list.
type losing struct {
	servicev1.UnimplementedOperationServiceServer
}

func (losing) GetOperation(context.Context, *servicev1.GetOperationRequest) (*servicev1.GetOperationResponse, error) {
	return &servicev1.GetOperationResponse{Operation: &servicev1.Operation{Id: "op_1", Tool: "pay", OperationKey: "k-1"}}, nil
}

func (losing) ListOperations(
	_ context.Context, r *servicev1.ListOperationsRequest,
) (*servicev1.ListOperationsResponse, error) {
	if r.GetPageToken() != "" {
		return nil, status.Error(codes.Unavailable, "the connection broke")
	}
	return &servicev1.ListOperationsResponse{Operations: []*servicev1.Operation{{Id: "op_1"}}, NextPageToken: "next"}, nil
}

func (losing) PurgeOperation(context.Context, *servicev1.PurgeOperationRequest) (*servicev1.PurgeOperationResponse, error) {
	return nil, status.Error(codes.Unavailable, "the connection broke")
}

func TestOpsThatAreLost(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(r *grpc.Server) { servicev1.RegisterOperationServiceServer(r, losing{}) })
	got := command(t, "", "ops", "purge", "op_1", "--addr", addr)
	if got.code != exitOutcomeUnknown || !strings.Contains(got.err, "Run the same command again") || got.out != "" {
		t.Errorf("a decision: exit %d, %s%s", got.code, got.out, got.err)
	}
	got = command(t, "", "ops", "list", "--addr", addr)
	if got.code != exitUntyped || !strings.Contains(got.out, "op_1") || !strings.Contains(got.err, "UNAVAILABLE") {
		t.Errorf("a list: exit %d, %s%s", got.code, got.out, got.err)
	}
	got = command(t, "", "ops", "list", "--json", "--addr", addr)
	if got.code != exitUntyped || strings.Count(got.out, "\n") != 2 || got.err != "" {
		t.Errorf("a list in JSON: exit %d, %s%s", got.code, got.out, got.err)
	}
}

func TestOpsFailures(t *testing.T) {
	t.Parallel()
	w := newWarehouse(t)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no name":         {[]string{"get"}, exitUsage, "expected an ID, or --tool and --key"},
		"both names":      {[]string{"get", "op_1", "--tool=a", "--key=b"}, exitUsage, "expected an ID, or --tool and --key"},
		"half a name":     {[]string{"watch", "--tool=a"}, exitUsage, "expected an ID, or --tool and --key"},
		"a bad id":        {[]string{"reconcile", "a b"}, exitAfterRepair, "/operation/id"},
		"no such state":   {[]string{"list", "--state=lost"}, exitUsage, "--state"},
		"a bad limit":     {[]string{"list", "--limit=-1"}, exitUsage, "--limit"},
		"somebody's":      {[]string{"list", "--principal=bob"}, exitAfterRepair, "only operators see others"},
		"no decision":     {[]string{"resolve", "op_1", "--reason=x"}, exitUsage, "--applied"},
		"two decisions":   {[]string{"resolve", "op_1", "--reason=x", "--applied", "--not-applied"}, exitUsage, "--applied"},
		"no reason":       {[]string{"resolve", "op_1", "--applied"}, exitUsage, "--reason"},
		"an empty reason": {[]string{"resolve", "op_1", "--applied", "--reason= "}, exitUsage, "--reason"},
		"not by key":      {[]string{"resolve", "--tool=a", "--key=b", "--applied", "--reason=x"}, exitUsage, "--tool"},
		"an output of what was not": {
			[]string{"resolve", "op_1", "--not-applied", "--reason=x", "--output=f"}, exitUsage, "has no output",
		},
		"an output that is missing": {[]string{"resolve", "op_1", "--applied", "--reason=x", "--output=/does/not/exist"}, exitUsage, "opening"},
		"an output of no kind":      {[]string{"resolve", "op_1", "--applied", "--reason=x", "--output=ops.go"}, exitUsage, "a file of JSON"},
		"an empty output":           {[]string{"resolve", "op_1", "--applied", "--reason=x", "--output=-"}, exitUsage, "expected a file of JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := w.ops(t, "alice", c.args...)
			if got.code != c.code || !strings.Contains(got.err, c.want) || strings.Contains(got.out, "DONE") {
				t.Errorf("exit %d, want %d and %q in:\n%s%s", got.code, c.code, c.want, got.err, got.out)
			}
		})
	}
	older, _ := serve(t)
	got := command(t, "", "ops", "get", "op_1", "--addr", older)
	if got.code != exitUntyped || !strings.Contains(got.err, "its version has no operations") {
		t.Errorf("an older service: exit %d, %s", got.code, got.err)
	}
	got = command(t, "", "ops", "list", "--addr", nobody(t), "--json")
	if got.code != exitAsIs || strings.Count(got.out, "\n") != 1 || !strings.Contains(got.out, `"outcomeUnknown":false`) {
		t.Errorf("nobody listens: exit %d, %s", got.code, got.out)
	}
}

func TestOpsHelp(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"help/ops.txt": {"ops", "--help"}, "help/ops_list.txt": {"ops", "list", "--help"}, "help/ops_get.txt": {"ops", "get", "--help"},
		"help/ops_watch.txt": {"ops", "watch", "--help"}, "help/ops_reconcile.txt": {"ops", "reconcile", "--help"},
		"help/ops_resolve.txt": {"ops", "resolve", "--help"}, "help/ops_purge.txt": {"ops", "purge", "--help"},
	} {
		got := command(t, "", args...)
		if got.code != exitOK || got.err != "" {
			t.Errorf("%v: exit %d, %s", args, got.code, got.err)
		}
		golden(t, name, got.out)
	}
}
