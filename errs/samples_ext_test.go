package errs_test

import (
	"errors"
	"testing"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

var (
	paymentSourceStale = errs.MustDefine("payment_source_stale", errs.AfterRepair,
		errs.Headline("The source account changed after authorization."),
		errs.Steps(
			errs.CallTool("list_payment_accounts", "Refresh the source account state."),
			errs.CallTool("prepare_payment_authorization", "Create a replacement authorization."),
			errs.RetrySameOperation("send_payment", "Retry with the replacement authorization."),
		),
		errs.Preserve("operationId", "amount", "receiverId"),
		errs.Update("authorizationId"),
		errs.Doc("https://docs.example.com/errors/payment_source_stale"))
	stockLow = errs.MustDefine("stock_low", errs.AsIs, errs.Status(codes.Aborted),
		errs.Headline("Only {left} of {item} are left until {until}."))
)

// sample is one error that a service can raise.
type sample struct {
	name string
	err  errs.Error
}

// catalogSamples has one error for each row of the catalog, with every field set.
func catalogSamples() []sample {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	list := []sample{
		{"invalid_input", &errs.ValidationError{Subject: "cancel_order", Issues: []errs.Issue{
			{Path: "/orderId", Keyword: "required", Message: "is required"},
			{Path: "/items/0/reason", Keyword: "enum", Message: `must be one of "customer_request", "duplicate"`},
		}}},
		{"authorization_denied", &errs.AuthorizationError{Tool: "cancel_order", Reason: "orders:write is missing"}},
		{"verification_failed", &errs.VerificationError{
			Tool: "cancel_order", OperationKey: "key-1", Reason: "not_verified", OperationID: "op-1",
		}},
		{"outcome_unknown", &errs.OutcomeUnknownError{
			Tool: "cancel_order", OperationKey: "key-1", OperationID: "op-1", Reason: "the effect timed out",
		}},
		{"outcome_unknown inferred", &errs.OutcomeUnknownError{Tool: "/shop.v1.Shop/Cancel", Inferred: true, Reason: "the answer was lost"}},
		{"outcome_unknown inferred_keyed", &errs.OutcomeUnknownError{
			Tool: "cancel_order", OperationKey: "key-1", Inferred: true, Keyed: true,
		}},
		{"aborted", &errs.AbortedError{RunID: "run-1", Reason: "AbortRun"}},
		{"budget_exceeded cost", &errs.BudgetExceededError{
			Limit: errs.BudgetCost, LimitValue: 0.5, ActualValue: 0.62, RunID: "run-2", BudgetRunID: "run-1",
			LimitNanos: 500_000_000, ActualNanos: 620_000_000,
		}},
		{"budget_exceeded tokens", &errs.BudgetExceededError{
			Limit: errs.BudgetTokens, LimitValue: 200_000, ActualValue: 200_731, RunID: "run-1",
		}},
		{"budget_exceeded wall_clock", &errs.BudgetExceededError{
			Limit: errs.BudgetWallClock, LimitValue: 60_000, ActualValue: 61_250.5, RunID: "run-1",
		}},
		{"context_exceeded", &errs.ContextExceededError{Provider: "anthropic", ProviderCode: "invalid_request_error"}},
		{"provider_error overload", &errs.ProviderError{
			Provider: "anthropic", ProviderCode: "overloaded_error", Retryable: new(true), Limit: &errs.ProviderLimit{Kind: errs.LimitOverload},
		}},
		{"provider_error limit_retryable", &errs.ProviderError{
			Provider: "openai", ProviderCode: "rate_limit_exceeded", Retryable: new(true),
			Limit: &errs.ProviderLimit{Kind: errs.LimitRate, RetryAfter: 1500 * time.Millisecond, ResetsAt: at, Window: "1m"},
		}},
		{"provider_error limit", &errs.ProviderError{
			Provider: "openai", ProviderCode: "insufficient_quota", Retryable: new(false), Limit: &errs.ProviderLimit{Kind: errs.LimitQuota},
		}},
		{"provider_error retryable", &errs.ProviderError{Provider: "openai", Retryable: new(true)}},
		{"provider_error restart", &errs.ProviderError{Provider: "openai", Retryable: new(true), RetryAfter: 10 * time.Second}},
		{"provider_error other", &errs.ProviderError{Provider: "openai", ProviderCode: "model_not_found"}},
		{"tool_not_allowed", &errs.ToolNotAllowedError{
			ToolName: "bash", DisplayName: "Bash", ActiveSkills: []string{"review"}, AllowedUnion: []string{"read_*", "grep"},
		}},
		{"tool_pairing_corruption", &errs.ToolPairingError{
			Provider: "anthropic", ProviderCode: "invalid_request_error", Repairs: []errs.PairingRepair{
				{CallID: "toolu_1", MessageIndex: 3, Mode: "orphan_call"}, {MessageIndex: 5, Mode: "orphan_result"},
			},
		}},
		{"operation_timeout", &errs.OperationTimeoutError{
			Operation: "fetch_page", Timeout: 1500 * time.Millisecond, RetryAfter: 400 * time.Millisecond,
		}},
		{"length_resume_exhausted", &errs.LengthResumeExhaustedError{Provider: "anthropic", Attempts: 3}},
	}
	for _, reason := range []errs.ConfirmationReason{
		errs.ConfirmationRequired, errs.ConfirmationPending, errs.ConfirmationDeclined, errs.ConfirmationDismissed,
		errs.ConfirmationExpired, errs.ConfirmationMismatch, errs.ConfirmationUnavailable,
	} {
		list = append(list, sample{"confirmation_" + string(reason), &errs.ConfirmationError{
			Tool: "send_payment", OperationKey: "key-1", Reason: reason, ConfirmationID: "c-1", ExpiresAt: at,
		}})
	}
	for _, kind := range []errs.AuthKind{
		errs.AuthExpired, errs.AuthRevoked, errs.AuthMissing, errs.AuthRejected, errs.AuthBusy, errs.AuthNetwork,
	} {
		list = append(list, sample{"auth_failed " + string(kind), &errs.AuthError{
			Auth: errs.AuthFailure{
				Kind: kind, Source: errs.AuthProvider, Provider: "anthropic", ProviderID: "anthropic-oauth", AccountID: "acc-1",
				AccountLabel: "Anna", HolderPID: new(int64(4711)),
			},
			RetryAfter: 2 * time.Second,
		}})
	}
	for _, code := range []errs.Code{
		errs.CodeOperationKeyRequired, errs.CodeOperationConflict, errs.CodeOperationInFlight, errs.CodeOperationClosed,
		errs.CodeOperationExpired, errs.CodeDeadlineTooShort, errs.CodeToolNotFound, errs.CodeOperationNotFound, errs.CodeRunNotFound,
		errs.CodeUnauthenticated, errs.CodeOverloaded, errs.CodeShuttingDown, errs.CodeLedgerUnavailable, errs.CodeRepeatedFailure,
		errs.CodeCanceled, errs.CodeDeadlineExceeded, errs.CodeInternal,
	} {
		list = append(list, sample{string(code), &errs.ServiceError{Code: code, Subject: "cancel_order"}})
	}
	return list
}

// toolSamples has errors of no catalog.
func toolSamples() []sample {
	return []sample{
		{"literal", &errs.ToolError{
			Code: "order_already_shipped", Message: "Shipped orders cannot be cancelled.", Retry: errs.Never,
			Details: map[string]any{"orderId": "o-1", "n": 17, "nested": map[string]any{"list": []any{1.5, true, nil, "x"}}},
		}},
		{"zero rule", &errs.ToolError{Code: "not_here"}},
		{"as is", &errs.ToolError{Code: "warehouse_busy", Retry: errs.AsIs, RetryAfter: 2 * time.Second}},
		{"defined", slotStale.New(errs.Detail("slotId", "s-17"))},
		{"plan", paymentSourceStale.New()},
		{"values", stockLow.New(errs.Value("left", 3), errs.Value("item", "tea"), errs.After(400*time.Millisecond))},
		{"declared", shopv1.NewSlotStale(&shopv1.SlotStale{
			SlotId: "s-17", SeatsLeft: 2, Reason: shopv1.SlotStale_REASON_BOOKED, Alternatives: []*shopv1.Slot{{Id: "s-18"}},
			Prices: map[string]int64{"s-18": 1200, "s-19": 1300}, Cursor: []byte{0, 0xff},
		})},
		{"declared, same code", shopv1.NewShelfStale(&shopv1.ShelfStale{Shelf: "A3"})},
		{"declared, maximal", shopv1.NewSettlementHeld(&shopv1.SettlementHeld{
			SettlementId: "st-1", Amount: 120_000, State: shopv1.SettlementHeld_STATE_HELD,
		})},
		{"declared with an effect", shopv1.NewChargedTwice(&shopv1.ChargedTwice{ChargeId: "ch-1"})},
	}
}

func samples() []sample { return append(catalogSamples(), toolSamples()...) }

// overWire sends the status of err as grpc does and returns the error that a client makes of it.
func overWire(tb testing.TB, err error) error {
	tb.Helper()
	out := errs.Encoder{}.Encode(err, "/shop.v1.Shop/Cancel", false)
	return receive(tb, out.Status)
}

// receive takes a status over the wire.
func receive(tb testing.TB, st *status.Status) error {
	tb.Helper()
	return errs.FromError(status.ErrorProto(parse(tb, marshal(tb, st))))
}

func marshal(tb testing.TB, st *status.Status) []byte {
	tb.Helper()
	b, err := proto.Marshal(st.Proto())
	if err != nil {
		tb.Fatalf("the status cannot be marshaled: %v", err)
	}
	return b
}

func parse(tb testing.TB, b []byte) *spb.Status {
	tb.Helper()
	var p spb.Status
	if err := proto.Unmarshal(b, &p); err != nil {
		tb.Fatalf("the status cannot be unmarshaled: %v", err)
	}
	return &p
}

// cost is the size of the trailer list, by the formula of the wire contract and nothing of the package.
func cost(st *status.Status) int {
	message := 0
	for _, b := range []byte(st.Message()) {
		if b < ' ' || b > '~' || b == '%' {
			message += 2
		}
		message++
	}
	return 246 + message + (4*proto.Size(st.Proto())+2)/3
}

// asOwn is errors.As with the type of want.
func asOwn(err error, want errs.Error) bool {
	switch want.(type) {
	case *errs.ValidationError:
		return is[*errs.ValidationError](err)
	case *errs.AuthorizationError:
		return is[*errs.AuthorizationError](err)
	case *errs.ConfirmationError:
		return is[*errs.ConfirmationError](err)
	case *errs.VerificationError:
		return is[*errs.VerificationError](err)
	case *errs.OutcomeUnknownError:
		return is[*errs.OutcomeUnknownError](err)
	case *errs.AbortedError:
		return is[*errs.AbortedError](err)
	case *errs.AuthError:
		return is[*errs.AuthError](err)
	case *errs.BudgetExceededError:
		return is[*errs.BudgetExceededError](err)
	case *errs.ContextExceededError:
		return is[*errs.ContextExceededError](err)
	case *errs.ProviderError:
		return is[*errs.ProviderError](err)
	case *errs.ToolNotAllowedError:
		return is[*errs.ToolNotAllowedError](err)
	case *errs.ToolPairingError:
		return is[*errs.ToolPairingError](err)
	case *errs.OperationTimeoutError:
		return is[*errs.OperationTimeoutError](err)
	case *errs.LengthResumeExhaustedError:
		return is[*errs.LengthResumeExhaustedError](err)
	case *errs.ServiceError:
		return is[*errs.ServiceError](err)
	case *errs.ToolError:
		return is[*errs.ToolError](err)
	case *shopv1.SlotStaleError:
		return is[*shopv1.SlotStaleError](err)
	case *shopv1.ShelfStaleError:
		return is[*shopv1.ShelfStaleError](err)
	case *shopv1.SettlementHeldError:
		return is[*shopv1.SettlementHeldError](err)
	case *shopv1.ChargedTwiceError:
		return is[*shopv1.ChargedTwiceError](err)
	default:
		return false
	}
}

// as is errors.As; it returns a nil pointer where err is no E.
func as[E error](err error) E {
	e, _ := errors.AsType[E](err)
	return e
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
