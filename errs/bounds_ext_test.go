package errs_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// TestBounds has every bound of what enters a status, at its edge and one above. Where something is cut, truncated says so.
func TestBounds(t *testing.T) {
	t.Parallel()
	x := func(n int) string { return strings.Repeat("x", n) }
	wide := func(n int) string { return strings.Repeat("ü", n) } // two bytes
	runes := utf8.RuneCountInString
	issues := func(n int, issue errs.Issue) *errs.ValidationError {
		return &errs.ValidationError{Subject: "t", Issues: repeat(issue, n)}
	}
	planned := func(p *errs.Plan) *errs.ToolError { return &errs.ToolError{Code: "some_code", Repair: p} }
	tests := []struct {
		name  string
		most  int
		raise func(n int) errs.Error
		size  func(e error) int // of what arrives
	}{
		{
			"identity string", 128,
			func(n int) errs.Error { return &errs.AuthorizationError{Tool: "t", Reason: x(n)} },
			func(e error) int { return len(as[*errs.AuthorizationError](e).Reason) },
		},
		{
			"identity string, two bytes", 64,
			func(n int) errs.Error { return &errs.AuthorizationError{Tool: "t", Reason: wide(n)} },
			func(e error) int { return runes(as[*errs.AuthorizationError](e).Reason) },
		},
		{
			"subject", 128,
			func(n int) errs.Error { return &errs.ValidationError{Subject: x(n)} },
			func(e error) int { return len(as[*errs.ValidationError](e).Subject) },
		},
		{
			"provider", 128,
			func(n int) errs.Error { return &errs.ProviderError{Provider: x(n)} },
			func(e error) int { return len(as[*errs.ProviderError](e).Provider) },
		},
		{
			"window", 128,
			func(n int) errs.Error { return &errs.ProviderError{Limit: &errs.ProviderLimit{Window: x(n)}} },
			func(e error) int { return len(as[*errs.ProviderError](e).Limit.Window) },
		},
		{
			"tool", 64,
			func(n int) errs.Error { return &errs.AuthorizationError{Tool: x(n)} },
			func(e error) int { return len(as[*errs.AuthorizationError](e).Tool) },
		},
		{
			"issues", 16,
			func(n int) errs.Error { return issues(n, errs.Issue{Path: "/a", Message: "is wrong"}) },
			func(e error) int { return len(as[*errs.ValidationError](e).Issues) },
		},
		{
			"issue message", 160,
			func(n int) errs.Error { return issues(1, errs.Issue{Message: x(n)}) },
			func(e error) int { return runes(as[*errs.ValidationError](e).Issues[0].Message) },
		},
		{
			"issue message, four bytes", 160,
			func(n int) errs.Error { return issues(1, errs.Issue{Message: strings.Repeat("🧾", n)}) },
			func(e error) int { return runes(as[*errs.ValidationError](e).Issues[0].Message) },
		},
		{
			"issue keyword", 128,
			func(n int) errs.Error { return issues(1, errs.Issue{Keyword: x(n)}) },
			func(e error) int { return len(as[*errs.ValidationError](e).Issues[0].Keyword) },
		},
		{
			"skills", 8,
			func(n int) errs.Error { return &errs.ToolNotAllowedError{ToolName: "t", ActiveSkills: repeat("s", n)} },
			func(e error) int { return len(as[*errs.ToolNotAllowedError](e).ActiveSkills) },
		},
		{
			"patterns", 16,
			func(n int) errs.Error { return &errs.ToolNotAllowedError{ToolName: "t", AllowedUnion: repeat("s", n)} },
			func(e error) int { return len(as[*errs.ToolNotAllowedError](e).AllowedUnion) },
		},
		{
			"pattern", 128,
			func(n int) errs.Error { return &errs.ToolNotAllowedError{ToolName: "t", AllowedUnion: []string{x(n)}} },
			func(e error) int { return len(as[*errs.ToolNotAllowedError](e).AllowedUnion[0]) },
		},
		{
			"repairs", 16,
			func(n int) errs.Error {
				return &errs.ToolPairingError{Repairs: repeat(errs.PairingRepair{CallID: "c"}, n)}
			},
			func(e error) int { return len(as[*errs.ToolPairingError](e).Repairs) },
		},
		{
			"headline", 300,
			func(n int) errs.Error { return &errs.ToolError{Code: "some_code", Message: trusted.Text(x(n))} },
			func(e error) int { return runes(string(as[*errs.ToolError](e).Message)) },
		},
		{
			"headline of the catalog", 300,
			func(n int) errs.Error { return &errs.AbortedError{Message: trusted.Text(x(n))} },
			func(e error) int { return runes(string(as[*errs.AbortedError](e).Message)) },
		},
		{
			"steps", 5,
			func(n int) errs.Error { return planned(errs.NewPlan(repeat(errs.Stop(""), n)...)) },
			func(e error) int { return len(errs.PlanOf(e).Steps()) },
		},
		{
			"preserve", 16,
			func(n int) errs.Error { return planned(errs.NewPlan().WithPreserve(repeat("f", n)...).WithUpdate("u")) },
			func(e error) int { return len(errs.PlanOf(e).Preserve()) },
		},
		{
			"update", 16,
			func(n int) errs.Error { return planned(errs.NewPlan().WithUpdate(repeat("f", n)...)) },
			func(e error) int { return len(errs.PlanOf(e).Update()) },
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if e := overWire(t, test.raise(test.most)); test.size(e) != test.most || errs.InfoOf(e).Truncated {
				t.Errorf("%d: %d arrive, %+v", test.most, test.size(e), errs.InfoOf(e))
			}
			if e := overWire(t, test.raise(test.most+1)); test.size(e) != test.most || !errs.InfoOf(e).Truncated {
				t.Errorf("%d: %d arrive, %+v", test.most+1, test.size(e), errs.InfoOf(e))
			}
		})
	}
}

