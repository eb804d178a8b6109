package errs

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// floor is what every error must fit into at the end of the ladder: the smallest limit, less what is left to others.
const floor = MinLimit - otherTrailers

// fullForm has something for every rung.
func fullForm() *form {
	f := &form{
		domain:      "shop.v1",
		code:        "slot_stale",
		status:      codes.FailedPrecondition,
		retry:       AfterRepair,
		tool:        true,
		headline:    strings.Repeat("h", 200),
		details:     []byte{1},
		after:       time.Second,
		messageSize: fullMessage,
		declared:    &anypb.Any{TypeUrl: typePrefix + "shop.v1.SlotStale", Value: []byte{1}},
		plan: newPlan(
			[]Step{CallTool("first", guide.Text(strings.Repeat("i", 200))), AskUser("Short.")},
			[]string{"a", "b"},
			[]string{"c"},
		),
		help:   &errdetails.Help{Links: []*errdetails.Help_Link{{Url: "https://example.com"}}},
		causes: []*remedyv1.Cause{{Message: "1", Causes: []*remedyv1.Cause{{Message: "1.1"}}}, {Message: "2"}},
		extras: []*anypb.Any{{TypeUrl: "x/unknown", Value: []byte{1}}},
	}
	f.badRequest = &errdetails.BadRequest{}
	for range 6 {
		f.badRequest.FieldViolations = append(f.badRequest.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: "f"})
	}
	return f
}

// TestLadderRungByRung takes everything away in the order of the wire contract and looks at what is left after each step.
func TestLadderRungByRung(t *testing.T) {
	t.Parallel()
	f := fullForm()
	var rungs []string
	first, _ := f.pack()
	last := listCost(first)
	for rung := range f.ladder() {
		rungs = append(rungs, rung)
		p, _ := f.pack()
		cost := listCost(p)
		if cost >= last {
			t.Errorf("%s saves nothing: %d, then %d", rung, last, cost)
		}
		last = cost
	}
	want := []string{
		"details", "help", "causes", "causes", "causes", "unknown details", "issues", "issues", "declared message",
		"instructions", "instructions", "instructions", "invariants", "invariants", "invariants",
		"last issues", "last issues", "last issues", "message",
	}
	if !slices.Equal(rungs, want) {
		t.Errorf("got  %q\nwant %q", rungs, want)
	}
	p, _ := f.pack()
	var kinds []string
	for _, d := range p.GetDetails() {
		kinds = append(kinds, messageName(d))
	}
	want = []string{
		"google.rpc.ErrorInfo", "remedy.v1.ToolError", "shop.v1.SlotStale", "remedy.v1.RepairPlan", "google.rpc.BadRequest",
		"google.rpc.RetryInfo",
	}
	if !slices.Equal(kinds, want) {
		t.Errorf("left over: %q", kinds)
	}
	steps := f.plan.Steps()
	if len(steps) != 2 || steps[0].Tool() != "first" || steps[0].Action() != ActionCallTool || steps[0].Instruction() != "" {
		t.Errorf("steps left over: %+v", steps)
	}
	if len(p.GetMessage()) > shortMessage ||
		!strings.HasPrefix(p.GetMessage(), strings.Repeat("h", shortHeadline-9)+"… [slot_stale; retry only after repair] Next actions") {
		t.Errorf("message left over: %q", p.GetMessage())
	}
}

