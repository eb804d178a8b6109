package remedyd_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	healthgrpc "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/tcptest"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/remedyd"
)

const front = `{"door":"front"}`

func TestServe(t *testing.T) {
	t.Parallel()
	d := start(t, newDoors().tools(), "--db", "memory", "--log-format", "json")
	ctx := t.Context()
	client := servicev1.NewToolServiceClient(d)
	if list, err := client.ListTools(ctx, &servicev1.ListToolsRequest{}); err != nil || len(list.GetTools()) != 2 {
		t.Errorf("got %v, %v", list, err)
	}
	if _, err := client.ListTools(ctx, &servicev1.ListToolsRequest{PageSize: -1}); errs.CodeOf(err) != errs.CodeInvalidInput {
		t.Errorf("got %v", err)
	}
	if h, err := healthgrpc.NewHealthClient(d).Check(ctx, &healthgrpc.HealthCheckRequest{}); err != nil ||
		h.GetStatus() != healthgrpc.HealthCheckResponse_SERVING {
		t.Errorf("got %v, %v", h, err)
	}
	if want := "remedyd: operations are kept in memory\nremedyd: listening on 127.0.0.1:"; !strings.HasPrefix(d.out, want) {
		t.Errorf("got %q, want %q first", d.out, want)
	}
	d.stop()
	if code := d.code(); code != remedyd.ExitOK {
		t.Errorf("exit code %d", code)
	}
	log := d.log.String()
	for line := range strings.Lines(log) {
		if !json.Valid([]byte(line)) {
			t.Errorf("the log holds %s", line)
		}
	}
	for _, said := range []string{
		"development: callers on loopback say themselves who they are, and each is an operator", "operations are kept in memory", `"stopped"`,
	} {
		if !strings.Contains(log, said) {
			t.Errorf("%q is not in the log: %s", said, log)
		}
	}
}

// TestDevelopment has callers that say who they are, and one that is an operator without being asked.
func TestDevelopment(t *testing.T) {
	t.Parallel()
	d := start(t, newDoors().tools(), "--db", "memory", "--dev-principal", "carol", "--log-format", "json")
	ctx := t.Context()
	tests := []struct {
		ctx context.Context
		by  string
	}{
		{ctx, "/carol"},
		{as(ctx, "alice"), "/alice"},
		{metadata.AppendToOutgoingContext(as(ctx, "alice"), "remedy-dev-tenant", "acme"), "acme/alice"},
	}
	for _, test := range tests { // one key, and three operations
		result, err := d.call(test.ctx, "open_door", "k", front)
		if err != nil || result.GetReplayed() || result.GetOutputJson() != `{"by":"`+test.by+`"}` {
			t.Errorf("%s: got %v, %v", test.by, result, err)
		}
	}
	for _, name := range []string{"", strings.Repeat("x", 129)} {
		if _, err := d.call(as(ctx, name), "open_door", "k", front); errs.CodeOf(err) != errs.CodeUnauthenticated {
			t.Errorf("%q: got %v", name, err)
		}
	}
	if _, err := d.call(as(as(ctx, "alice"), "bob"), "open_door", "k", front); errs.CodeOf(err) != errs.CodeUnauthenticated {
		t.Errorf("two names: got %v", err)
	}
	list, err := servicev1.NewOperationServiceClient(d).ListOperations(as(ctx, "bob"), &servicev1.ListOperationsRequest{})
	if err != nil || len(list.GetOperations()) != 2 {
		t.Errorf("an operator sees those of its tenant: got %v, %v", list, err)
	}
	log := d.log.String()
	if strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the mistake of a caller is logged as one of ours: %s", log)
	}
	for _, why := range []string{"must be given once", "must not be empty"} {
		const who = `"level":"INFO","msg":"a caller was not authenticated","peer":"127.0.0.1:`
		if !strings.Contains(log, who) || !strings.Contains(log, why) || strings.Contains(log, "xxx") {
			t.Errorf("%q is not in the log, or the value of a header is: %s", why, log)
		}
	}
}

// TestRemote listens where others can reach it: nobody is believed, and nobody is an operator.
func TestRemote(t *testing.T) {
	t.Parallel()
	d := start(t, newDoors().tools(), "--db", "memory", "--listen", "0.0.0.0:0", "--allow-remote")
	ctx := t.Context()
	if host, _, err := net.SplitHostPort(d.addr); err != nil || net.ParseIP(host).IsLoopback() {
		t.Fatalf("it listens on %s", d.addr)
	}
	for _, header := range []string{"remedy-dev-principal", "remedy-dev-tenant"} {
		_, err := d.call(metadata.AppendToOutgoingContext(ctx, header, "alice"), "open_door", "k", front)
		if errs.CodeOf(err) != errs.CodeUnauthenticated {
			t.Errorf("%s: got %v", header, err)
		}
	}
	result, err := d.call(ctx, "open_door", "k", front)
	if err != nil || result.GetOutputJson() != `{"by":"/anonymous"}` {
		t.Errorf("got %v, %v", result, err)
	}
	_, err = servicev1.NewOperationServiceClient(d).PurgeOperation(ctx, &servicev1.PurgeOperationRequest{Id: result.GetOperationId()})
	if errs.CodeOf(err) != errs.CodeAuthorizationDenied {
		t.Errorf("got %v", err)
	}
	log := d.log.String()
	if !strings.Contains(log, "callers are not authenticated") || !strings.Contains(log, "nobody is an operator") {
		t.Errorf("the log is %s", log)
	}
	if strings.Contains(log, "level=ERROR") || strings.Count(log, "a caller was not authenticated") != 2 {
		t.Errorf("the mistakes of callers are not logged once each, and as such: %s", log)
	}
}

