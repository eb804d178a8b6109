package authored

import (
	"google.golang.org/grpc/codes"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// The retry rules, under their short names.
const (
	never       = remedyv1.RetryPolicy_RETRY_POLICY_NEVER
	asIs        = remedyv1.RetryPolicy_RETRY_POLICY_AS_IS
	afterRepair = remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR
)

// IsRule reports whether a retry rule is stated, and one of this version.
func IsRule(rule remedyv1.RetryPolicy) bool {
	return rule == never || rule == asIs || rule == afterRepair
}

// DefaultStatus is the status code of an error that names only its rule.
func DefaultStatus(rule remedyv1.RetryPolicy) codes.Code {
	if rule == asIs {
		return codes.Unavailable
	}
	return codes.FailedPrecondition
}

// Allows is the matrix of rule and status code for errors outside remedy.v1: a status that a proxy or client library
// retries by itself never goes with a rule that forbids it.
func Allows(rule remedyv1.RetryPolicy, code codes.Code) bool {
	switch code {
	case codes.FailedPrecondition, codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.OutOfRange:
		return rule == never || rule == afterRepair
	case codes.PermissionDenied:
		return rule == never
	case codes.ResourceExhausted:
		return IsRule(rule)
	case codes.Aborted:
		return rule == asIs || rule == afterRepair
	case codes.Unavailable:
		return rule == asIs
	default:
		return false
	}
}