// TestLadderOrderOfCuts: from the end, and what is said of the others stays.
func TestLadderOrderOfCuts(t *testing.T) {
	t.Parallel()
	step := func(t *testing.T, f *form, rung string, n int) {
		t.Helper()
		for got := range f.ladder() {
			if got != rung {
				t.Fatalf("got %s, want %s", got, rung)
			}
			n--
			if n == 0 {
				return
			}
		}
	}
	f := &form{identity: &remedyv1.ToolNotAllowedError{AllowedUnion: []string{"a", "b"}, ActiveSkills: []string{"s", "t"}}}
	m := f.identity.(*remedyv1.ToolNotAllowedError)
	step(t, f, "lists", 1)
	if !slices.Equal(m.GetAllowedUnion(), []string{"a"}) || len(m.GetActiveSkills()) != 2 {
		t.Errorf("got %v", m)
	}
	step(t, f, "lists", 2)
	if len(m.GetAllowedUnion()) != 0 || !slices.Equal(m.GetActiveSkills(), []string{"s"}) {
		t.Errorf("got %v", m)
	}
	pairing := &remedyv1.ToolPairingError{Repairs: []*remedyv1.PairingRepair{{CallId: "1"}, {CallId: "2"}}}
	step(t, &form{identity: pairing}, "lists", 1)
	if len(pairing.GetRepairs()) != 1 || pairing.GetRepairs()[0].GetCallId() != "1" {
		t.Errorf("got %v", pairing)
	}
	issues := &remedyv1.ValidationError{Issues: []*remedyv1.Issue{{Path: "1"}, {Path: "2"}, {Path: "3"}, {Path: "4"}, {Path: "5"}}}
	f = &form{
		identity:   issues,
		badRequest: &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{{}, {}, {}, {}, {}}},
	}
	step(t, f, "issues", 1)
	if len(issues.GetIssues()) != 4 || issues.GetIssues()[3].GetPath() != "4" || len(f.badRequest.GetFieldViolations()) != 4 {
		t.Errorf("got %v, %v", issues, f.badRequest)
	}
	step(t, f, "last issues", 3)
	if len(issues.GetIssues()) != 1 || issues.GetIssues()[0].GetPath() != "1" || len(f.badRequest.GetFieldViolations()) != 1 {
		t.Errorf("got %v, %v", issues, f.badRequest)
	}
	f = &form{plan: newPlan([]Step{Stop("first"), Stop("last")}, []string{"p", "q"}, []string{"u"})}
	step(t, f, "instructions", 1)
	if s := f.plan.Steps(); s[0].Instruction() != "first" || s[1].Instruction() != "" {
		t.Errorf("got %+v", s)
	}
	f = &form{plan: newPlan([]Step{Stop("")}, []string{"p", "q"}, []string{"u"})}
	step(t, f, "invariants", 2)
	if !slices.Equal(f.plan.Preserve(), []string{"p"}) || len(f.plan.Update()) != 0 {
		t.Errorf("got %v, %v", f.plan.Preserve(), f.plan.Update())
	}
	f = &form{causes: []*remedyv1.Cause{{Message: "1", Causes: []*remedyv1.Cause{{Message: "1.1"}, {Message: "1.2"}}}}}
	step(t, f, "causes", 1)
	if got := f.causes[0].GetCauses(); len(got) != 1 || got[0].GetMessage() != "1.1" {
		t.Errorf("got %v", f.causes)
	}
}

