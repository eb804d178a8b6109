package operations_test

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/operations"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// text is what a show function writes.
func text(show func(*term.Printer)) string {
	var b strings.Builder
	show(term.NewPrinter(&b, false))
	return b.String()
}

// TestContradicted has an operation that took effect after all, under a key that had another one before.
func TestContradicted(t *testing.T) {
	t.Parallel()
	o := operations.Of(&servicev1.Operation{
		Id: "op_2", Tool: "pay", OperationKey: "k", State: servicev1.OperationState_OPERATION_STATE_DONE, Contradicted: true, Crossings: 2,
		Verdict: servicev1.OperationVerdict_OPERATION_VERDICT_NOT_VERIFIED, VerdictReason: "the bank says otherwise",
		CreateTime: timestamppb.New(now.Add(-time.Minute)),
		Result:     &servicev1.ToolResult{Output: &servicev1.ToolResult_OutputStruct{OutputStruct: &structpb.Struct{}}},
		Trail: []*servicev1.OperationMove{
			{Time: timestamppb.New(now), To: servicev1.OperationState_OPERATION_STATE_FREE, OperationId: "op_1", Fence: 1, Note: "busy"},
			{
				Time: timestamppb.New(now), From: servicev1.OperationState_OPERATION_STATE_UNKNOWN,
				To: servicev1.OperationState_OPERATION_STATE_CLOSED, OperationId: "op_2", Fence: 2, Actor: "olga",
			},
		},
	})
	want := `pay under the key k
  state         done: it took effect
  contradicted  it took effect although it had been closed as not applied: look what was done since
  verdict       not_verified: the bank says otherwise
  operationId   op_2
  crossings     2
  created       2026-03-01T11:59:00.000Z, 1m ago

Result
  {}

Trail
  TIME                      FROM     TO      BY         OPERATION  NOTE
  2026-03-01T12:00:00.000Z  -        free    attempt 1  op_1       busy
  2026-03-01T12:00:00.000Z  unknown  closed  olga       op_2
`
	if got := text(func(p *term.Printer) { o.Text(p, now) }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := o.Line(), "-  done     not_verified  contradicted; the bank says otherwise"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProgress has an operation say how far it is, in every way.
func TestProgress(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*servicev1.OperationProgress{
		"3 of 7 (42 %), parcels": {Done: 3, Total: 7, Message: "parcels"},
		"0 of 2.5 (0 %)":         {Total: 2.5},
		"12":                     {Done: 12},
		"waiting for the bank":   {Message: "waiting for the bank"},
		"0":                      {},
	} {
		p.Time = timestamppb.New(now.Add(-3 * time.Second))
		o := operations.Of(&servicev1.Operation{State: servicev1.OperationState_OPERATION_STATE_EFFECT, Progress: p})
		if got := o.Line(); got != "2026-03-01T11:59:57.000Z  effect   "+want {
			t.Errorf("got %q, want %q", got, want)
		}
		want = "  progress      " + want + "; 2026-03-01T11:59:57.000Z, 3s ago\n"
		if got := text(func(p *term.Printer) { o.Text(p, now) }); !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
}

// TestResult says why there is none to be seen.
func TestResult(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]*operations.Operation{
		"an equal call under the same key gets it": {State: "done"},
		"Its output is not kept.":                  {State: "done", Result: &operations.Result{OutputOmitted: true}},
		"It has no output.":                        {State: "done", Result: &operations.Result{}},
	} {
		if got := text(func(p *term.Printer) { o.Text(p, now) }); !strings.Contains(got, "\nResult\n") || !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
	if got := text(func(p *term.Printer) { (&operations.Operation{State: "free"}).Text(p, now) }); strings.Contains(got, "Result") {
		t.Errorf("got\n%s", got)
	}
}

// TestTable shows whose operations are listed where that differs.
func TestTable(t *testing.T) {
	t.Parallel()
	ages := []time.Duration{-time.Hour, 59 * time.Second, 59 * time.Minute, 47 * time.Hour, 48 * time.Hour}
	all := make([]*operations.Operation, 0, len(ages)+1)
	for _, age := range ages {
		all = append(all, &operations.Operation{ID: "op", Tool: "t", OperationKey: "k", CreateTime: now.Add(-age), Principal: "a"})
	}
	want := `ID  STATE  TOOL  KEY  AGE  CROSSINGS  VERDICT  REASON
op  -      t     k    0s   0          -
op  -      t     k    59s  0          -
op  -      t     k    59m  0          -
op  -      t     k    47h  0          -
op  -      t     k    2d   0          -
`
	if got := text(func(p *term.Printer) { operations.Table(p, all, now) }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	all = append(all[:1], &operations.Operation{Reason: strings.Repeat("x", 100)})
	want = `ID  STATE  TOOL  KEY  AGE  CROSSINGS  VERDICT  PRINCIPAL  REASON
op  -      t     k    0s   0          -        a
    -                 -    0          -        -          ` + strings.Repeat("x", 80) + "…\n"
	if got := text(func(p *term.Printer) { operations.Table(p, all, now) }); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestStates(t *testing.T) {
	t.Parallel()
	for word, state := range operations.States() {
		if operations.State(state) != word {
			t.Errorf("%s is %v", word, state)
		}
	}
	if got := len(operations.States()); got != len(servicev1.OperationState_name)-1 {
		t.Errorf("%d states", got)
	}
}
