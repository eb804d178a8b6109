package conformance_test

import (
	"encoding/base64"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/client/conformance/internal/vector"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Texts that fill the bounds. hard is three bytes whose base64, ZXZX, is longest in HPACK's Huffman code: 8 bits a character.
const (
	hard     = "evW"
	headline = "Größe [5] µm, 100 % 予約 "
)

// text is n bytes of what HPACK cannot compress.
func text(n int) string { return strings.Repeat(hard, n/len(hard)+1)[:n] }

// name is n bytes that can name a tool or an operation.
func name(n int) string { return strings.Repeat("cancel_order.v2-", n/16+1)[:n] }

// id is an id at its bound.
func id(prefix string) string { return prefix + strings.Repeat("9", 36-len(prefix)) }

// sentence is n code points, most of which take more than one byte.
func sentence(n int) string {
	runes := []rune(strings.Repeat(headline, n/len([]rune(headline))+1))
	return string(runes[:n])
}

// cappedInfo has every id at its bound.
func cappedInfo() *vector.Info {
	return &vector.Info{
		Tool: name(64), OperationKey: name(64), OperationID: id("o"), RunID: id("r"), ErrorID: id("e"), Effect: "none",
	}
}

// capped is the error of a row with everything in it that there is.
func (r row) capped(tb testing.TB, c content) vector.Input {
	tb.Helper()
	in := vector.Input{Class: r.class, Causes: cappedCauses(tb, c.variable), Info: cappedInfo()}
	message, n := sentence(c.headline), c.variable
	var m proto.Message
	switch r.class {
	case "ValidationError":
		m = &remedyv1.ValidationError{Subject: text(128), Message: message, Issues: cappedIssues(n)}
	case "AuthorizationError":
		m = &remedyv1.AuthorizationError{Tool: name(64), Reason: text(128), Message: message}
	case "ConfirmationError":
		m = &remedyv1.ConfirmationError{
			Tool: name(64), OperationKey: name(64), Reason: r.value, ConfirmationId: id("c"),
			ExpiresAt: &timestamppb.Timestamp{Seconds: 253_402_300_799, Nanos: 999_999_999}, Message: message,
		}
	case "VerificationError":
		m = &remedyv1.VerificationError{
			Tool: name(64), OperationKey: name(64), Reason: text(128), OperationId: id("o"), Message: message,
		}
	case "OutcomeUnknownError":
		in.Keyed = r.value == "inferred_keyed"
		m = &remedyv1.OutcomeUnknownError{
			Tool: text(128), OperationKey: name(64), OperationId: id("o"), Reason: text(128), Inferred: r.value != "reported",
			Message: message,
		}
	case "AbortedError":
		m = &remedyv1.AbortedError{RunId: id("r"), Reason: text(128), Message: message}
	case "AuthError":
		in.RetryAfter = r.longWait()
		m = &remedyv1.AuthError{Message: message, Auth: &remedyv1.AuthFailure{
			Kind:   enum[remedyv1.AuthFailure_Kind](remedyv1.AuthFailure_Kind_value, r.value),
			Source: remedyv1.AuthFailure_SOURCE_INTEGRATION, Provider: text(128), ProviderId: text(128), AccountId: text(128),
			AccountLabel: text(128), HolderPid: proto.Int64(1<<63 - 1),
		}}
	case "BudgetExceededError":
		m = &remedyv1.BudgetExceededError{
			Limit: remedyv1.BudgetLimit_BUDGET_LIMIT_COST, LimitValue: 9_007_199_254.740993, ActualValue: 9_007_199_254.740995,
			RunId: id("r"), BudgetRunId: id("b"), LimitNanos: 1<<63 - 2, ActualNanos: 1<<63 - 1, Message: message,
		}
	case "ContextExceededError":
		m = &remedyv1.ContextExceededError{Provider: text(128), ProviderCode: text(128), Message: message}
	case "ProviderError":
		p := r.providerError()
		p.Provider, p.ProviderCode, p.Message = text(128), text(128), message
		if p.GetLimit() != nil {
			p.Limit.RetryAfter = &durationpb.Duration{Seconds: 86_399, Nanos: 999_999_999}
			p.Limit.ResetsAt = &timestamppb.Timestamp{Seconds: 253_402_300_799, Nanos: 999_999_999}
			p.Limit.Window = text(128)
		}
		m = p
	case "ToolNotAllowedError":
		m = &remedyv1.ToolNotAllowedError{
			ToolName: text(128), DisplayName: text(128), ActiveSkills: repeated(8, text(128)),
			AllowedUnion: repeated(16, text(min(n, 128))), Message: message,
		}
	case "ToolPairingError":
		p := &remedyv1.ToolPairingError{Provider: text(128), ProviderCode: text(128), Message: message}
		for i := range 16 {
			p.Repairs = append(p.Repairs, &remedyv1.PairingRepair{CallId: text(128), MessageIndex: int32(1<<31 - 1 - i), Mode: text(min(n, 128))})
		}
		m = p
	case "OperationTimeoutError":
		in.RetryAfter = r.longWait()
		m = &remedyv1.OperationTimeoutError{
			Operation: text(128), Timeout: &durationpb.Duration{Seconds: 86_399, Nanos: 999_999_999}, Message: message,
		}
	case "LengthResumeExhaustedError":
		m = &remedyv1.LengthResumeExhaustedError{Provider: text(128), Attempts: 1<<31 - 1, Message: message}
	case "ServiceError":
		in.RetryAfter = r.longWait()
		m = &remedyv1.ServiceError{Code: r.value, Subject: text(128), Message: message}
	default:
		tb.Fatalf("%s is new: give it a typical and a capped error here", r.class)
	}
	in.Fields = fieldsOf(tb, m)
	return in
}

// longWait is a delay for the rows that allow a retry.
func (r row) longWait() string {
	if r.options.GetRetry() != remedyv1.RetryPolicy_RETRY_POLICY_AS_IS {
		return ""
	}
	return "86399.999999999s"
}

func repeated(n int, s string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = s
	}
	return all
}