// TestStoppedBefore is told to stop before it begins.
func TestStoppedBefore(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	stop()
	for _, db := range []string{"memory", filepath.Join(t.TempDir(), "x.db"), "postgres://" + tcptest.Refused(t) + "/ops"} {
		var log strings.Builder
		args := []string{"remedyd", "--listen", "127.0.0.1:0", "--stop-delay", "0s", "--db", db}
		if code := remedyd.Run(ctx, args, remedyd.Streams{Err: &log}); code != remedyd.ExitOK || !strings.Contains(log.String(), "stopped") {
			t.Errorf("--db %s: exit code %d, %s", db, code, log.String())
		}
	}
}

// TestToolsRefused has a tool that is wrong, which is the fault of the program.
func TestToolsRefused(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	wrong := server.NewTool("no name", "", server.Tool[doorInput, doorOutput]{})
	code := remedyd.Run(t.Context(), []string{"remedyd", "--listen", "127.0.0.1:0", "--db", "memory"}, remedyd.Streams{Err: &log}, wrong)
	if code != remedyd.ExitFailed || !strings.Contains(log.String(), `remedyd: server: tool "no name"`) {
		t.Errorf("exit code %d, %s", code, log.String())
	}
}

// TestRestart stops a daemon and starts another one on the same file: the second has the receipt of the first.
func TestRestart(t *testing.T) {
	t.Parallel()
	path, doors := filepath.Join(t.TempDir(), "x.db"), newDoors()
	var first string
	for i, replayed := range []bool{false, true} {
		d := start(t, doors.tools(), "--db", path, "--db-durability", "process", "--no-db-check", "--max-operations", "1")
		result, err := d.call(t.Context(), "open_door", "k", front)
		if err != nil || result.GetReplayed() != replayed || doors.opened.Load() != 1 {
			t.Errorf("run %d: got %v, %v; %d effects", i, result, err, doors.opened.Load())
		}
		if i == 0 {
			first = result.GetOperationId()
		} else if result.GetOperationId() != first {
			t.Errorf("got operation %s, want %s", result.GetOperationId(), first)
		}
		if _, err := d.call(t.Context(), "open_door", "other", front); errs.CodeOf(err) != errs.CodeOverloaded {
			t.Errorf("a second operation: got %v", err)
		}
		d.stop()
		if code := d.code(); code != remedyd.ExitOK || !strings.Contains(d.log.String(), "a power cut may lose operations") {
			t.Errorf("run %d: exit code %d, %s", i, code, d.log)
		}
	}
}

// watch returns a stream of an operation that is past its boundary.
func (d *daemon) watch(t *testing.T, key string) func() (*servicev1.Operation, error) {
	t.Helper()
	stream, err := servicev1.NewOperationServiceClient(d).WatchOperation(t.Context(), &servicev1.WatchOperationRequest{
		Operation: &servicev1.OperationName{Name: &servicev1.OperationName_Key{
			Key: &servicev1.ToolOperation{Tool: "open_gate", OperationKey: key},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	next := func() (*servicev1.Operation, error) {
		response, err := stream.Recv()
		return response.GetOperation(), err
	}
	if operation, err := next(); err != nil || operation.GetState() != servicev1.OperationState_OPERATION_STATE_EFFECT {
		t.Fatalf("got %v, %v", operation, err)
	}
	return next
}

// TestStop stops a daemon while an effect runs: streams end, new calls are refused, and the effect is waited for.
func TestStop(t *testing.T) {
	t.Parallel()
	path, doors := filepath.Join(t.TempDir(), "x.db"), newDoors()
	d := start(t, doors.tools(), "--db", path)
	answers := make(chan error, 1)
	go func() {
		_, err := d.call(t.Context(), "open_gate", "k", front)
		answers <- err
	}()
	<-doors.begun
	next := d.watch(t, "k")
	d.stop()
	if operation, err := next(); errs.CodeOf(err) != errs.CodeShuttingDown {
		t.Errorf("the stream: got %v, %v", operation, err)
	}
	if code, _, log := once(t, "--listen", "127.0.0.1:0", "--db", path); code != remedyd.ExitDatabase {
		t.Errorf("the database is closed last: another daemon ended with %d, %s", code, log)
	}
	doors.finish <- struct{}{}
	if err := <-answers; err != nil {
		t.Errorf("the call that ran: got %v", err)
	}
	if code := d.code(); code != remedyd.ExitOK || doors.opened.Load() != 1 {
		t.Errorf("exit code %d, %d effects, %s", code, doors.opened.Load(), d.log)
	}
}

// TestCutOff stops a daemon whose effect does not end in time.
func TestCutOff(t *testing.T) {
	t.Parallel()
	path, doors := filepath.Join(t.TempDir(), "x.db"), newDoors()
	d := start(t, doors.tools(), "--db", path, "--stop-timeout", "1ms")
	answers := make(chan error, 1)
	go func() {
		_, err := d.call(t.Context(), "open_gate", "k", front)
		answers <- err
	}()
	<-doors.begun
	d.stop()
	if code := d.code(); code != remedyd.ExitCutOff || !strings.Contains(d.log.String(), "stopped with work left running") {
		t.Errorf("exit code %d, %s", code, d.log)
	}
	if err := <-answers; !errors.Is(err, errs.CodeOutcomeUnknown) {
		t.Errorf("the call that ran: got %v", err)
	}
	doors.finish <- struct{}{} // its receipt finds the database closed
	again := start(t, newDoors().tools(), "--db", path)
	if _, err := again.call(t.Context(), "open_gate", "k", `{"door":"back"}`); errs.CodeOf(err) != errs.CodeOperationConflict {
		t.Errorf("the operation is known: got %v", err)
	}
}
