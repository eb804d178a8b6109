package errs_test

import (
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
)

// TestMessageTable is the table of the wire contract, word for word.
func TestMessageTable(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  errs.Error
		want string
	}{
		{
			"ToolError never",
			&errs.ToolError{Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled.", Retry: errs.Never},
			"Shipped orders cannot be cancelled. [order_already_shipped; do not retry]",
		},
		{
			"one step",
			slotStale.New(),
			"The selected slot is no longer available. [slot_stale; retry only after repair] Next action: " +
				"Call list_available_slots and wait for its result before continuing. " +
				"Choose a current slot, then retry with the same operationId.",
		},
		{
			"plan",
			paymentSourceStale.New(),
			"The source account changed after authorization. [payment_source_stale; retry only after repair] " +
				"Next actions, in order, one at a time, never in parallel: " +
				"1. Call list_payment_accounts and wait for its result before continuing. Refresh the source account state. " +
				"2. Call prepare_payment_authorization and wait for its result before continuing. Create a replacement authorization. " +
				"3. Retry the same operation with send_payment. Retry with the replacement authorization. " +
				"Keep unchanged: operationId, amount, receiverId. Replace from repair output: authorizationId.",
		},
		{
			"ValidationError",
			&errs.ValidationError{Subject: "cancel_order", Issues: []errs.Issue{
				{Path: "/orderId", Keyword: "required", Message: "is required"},
				{Path: "/reason", Keyword: "enum", Message: `must be one of "customer_request", "duplicate"`},
			}},
			`Input does not match the schema of cancel_order: /orderId is required; /reason must be one of "customer_request", ` +
				`"duplicate". [invalid_input; retry only after repair] Next action: Change the input.`,
		},
		{
			"BudgetExceededError",
			&errs.BudgetExceededError{Limit: errs.BudgetCost, LimitValue: 0.5, ActualValue: 0.62},
			"Run budget exceeded: cost 0.62 USD, limit 0.5 USD. [budget_exceeded; do not retry]",
		},
		{
			"OutcomeUnknownError",
			&errs.OutcomeUnknownError{Tool: "cancel_order"},
			"cancel_order may or may not have taken effect. [outcome_unknown; do not retry] Next action: " +
				"Reconcile the original operation under the same operation key; never use a new key.",
		},
		{
			"OperationTimeoutError",
			&errs.OperationTimeoutError{Operation: "fetch_page", Timeout: 1500 * time.Millisecond},
			"fetch_page timed out after 1500ms [operation_timeout; retry unchanged is allowed]",
		},
		{"AbortedError", &errs.AbortedError{}, "Agent run aborted [aborted; do not retry]"},
		{
			"delay of seconds",
			&errs.ToolError{Code: "warehouse_busy", Message: "Busy.", Retry: errs.AsIs, RetryAfter: 1001 * time.Millisecond},
			"Busy. [warehouse_busy; retry unchanged is allowed, after 2s]",
		},
		{
			"delay of milliseconds",
			&errs.ToolError{Code: "warehouse_busy", Message: "Busy.", Retry: errs.AsIs, RetryAfter: 399*time.Millisecond + 1},
			"Busy. [warehouse_busy; retry unchanged is allowed, after 400ms]",
		},
		{
			"inferred keyed",
			&errs.OutcomeUnknownError{Tool: "cancel_order", OperationKey: "k", Inferred: true, Keyed: true},
			"The answer to cancel_order was lost; it may or may not have taken effect. " +
				"[outcome_unknown; retry with the same operation key only] Next action: Retry the same operation. " +
				"Use the same operation key, never a new one.",
		},
		{
			"every action",
			&errs.ToolError{Code: "all_of_them", Message: "M.", Retry: errs.AfterRepair, Repair: errs.NewPlan(
				errs.ChangeInput("I."), errs.RefreshState("", ""), errs.RefreshState("read", ""), errs.AskUser(""), errs.Stop(""),
			)},
			"M. [all_of_them; retry only after repair] Next actions, in order, one at a time, never in parallel: " +
				"1. Change the input. I. 2. Refresh the state. 3. Refresh the state with read. 4. Ask the user. 5. Stop.",
		},
		{"no headline", &errs.ToolError{Code: "not_here"}, "not here. [not_here; do not retry]"},
		{
			"no headline, one step",
			&errs.ToolError{Code: "not_here", Repair: errs.NewPlan(errs.Stop(""))},
			"not here. [not_here; do not retry] Next action: Stop.",
		},
		{
			"no issues",
			&errs.ValidationError{Subject: "cancel_order"},
			"Input does not match the schema of cancel_order. [invalid_input; retry only after repair] Next action: Change the input.",
		},
		{
			"issues without words",
			&errs.ValidationError{Issues: []errs.Issue{{Keyword: "minLength"}, {Path: "/a"}}},
			"Input does not match the schema: the input fails minLength; /a is wrong. [invalid_input; retry only after repair] " +
				"Next action: Change the input.",
		},
		{
			"values",
			stockLow.New(errs.Value("left", 1e21), errs.Value("item", `a "quoted" [tag]`+"\n")),
			`Only 1000000000000000000000 of "a 'quoted' (tag)" are left until (unknown). [stock_low; retry unchanged is allowed]`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.err.Error(); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if got := test.err.GRPCStatus().Message(); got != test.want {
				t.Errorf("status: got %q", got)
			}
			if got := errs.Message(overWire(t, test.err)); got != test.want {
				t.Errorf("after the wire: got %q", got)
			}
		})
	}
}

