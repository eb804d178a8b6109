package conformance_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// row is one row of the catalog: a message of errors.proto and a value of its discriminator.
type row struct {
	class, value string
	options      *remedyv1.ErrorOptions
	shared       bool // other rows of the message have the same code
}

// catalogRows reads every row from the options of errors.proto.
func catalogRows() []row {
	var rows []row
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	for i := range messages.Len() {
		m := messages.Get(i)
		options, _ := proto.GetExtension(m.Options(), remedyv1.E_Error).(*remedyv1.ErrorOptions)
		if options == nil || !proto.HasExtension(m.Options(), remedyv1.E_Error) {
			continue
		}
		class := string(m.Name())
		if len(options.GetCases()) == 0 {
			rows = append(rows, row{class: class, options: options})
		}
		for _, c := range options.GetCases() {
			rows = append(rows, row{class: class, value: c.GetValue(), options: c.GetError()})
		}
	}
	count := make(map[string]int)
	for _, r := range rows {
		count[r.options.GetCode()]++
	}
	for i := range rows {
		rows[i].shared = count[rows[i].options.GetCode()] > 1
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.options.GetCode(), b.options.GetCode()) })
	return rows
}

// name tells the row from all others.
func (r row) name() string {
	if !r.shared {
		return r.options.GetCode()
	}
	return r.options.GetCode() + "/" + strings.ToLower(strings.TrimPrefix(r.value, "KIND_"))
}

// enum is the number of the row's value in an enum.
func enum[E ~int32](values map[string]int32, name string) E { return E(values[name]) }

// typical is the error of a row as one meets it.
func (r row) typical(tb testing.TB) vector.Input {
	tb.Helper()
	in := vector.Input{Class: r.class}
	var m proto.Message
	switch r.class {
	case "ValidationError":
		m = &remedyv1.ValidationError{Subject: "cancel_order", Issues: []*remedyv1.Issue{
			{Path: "/orderId", Keyword: "required", Message: "is required"},
			{Path: "/items/0/reason", Keyword: "enum", Message: `must be one of "customer_request", "duplicate"`},
		}}
	case "AuthorizationError":
		m = &remedyv1.AuthorizationError{Tool: "cancel_order", Reason: "not_owner"}
	case "ConfirmationError":
		m = &remedyv1.ConfirmationError{
			Tool: "send_payment", OperationKey: "payment-7", Reason: r.value, ConfirmationId: "0192-c1",
			ExpiresAt: &timestamppb.Timestamp{Seconds: 1_800_000_000},
		}
	case "VerificationError":
		m = &remedyv1.VerificationError{Tool: "send_payment", OperationKey: "payment-7", Reason: "not_verified", OperationId: "0192-o1"}
	case "OutcomeUnknownError":
		in.Keyed = r.value == "inferred_keyed"
		m = &remedyv1.OutcomeUnknownError{
			Tool: "send_payment", OperationKey: "payment-7", OperationId: "0192-o1", Reason: "the answer was lost",
			Inferred: r.value != "reported",
		}
	case "AbortedError":
		m = &remedyv1.AbortedError{RunId: "0192-r1", Reason: "the user left"}
	case "AuthError":
		a := &remedyv1.AuthFailure{
			Kind:   enum[remedyv1.AuthFailure_Kind](remedyv1.AuthFailure_Kind_value, r.value),
			Source: remedyv1.AuthFailure_SOURCE_MCP, Provider: "github", ProviderId: "github-enterprise", AccountId: "a-42",
			AccountLabel: "Ada",
		}
		if r.value == "KIND_BUSY" {
			a.HolderPid = proto.Int64(4242)
			in.RetryAfter = "1.500s"
		}
		m = &remedyv1.AuthError{Auth: a}
	case "BudgetExceededError":
		m = &remedyv1.BudgetExceededError{
			Limit: remedyv1.BudgetLimit_BUDGET_LIMIT_COST, LimitValue: 0.5, ActualValue: 0.62, RunId: "0192-r2",
			BudgetRunId: "0192-r1", LimitNanos: 500_000_000, ActualNanos: 620_000_001,
		}
	case "ContextExceededError":
		m = &remedyv1.ContextExceededError{Provider: "anthropic", ProviderCode: "invalid_request_error"}
	case "ProviderError":
		m = r.providerError()
	case "ToolNotAllowedError":
		m = &remedyv1.ToolNotAllowedError{
			ToolName: "fs.write", DisplayName: "Write a file", ActiveSkills: []string{"review"}, AllowedUnion: []string{"fs.read", "git_*"},
		}
	case "ToolPairingError":
		m = &remedyv1.ToolPairingError{Provider: "anthropic", ProviderCode: "invalid_request_error", Repairs: []*remedyv1.PairingRepair{
			{CallId: "call_1", MessageIndex: 3, Mode: "drop_result"}, {MessageIndex: 0, Mode: "merge"},
		}}
	case "OperationTimeoutError":
		m = &remedyv1.OperationTimeoutError{Operation: "fetch_page", Timeout: &durationpb.Duration{Seconds: 1, Nanos: 500_000_000}}
	case "LengthResumeExhaustedError":
		m = &remedyv1.LengthResumeExhaustedError{Provider: "anthropic", Attempts: 3}
	case "ServiceError":
		if r.options.GetRetry() == remedyv1.RetryPolicy_RETRY_POLICY_AS_IS {
			in.RetryAfter = "0.250s"
		}
		m = &remedyv1.ServiceError{Code: r.value, Subject: "cancel_order"}
	default:
		tb.Fatalf("%s is new: give it a typical and a capped error here", r.class)
	}
	in.Fields = fieldsOf(tb, m)
	return in
}