func cappedIssues(n int) []*remedyv1.Issue {
	issues := make([]*remedyv1.Issue, 0, 16)
	for i := range 16 {
		issues = append(issues, &remedyv1.Issue{
			Path: "/items/" + strconv.Itoa(i) + "/" + text(100), Keyword: text(128), Message: sentence(min(n, 160)),
		})
	}
	return issues
}

// cappedCauses are eight causes, three deep; n is the length of their headlines.
func cappedCauses(tb testing.TB, n int) []vector.Input {
	tb.Helper()
	cause := func(causes ...vector.Input) vector.Input {
		return vector.Input{Class: "ToolError", Causes: causes, Fields: fieldsOf(tb, &remedyv1.ToolError{
			Code: "slot_stale", Message: text(n), Retry: remedyv1.RetryPolicy_RETRY_POLICY_NEVER,
		})}
	}
	return []vector.Input{
		cause(cause(cause(), cause())), cause(cause()), cause(), cause(),
	}
}

type cappedKind struct {
	name  string
	build func(c content) vector.Input
}

// cappedTools are errors outside the catalog with everything in them.
func cappedTools(tb testing.TB) []cappedKind {
	tb.Helper()
	tool := func(retry remedyv1.RetryPolicy, change func(in *vector.Input, m *remedyv1.ToolError, c content)) func(c content) vector.Input {
		return func(c content) vector.Input {
			in := vector.Input{Class: "ToolError", Causes: cappedCauses(tb, c.variable), Info: cappedInfo()}
			m := &remedyv1.ToolError{
				Code: strings.Repeat("a", 62) + "z", Message: sentence(c.headline), Retry: retry,
				Details: &structpb.Struct{Fields: map[string]*structpb.Value{"text": structpb.NewStringValue(text(4000))}},
			}
			change(&in, m, c)
			in.Fields = fieldsOf(tb, m)
			return in
		}
	}
	return []cappedKind{
		{"declared/settlement_held", func(c content) vector.Input {
			in := declared(tb, settlementHeld(c.variable))
			in.Causes, in.Info = cappedCauses(tb, c.variable), cappedInfo()
			return in
		}},
		{"declared/slot_stale", func(c content) vector.Input {
			m := slotStale()
			m.SlotId, m.Cursor = sentence(64), []byte(text(500))
			in := declared(tb, m)
			in.Causes, in.Info, in.RetryAfter = cappedCauses(tb, c.variable), cappedInfo(), "86399.999999999s"
			return in
		}},
		{"tool/never", tool(remedyv1.RetryPolicy_RETRY_POLICY_NEVER, func(in *vector.Input, m *remedyv1.ToolError, c content) {
			m.Message = strings.Repeat("予", c.headline) // a definition refuses what cleaning would change
			in.Doc = "https://docs.example/" + text(100)
		})},
		{"tool/as_is", tool(remedyv1.RetryPolicy_RETRY_POLICY_AS_IS, func(in *vector.Input, _ *remedyv1.ToolError, _ content) {
			in.RetryAfter = "86399.999999999s"
		})},
		{"tool/after_repair", tool(remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR, func(in *vector.Input, _ *remedyv1.ToolError, c content) {
			in.Plan = fieldsOf(tb, cappedPlan(c.variable))
		})},
	}
}