func TestIssuesInAHeadline(t *testing.T) {
	t.Parallel()
	issue := errs.Issue{Path: "/aaaaaaaaaa", Message: "must not be longer than ten characters"}
	tests := []struct {
		name   string
		issues []errs.Issue
		want   string // end of the headline
		shown  int
	}{
		{"four", repeat(issue, 4), "characters.", 4},
		{"five", repeat(issue, 5), " (and 1 more).", 4},
		{"five hundred", repeat(issue, 500), " (and 496 more).", 4},
		{"long ones", repeat(errs.Issue{Path: "/a", Message: strings.Repeat("m", 150)}, 5), " (and 4 more).", 1},
		{"too long a one", repeat(errs.Issue{Path: "/a", Message: strings.Repeat("m", 400)}, 1), "….", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			headline, _, _ := strings.Cut((&errs.ValidationError{Subject: "t", Issues: test.issues}).Error(), " [")
			if n := len([]rune(headline)); n > 300 {
				t.Errorf("the headline has %d code points", n)
			}
			if !strings.HasSuffix(headline, test.want) {
				t.Errorf("got %q, want it to end in %q", headline, test.want)
			}
			if got := strings.Count(headline, ": /") + strings.Count(headline, "; /"); got != test.shown {
				t.Errorf("got %d issues, want %d: %q", got, test.shown, headline)
			}
		})
	}
}

func repeat[T any](v T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// TestMessageGivesRoomAwayInOrder has headlines that leave less and less of the message to what comes after them.
func TestMessageGivesRoomAwayInOrder(t *testing.T) {
	t.Parallel()
	raise := func(headline int, text string) string {
		return (&errs.ToolError{
			Code: "a_code", Message: trusted.Text(strings.Repeat(text, headline)), Retry: errs.AfterRepair,
			Repair: errs.NewPlan(
				errs.CallTool("first", "Instruction one of the plan, thirty-nine B."),
				errs.CallTool("second", "Instruction two of the plan, thirty-nine B."),
				errs.RetrySameOperation("third", ""),
			).WithPreserve("amount").WithUpdate("token"),
		}).Error()
	}
	// What comes after the headline, in the order in which it gets room. Instructions of steps that are shown may fill what an
	// action that did not fit leaves over.
	actions := []string{
		" [a_code; retry only after repair]",
		"1. Call first and wait for its result before continuing.",
		"2. Call second and wait for its result before continuing.",
		"3. Retry the same operation with third.",
	}
	rest := []string{
		"Instruction one of the plan, thirty-nine B.",
		"Instruction two of the plan, thirty-nine B.",
		" Keep unchanged: amount.",
		" Replace from repair output: token.",
	}
	shown := func(text string, parts []string) int {
		n := 0
		for n < len(parts) && strings.Contains(text, parts[n]) {
			n++
		}
		for _, part := range parts[n:] {
			if strings.Contains(text, part) {
				t.Fatalf("%q is shown and %q is not: %q", part, parts[n], text)
			}
		}
		return n
	}
	seenActions, seenRest := make(map[int]bool), make(map[int]bool)
	for _, letter := range []string{"x", "一", "🧾"} {
		for size := 1; size <= 300; size++ {
			got := raise(size, letter)
			if n := encodedLen(got); n > 768 {
				t.Fatalf("headline of %d %s: %d bytes", size, letter, n)
			}
			n, m := shown(got, actions), shown(got, rest)
			if n < len(actions) && m > n-1 {
				t.Fatalf("an instruction without its action: %q", got)
			}
			if missing := strings.Contains(got, " more step"); missing != (n < len(actions)) {
				t.Fatalf("headline of %d %s: %q", size, letter, got)
			}
			seenActions[n], seenRest[m] = true, true
		}
	}
	for n := 2; n <= len(actions); n++ {
		if !seenActions[n] {
			t.Errorf("no headline left room for exactly %d actions", n-1)
		}
	}
	for m := range len(rest) + 1 {
		if !seenRest[m] {
			t.Errorf("no headline left room for exactly %d of the rest", m)
		}
	}
}

// encodedLen is the length of s in a grpc-message header.
func encodedLen(s string) int {
	n := 0
	for _, b := range []byte(s) {
		if b < ' ' || b > '~' || b == '%' {
			n += 2
		}
		n++
	}
	return n
}
