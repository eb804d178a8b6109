package errs

import (
	"google.golang.org/grpc/codes"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// RetryPolicy says whether the same call may be sent again. The zero value is not a policy and is read as [Never].
type RetryPolicy int32

// The retry policies, numbered as in remedy.v1.RetryPolicy.
const (
	// Never forbids sending the call again.
	Never = RetryPolicy(remedyv1.RetryPolicy_RETRY_POLICY_NEVER)
	// AsIs allows sending the same call, under the same operation key, again unchanged.
	AsIs = RetryPolicy(remedyv1.RetryPolicy_RETRY_POLICY_AS_IS)
	// AfterRepair allows it once the repair plan has been carried out.
	AfterRepair = RetryPolicy(remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR)
)

// RetryFromBool maps the older retryable flag: false is [Never], true without a repair [AsIs], with one [AfterRepair].
func RetryFromBool(retryable bool, repair *Plan) RetryPolicy {
	switch {
	case !retryable:
		return Never
	case len(repair.Steps()) == 0:
		return AsIs
	default:
		return AfterRepair
	}
}

// String returns never, as_is or after_repair, the words that travel in ErrorInfo.
func (p RetryPolicy) String() string {
	switch p {
	case AsIs:
		return "as_is"
	case AfterRepair:
		return "after_repair"
	default:
		return "never"
	}
}

func (p RetryPolicy) valid() bool { return authored.IsRule(remedyv1.RetryPolicy(p)) }

// known turns the zero value, and numbers of a later version, into [Never].
func (p RetryPolicy) known() RetryPolicy {
	if p.valid() {
		return p
	}
	return Never
}

func parseRetry(word string) (RetryPolicy, bool) {
	switch word {
	case "never":
		return Never, true
	case "as_is":
		return AsIs, true
	case "after_repair":
		return AfterRepair, true
	default:
		return 0, false
	}
}

// defaultStatus is the status code of an error that names only its rule.
func (p RetryPolicy) defaultStatus() codes.Code {
	return authored.DefaultStatus(remedyv1.RetryPolicy(p))
}

// allows is the matrix of rule and status code for errors outside remedy.v1.
func (p RetryPolicy) allows(code codes.Code) bool {
	return authored.Allows(remedyv1.RetryPolicy(p), code)
}

// Effect says whether the failed call changed anything, as far as the ledger knows. Only the tool boundary states it.
type Effect int32

// The effects, numbered as in remedy.v1.Effect.
const (
	// EffectUnspecified says nothing about earlier requests; this one did nothing that is known of.
	EffectUnspecified = Effect(remedyv1.Effect_EFFECT_UNSPECIFIED)
	// EffectNone is proven: nothing changed.
	EffectNone = Effect(remedyv1.Effect_EFFECT_NONE)
	// EffectApplied is proven: it took effect.
	EffectApplied = Effect(remedyv1.Effect_EFFECT_APPLIED)
	// EffectUnknown means that it may have taken effect.
	EffectUnknown = Effect(remedyv1.Effect_EFFECT_UNKNOWN)
)

// String returns none, applied or unknown, and the empty string when nothing is stated.
func (e Effect) String() string {
	switch e {
	case EffectNone:
		return "none"
	case EffectApplied:
		return "applied"
	case EffectUnknown:
		return "unknown"
	default:
		return ""
	}
}

func parseEffect(word string) Effect {
	switch word {
	case "none":
		return EffectNone
	case "applied":
		return EffectApplied
	case "unknown":
		return EffectUnknown
	default:
		return EffectUnspecified
	}
}