// TestBoundsOfAMessage has what is bounded only where it is shown: all of it travels.
func TestBoundsOfAMessage(t *testing.T) {
	t.Parallel()
	raise := func(instruction, value int, names int) *errs.ToolError {
		fields := make([]string, names)
		for i := range fields {
			fields[i] = fmt.Sprintf("f%d", i)
		}
		return &errs.ToolError{
			Code: "some_code", Message: trusted.Text("Value " + strings.Repeat("v", value)), Retry: errs.AfterRepair,
			Repair: errs.NewPlan(errs.AskUser(trusted.Text(strings.Repeat("i", instruction)))).WithPreserve(fields...),
		}
	}
	got := raise(160, 1, 8).Error()
	if !strings.Contains(got, strings.Repeat("i", 160)+" Keep unchanged: f0, f1, f2, f3, f4, f5, f6, f7.") {
		t.Errorf("at the edge: %q", got)
	}
	over := overWire(t, raise(161, 1, 9))
	got = over.Error()
	if !strings.Contains(got, strings.Repeat("i", 159)+"… Keep unchanged: f0, f1, f2, f3, f4, f5, f6, f7 (and 1 more).") {
		t.Errorf("above: %q", got)
	}
	if p := errs.PlanOf(over); len(p.Steps()[0].Instruction()) != 161 || len(p.Preserve()) != 9 {
		t.Errorf("the plan is cut too: %d, %d", len(p.Steps()[0].Instruction()), len(p.Preserve()))
	}
	item := func(n int) string { return stockLow.New(errs.Value("item", strings.Repeat("ü", n))).Error() }
	if got := item(64); !strings.Contains(got, `"`+strings.Repeat("ü", 64)+`"`) {
		t.Errorf("a value of 64: %q", got)
	}
	if got := item(65); !strings.Contains(got, `"`+strings.Repeat("ü", 63)+`…"`) {
		t.Errorf("a value of 65: %q", got)
	}
}

// TestPaths cuts a JSON Pointer between tokens, so that what is left is a place too.
func TestPaths(t *testing.T) {
	t.Parallel()
	path := func(p string) (string, string) {
		e := overWire(t, &errs.ValidationError{Issues: []errs.Issue{{Path: p, Message: "m"}}})
		bad := detailOf[*errdetails.BadRequest](t, as[errs.Error](e).GRPCStatus())
		return as[*errs.ValidationError](e).Issues[0].Path, bad.GetFieldViolations()[0].GetField()
	}
	tests := []struct{ path, want, field string }{
		{"", "", ""},
		{"/orderId", "/orderId", "orderId"},
		{"/items/0/name", "/items/0/name", "items[0].name"},
		{"/0", "/0", "[0]"},
		{"/a~1b/c~0d", "/a~1b/c~0d", "a/b.c~d"},
		{"orderId", "orderId", "orderId"},
		{"/" + strings.Repeat("a", 127), "/" + strings.Repeat("a", 127), strings.Repeat("a", 127)},
		{"/b/" + strings.Repeat("a", 127), "/b", "b"},
		{"/" + strings.Repeat("a", 128), "", ""},
	}
	for _, test := range tests {
		if got, field := path(test.path); got != test.want || field != test.field {
			t.Errorf("%q: got %q and %q, want %q and %q", test.path, got, field, test.want, test.field)
		}
	}
}