// maximal are errors of every row of the catalog with every string and list beyond its bound, as wide as UTF-8 and percent
// encoding make them.
func maximal() map[string]typed {
	const wide = "🧾" // four bytes, twelve in a header
	long := func(n int) string { return strings.Repeat(wide, n) }
	text := guide.Text(long(400))
	key, id, tool := strings.Repeat("k", 64), strings.Repeat("i", 36), strings.Repeat("t", 64)
	var issues []Issue
	var repairs []PairingRepair
	var list []string
	for range 40 {
		issues = append(issues, Issue{Path: "/" + long(40), Keyword: long(40), Message: long(200)})
		repairs = append(repairs, PairingRepair{CallID: long(40), MessageIndex: -1, Mode: long(40)})
		list = append(list, long(40))
	}
	yes, pid := true, int64(-1)
	at := time.Date(9999, 12, 31, 23, 59, 59, 999_999_999, time.UTC)
	const never = 1<<63 - 1
	all := map[string]typed{
		"validation":    &ValidationError{Subject: long(40), Issues: issues, Message: text},
		"authorization": &AuthorizationError{Tool: tool, Reason: long(40), Message: text},
		"verification":  &VerificationError{Tool: tool, OperationKey: key, Reason: long(40), OperationID: id, Message: text},
		"unknown":       &OutcomeUnknownError{Tool: long(40), OperationKey: key, OperationID: id, Reason: long(40), Message: text},
		"inferred": &OutcomeUnknownError{
			Tool:         long(40),
			OperationKey: key,
			OperationID:  id,
			Reason:       long(40),
			Inferred:     true,
			Message:      text,
		},
		"keyed": &OutcomeUnknownError{
			Tool:         tool,
			OperationKey: key,
			OperationID:  id,
			Reason:       long(40),
			Inferred:     true,
			Keyed:        true,
			Message:      text,
		},
		"aborted": &AbortedError{RunID: id, Reason: long(40), Message: text},
		"budget": &BudgetExceededError{
			Limit:       BudgetCost,
			LimitValue:  -1.2345678901234567e300,
			ActualValue: 1e308,
			RunID:       id,
			BudgetRunID: id,
			LimitNanos:  -1,
			ActualNanos: -1,
			Message:     text,
		},
		"context":  &ContextExceededError{Provider: long(40), ProviderCode: long(40), Message: text},
		"not here": &ToolNotAllowedError{ToolName: tool, DisplayName: long(40), ActiveSkills: list, AllowedUnion: list, Message: text},
		"pairing":  &ToolPairingError{Provider: long(40), ProviderCode: long(40), Repairs: repairs, Message: text},
		"timeout":  &OperationTimeoutError{Operation: long(40), Timeout: -never, RetryAfter: never, Message: text},
		"resume":   &LengthResumeExhaustedError{Provider: long(40), Attempts: -1, Message: text},
	}
	limits := []*ProviderLimit{nil}
	for _, kind := range []LimitKind{LimitRate, LimitQuota, LimitOverload} {
		limits = append(limits, &ProviderLimit{Kind: kind, RetryAfter: never, ResetsAt: at, Window: long(40)})
	}
	for i, limit := range limits {
		for _, retryable := range []*bool{nil, &yes} {
			name := "provider " + string(rune('0'+i))
			if retryable != nil {
				name += " retryable"
			}
			all[name] = &ProviderError{Provider: long(40), ProviderCode: long(40), Retryable: retryable, Limit: limit, Message: text}
		}
	}
	for value := range catalog()["remedy.v1.ConfirmationError"].rows {
		all["confirmation "+value] = &ConfirmationError{
			Tool: tool, OperationKey: key, Reason: ConfirmationReason(value), ConfirmationID: id, ExpiresAt: at, Message: text,
		}
	}
	for value := range catalog()["remedy.v1.AuthError"].rows {
		all["auth "+value] = &AuthError{
			Auth: AuthFailure{
				Kind: AuthKind(
					strings.ToLower(strings.TrimPrefix(value, "KIND_")),
				),
				Source:       AuthIntegration,
				Provider:     long(40),
				ProviderID:   long(40),
				AccountID:    long(40),
				AccountLabel: long(40),
				HolderPID:    &pid,
			},
			RetryAfter: never, Message: text,
		}
	}
	for value := range catalog()["remedy.v1.ServiceError"].rows {
		all["service "+value] = &ServiceError{Code: Code(value), Subject: long(40), RetryAfter: never, Message: text}
	}
	steps := make([]Step, 9)
	for i := range steps {
		steps[i] = CallTool(tool, text)
	}
	names := make([]string, 40)
	for i := range names {
		names[i] = strings.Repeat("n", 62) + string(rune('A'+i%26)) + "p"
	}
	others := make([]string, 40)
	for i := range others {
		others[i] = strings.Repeat("n", 62) + string(rune('A'+i%26)) + "u"
	}
	all["tool"] = &ToolError{
		Code: strings.Repeat(
			"c",
			63,
		),
		Retry:      AfterRepair,
		Message:    text,
		Repair:     NewPlan(steps...).WithPreserve(names...).WithUpdate(others...),
		RetryAfter: never,
		Details:    map[string]any{"a": long(4000)},
	}
	for _, e := range all {
		e.state().own().info = Info{Tool: tool, OperationKey: key, OperationID: id, RunID: id, ErrorID: id, Effect: EffectUnknown}
		e.state().own().also = []Error{&AbortedError{RunID: id, Message: text}, &AbortedError{RunID: id, Message: text}}
	}
	return all
}