// cappedPlan has five steps and sixteen names in each list.
func cappedPlan(n int) *remedyv1.RepairPlan {
	p := &remedyv1.RepairPlan{}
	for range 4 {
		p.Steps = append(p.Steps, &remedyv1.RepairStep{
			Action: remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL, Tool: name(64), Instruction: sentence(n),
		})
	}
	p.Steps = append(p.Steps, &remedyv1.RepairStep{
		Action: remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION, Tool: name(64), Instruction: sentence(n),
	})
	for i := range 16 {
		p.Preserve = append(p.Preserve, "keep."+strconv.Itoa(i)+name(50))
		p.Update = append(p.Update, "replace."+strconv.Itoa(i)+name(50))
	}
	return p
}

// cappedVectors is every row, and every other kind of error, as close to the cap as the ladder leaves it.
func cappedVectors(tb testing.TB) []vector.Vector {
	tb.Helper()
	var all []vector.Vector
	for _, r := range catalogRows() {
		all = append(all, fullest(tb, "cap/"+r.name(), func(c content) vector.Input { return r.capped(tb, c) }))
	}
	for _, kind := range cappedTools(tb) {
		all = append(all, fullest(tb, "cap/"+kind.name, kind.build))
	}
	return append(all, incompressible(tb))
}

// incompressible is the error that HPACK compresses least: base64 of nearly nothing but X and Z, and a message of them.
func incompressible(tb testing.TB) vector.Vector {
	tb.Helper()
	const about = "HPACK's Huffman code shortens next to nothing of this: as many bytes in a HEADERS frame as a list can take."
	var best vector.Vector
	for turn := range len(hard) {
		for n := 1; n <= 127; n++ {
			// Tag, length and text of each string are a multiple of three bytes, so that all begin at the same place in base64.
			full := strings.Repeat(hard[turn:]+hard[:turn], 43)[:127]
			in := vector.Input{Class: "ToolNotAllowedError", Info: cappedInfo(), Fields: fieldsOf(tb, &remedyv1.ToolNotAllowedError{
				ToolName: full, DisplayName: full[:n], ActiveSkills: repeated(8, full), AllowedUnion: repeated(16, full),
				Message: strings.Repeat("XZ", 150),
			})}
			v := encoding(tb, "cap/incompressible", about, in)
			if v.Expect.Truncated && huffmanBits(v) > huffmanBits(best) {
				best = v
			}
		}
	}
	return best
}

// huffmanBits is the length of the status of a vector in HPACK's Huffman code (RFC 7541, appendix B).
func huffmanBits(v vector.Vector) int {
	bits := 0
	for _, c := range base64.RawStdEncoding.EncodeToString(v.Status) {
		switch {
		case strings.ContainsRune("012aceiost", c):
			bits += 5
		case strings.ContainsRune("3456789/Abdfghlmnpru", c):
			bits += 6
		case c == 'X' || c == 'Z':
			bits += 8
		case c == '+':
			bits += 11
		default:
			bits += 7
		}
	}
	return bits
}

// content says how much is in a capped error: lengths in code points.
type content struct {
	headline int
	variable int // of what the ladder cuts
}

// fullest is the largest vector from which the ladder left something out. It prefers a headline at its bound, and takes a
// shorter one where that lets the ladder stop earlier.
func fullest(tb testing.TB, name string, build func(c content) vector.Input) vector.Vector {
	tb.Helper()
	const full = 3830
	var best vector.Vector
	for headline := 300; headline >= 100 && best.ListCost < full; headline -= 10 {
		for n := 300; n >= 1; n-- {
			v := encoding(tb, name, "", build(content{headline: headline, variable: n}))
			if v.Expect.Truncated && v.ListCost > best.ListCost {
				best = v
			}
		}
	}
	if best.Name == "" {
		tb.Fatalf("%s: nothing was ever left out", name)
	}
	return best
}

// encoding builds a vector that is encoded.
func encoding(tb testing.TB, name, about string, in vector.Input) vector.Vector {
	tb.Helper()
	v, err := vector.Build(name, about, in)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}
