package authored_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// TestAllows is the matrix of the wire contract, written down a second time.
func TestAllows(t *testing.T) {
	t.Parallel()
	const (
		never       = remedyv1.RetryPolicy_RETRY_POLICY_NEVER
		asIs        = remedyv1.RetryPolicy_RETRY_POLICY_AS_IS
		afterRepair = remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR
	)
	allowed := map[remedyv1.RetryPolicy]map[codes.Code]bool{
		never: {
			codes.FailedPrecondition: true, codes.InvalidArgument: true, codes.NotFound: true, codes.AlreadyExists: true,
			codes.PermissionDenied: true, codes.OutOfRange: true, codes.ResourceExhausted: true,
		},
		afterRepair: {
			codes.FailedPrecondition: true, codes.InvalidArgument: true, codes.NotFound: true, codes.AlreadyExists: true,
			codes.OutOfRange: true, codes.ResourceExhausted: true, codes.Aborted: true,
		},
		asIs: {codes.Unavailable: true, codes.ResourceExhausted: true, codes.Aborted: true},
	}
	for rule := remedyv1.RetryPolicy(-1); rule <= 4; rule++ {
		for code := range codes.Code(20) {
			if got := authored.Allows(rule, code); got != allowed[rule][code] {
				t.Errorf("%s with %s: got %t", rule, code, got)
			}
		}
		if got := authored.IsRule(rule); got != (allowed[rule] != nil) {
			t.Errorf("%s is a rule: %t", rule, got)
		}
		if authored.IsRule(rule) && !authored.Allows(rule, authored.DefaultStatus(rule)) {
			t.Errorf("the default status of %s does not go with it", rule)
		}
	}
}