// TestFloor takes the largest error of every row down the whole ladder: what cannot be cut fits.
func TestFloor(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	highest, which := 0, ""
	for name, e := range maximal() {
		f := &form{messageSize: fullMessage}
		e.describe(f)
		if f.problem != "" {
			t.Errorf("%s: %s", name, f.problem)
			continue
		}
		seen[f.code] = true
		f.info = e.state().more.info.merged(f.info)
		f.info.Truncated, f.info.Domain = true, strings.Repeat("d", maxDomainBytes)
		if f.tool {
			f.domain = f.info.Domain
			f.declared = &anypb.Any{TypeUrl: typePrefix + f.domain + "." + strings.Repeat("N", 64), Value: make([]byte, 1<<20)}
		}
		f.causes = causesOf(e, e.state().more.also)
		for range f.ladder() {
		}
		p, _ := f.pack()
		if cost := listCost(p); cost > floor {
			t.Errorf("%s: the floor is %d bytes, at most %d fit", name, cost, floor)
		} else if cost > highest {
			highest, which = cost, name
		}
		if authored.WireLen(p.GetMessage()) > shortMessage {
			t.Errorf("%s: the message has %d bytes", name, authored.WireLen(p.GetMessage()))
		}
	}
	t.Logf("the highest floor is %d bytes: %s", highest, which)
	for _, table := range catalog() {
		for _, r := range table.rows {
			if !seen[r.code] {
				t.Errorf("no error has the code %s", r.code)
			}
		}
	}
}

// TestMaximalErrors are sent at several limits: their type survives, and truncated says that something is missing.
func TestMaximalErrors(t *testing.T) {
	t.Parallel()
	for name, e := range maximal() {
		for _, limit := range []int{0, 5000, MaxLimit} {
			out := Encoder{Limit: limit}.Encode(e, "/a.B/C", false)
			p := out.Status.Proto()
			if cost := listCost(p); cost > room(limit) {
				t.Errorf("%s: %d bytes, limit %d", name, cost, limit)
			}
			if authored.WireLen(p.GetMessage()) > fullMessage {
				t.Errorf("%s: the message has %d bytes", name, authored.WireLen(p.GetMessage()))
			}
			raw, err := proto.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			var q spb.Status
			if err := proto.Unmarshal(raw, &q); err != nil {
				t.Fatal(err)
			}
			back := FromStatus(out.Status)
			if got, want := CodeOf(back), CodeOf(e); got != want || !InfoOf(back).Truncated {
				t.Errorf("%s: got %s, %+v", name, got, InfoOf(back))
			}
			if got, ok := asTyped(back); !ok || typeName(got) != typeName(e) {
				t.Errorf("%s: got %T", name, back)
			}
			if after, ok := RetryAfterOf(e); ok {
				if got, _ := RetryAfterOf(back); got != after {
					t.Errorf("%s: RetryInfo: got %s, want %s", name, got, after)
				}
			}
			for i, step := range PlanOf(e).All() {
				if got := PlanOf(back).Steps()[i]; got.Action() != step.Action() || got.Tool() != step.Tool() {
					t.Errorf("%s: step %d: got %+v", name, i+1, got)
				}
			}
		}
	}
}

func typeName(e any) string { return reflect.TypeOf(e).String() }