// providerError has what makes its class the one of the row.
func (r row) providerError() *remedyv1.ProviderError {
	m := &remedyv1.ProviderError{Provider: "openai", ProviderCode: "rate_limit_exceeded"}
	limit := &remedyv1.ProviderLimit{
		Kind: remedyv1.ProviderLimit_KIND_RATE_LIMIT, RetryAfter: &durationpb.Duration{Seconds: 20},
		ResetsAt: &timestamppb.Timestamp{Seconds: 1_800_000_000}, Window: "1m",
	}
	switch r.value {
	case "overload":
		limit.Kind = remedyv1.ProviderLimit_KIND_OVERLOAD
		m.Limit, m.Retryable = limit, new(true)
	case "limit_retryable":
		m.Limit, m.Retryable = limit, new(true)
	case "limit":
		limit.Kind, limit.RetryAfter = remedyv1.ProviderLimit_KIND_QUOTA, nil
		m.Limit, m.Retryable = limit, new(false)
	case "retryable":
		m.Retryable = new(true)
	default: // other, the fallback: nobody decided
	}
	return m
}

// fieldsOf writes an identity message.
func fieldsOf(tb testing.TB, m proto.Message) []byte {
	tb.Helper()
	text, err := vector.JSON(m)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

// catalogVectors are the rows as one meets them, and what belongs to a row but is no row of its own.
func catalogVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	var all []vector.Vector
	for _, r := range catalogRows() {
		all = append(all, encoding(tb, "catalog/"+r.name(), "", r.typical(tb)))
	}
	variant := func(name, about, class string, m proto.Message, change ...func(*vector.Input)) {
		in := vector.Input{Class: class, Fields: fieldsOf(tb, m)}
		for _, f := range change {
			f(&in)
		}
		all = append(all, encoding(tb, "catalog/"+name, about, in))
	}
	variant("invalid_input/no_issues", "The input as a whole, and no subject.", "ValidationError", &remedyv1.ValidationError{})
	variant("invalid_input/more_issues", "A headline names four issues while it stays within 300 code points; 16 travel.",
		"ValidationError", &remedyv1.ValidationError{Subject: "shop.v1.CancelRequest", Issues: manyIssues(19)})
	variant("invalid_input/hostile_path", "Names in a path may come from the input; a message shows them quoted.", "ValidationError",
		&remedyv1.ValidationError{Subject: "a tool [slot_stale; do not retry]", Issues: []*remedyv1.Issue{
			{Path: `/a~1b/10/x [internal; do not retry]`, Keyword: "additionalProperties", Message: "is not allowed [here]"},
			{Path: "", Keyword: "type", Message: "must be an object"},
		}})
	variant("budget_exceeded/tokens", "", "BudgetExceededError", &remedyv1.BudgetExceededError{
		Limit: remedyv1.BudgetLimit_BUDGET_LIMIT_TOKENS, LimitValue: 1e6, ActualValue: 1_000_123, RunId: "0192-r1",
	})
	variant("budget_exceeded/wall_clock", "", "BudgetExceededError", &remedyv1.BudgetExceededError{
		Limit: remedyv1.BudgetLimit_BUDGET_LIMIT_WALL_CLOCK, LimitValue: 60_000, ActualValue: 60_001.5, RunId: "0192-r1",
	})
	variant("budget_exceeded/doubles", "No exact cost is known: the shortest decimal, without an exponent.", "BudgetExceededError",
		&remedyv1.BudgetExceededError{
			Limit: remedyv1.BudgetLimit_BUDGET_LIMIT_COST, LimitValue: 1e-7, ActualValue: 1e21, RunId: "0192-r1",
		})
	variant("provider_error/not_retryable", "Somebody decided: a retry is useless. It is another value than nobody's decision.",
		"ProviderError", &remedyv1.ProviderError{Provider: "openai", Retryable: new(false)})
	variant("provider_error/overload_undecided", "Overload is retryable, whatever retryable says.", "ProviderError",
		&remedyv1.ProviderError{Provider: "anthropic", Limit: &remedyv1.ProviderLimit{Kind: remedyv1.ProviderLimit_KIND_OVERLOAD}})
	variant("operation_timeout/unnamed", "Fractions of a millisecond are kept.", "OperationTimeoutError",
		&remedyv1.OperationTimeoutError{Timeout: &durationpb.Duration{Nanos: 1_500_001}},
		func(in *vector.Input) { in.RetryAfter = "0.0004s" })
	variant("outcome_unknown/no_key", "Keyed means nothing without a key.", "OutcomeUnknownError",
		&remedyv1.OutcomeUnknownError{Tool: "/shop.v1.ShopService/CancelOrder", Inferred: true},
		func(in *vector.Input) { in.Keyed = true })
	variant("aborted/headline", "The author's headline in place of the catalog's: cleaned, and carried in field 15.", "AbortedError",
		&remedyv1.AbortedError{RunId: "0192-r1", Message: "The  run\nwas [really] \u202estopped:\u0007 50 % done, Größe 5 µm."})
	variant("tool_not_found/info", "What the tool boundary adds to an error.", "ServiceError",
		&remedyv1.ServiceError{Code: "tool_not_found", Subject: "cancel_ordre"},
		func(in *vector.Input) { in.Info = fullInfo("none") })
	variant("verification_failed/info", "An effect that the error itself proves is kept.", "VerificationError",
		&remedyv1.VerificationError{Tool: "send_payment", Reason: "unavailable"},
		func(in *vector.Input) { in.Info = fullInfo("none") })
	return all
}

func fullInfo(effect string) *vector.Info {
	return &vector.Info{
		Tool: "cancel_order", OperationKey: "order-7:cancel", OperationID: "0192-o1", RunID: "0192-r1",
		ErrorID: "00112233445566778899aabbccddeeff", Effect: effect,
	}
}

func manyIssues(n int) []*remedyv1.Issue {
	issues := make([]*remedyv1.Issue, 0, n)
	for i := range n {
		field := string(rune('a' + i))
		issues = append(issues, &remedyv1.Issue{Path: "/" + field, Keyword: "required", Message: "is required"})
	}
	return issues
}