// TestEnormous raises errors with a megabyte in one place: the type arrives, truncated is set, the list is within bounds.
func TestEnormous(t *testing.T) {
	t.Parallel()
	mega := strings.Repeat("m", 1<<20)
	text := trusted.Text(mega)
	step := errs.CallTool("list_slots", text)
	many := make(map[string]any)
	for i := range 100_000 {
		many[fmt.Sprintf("key-%d", i)] = i
	}
	tests := []struct {
		name string
		err  errs.Error
	}{
		{"plan", &errs.ToolError{Code: "some_code", Retry: errs.AfterRepair, Repair: errs.NewPlan(step, step, step, step, step)}},
		{"names", &errs.ToolError{Code: "some_code", Repair: errs.NewPlan().WithPreserve(repeat(strings.Repeat("n", 64), 10_000)...)}},
		{"details", &errs.ToolError{Code: "some_code", Details: map[string]any{"text": mega}}},
		{"many details", &errs.ToolError{Code: "some_code", Details: many}},
		{"headline", &errs.ToolError{Code: "some_code", Message: text}},
		{"headline of the catalog", &errs.AbortedError{Message: text}},
		{"headline of CJK", &errs.AbortedError{Message: trusted.Text(strings.Repeat("一", 1<<18))}},
		{"issues", &errs.ValidationError{Subject: mega, Issues: repeat(errs.Issue{Path: "/" + mega, Keyword: mega, Message: mega}, 500)}},
		{"value", stockLow.New(errs.Value("left", mega), errs.Value("item", mega), errs.Value("until", mega), errs.Details(many))},
		{"declared", shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: mega, Cursor: []byte(mega)})},
		{
			"declared, maximal",
			shopv1.NewSettlementHeld(&shopv1.SettlementHeld{SettlementId: mega, Evidence: repeat(mega, 4), Attachment: []byte(mega)},
				errs.Detail("more", mega), errs.Cause(&errs.AbortedError{Message: text})),
		},
		{"causes", &errs.AbortedError{Cause: &errs.AuthorizationError{Reason: mega, Message: text, Cause: &errs.AbortedError{Message: text}}}},
		{"lists", &errs.ToolNotAllowedError{ToolName: mega, ActiveSkills: repeat(mega, 100), AllowedUnion: repeat(mega, 100)}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := errs.WithInfo(test.err, errs.Info{OperationKey: strings.Repeat("k", 64), RunID: strings.Repeat("r", 36)})
			st := errs.ToStatus(err)
			if n := cost(st); n > 4096-256 {
				t.Errorf("the list takes %d bytes", n)
			}
			if n := encodedLen(st.Message()); n > 768 {
				t.Errorf("the message takes %d bytes", n)
			}
			got := receive(t, st)
			if !asOwn(got, test.err) || errs.CodeOf(got) != errs.Code(test.err.ErrorCode()) || errs.RetryOf(got) != test.err.RetryPolicy() {
				t.Errorf("got %T %s", got, errs.CodeOf(got))
			}
			// A value is cut where it is shown, and a cause says for itself that something of it is missing.
			if test.name != "value" && test.name != "causes" && !errs.InfoOf(got).Truncated {
				t.Error("nothing says that something is missing")
			}
			if len(errs.PlanOf(got).Steps()) != len(test.err.Plan().Steps()) {
				t.Errorf("%d steps arrive", len(errs.PlanOf(got).Steps()))
			}
			if diff := cmp.Diff(marshal(t, st), marshal(t, errs.ToStatus(got))); diff != "" {
				t.Error("the next hop sends something else")
			}
		})
	}
}
