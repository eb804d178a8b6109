package errstest_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/errstest"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// recorder is a test that is told what is wrong.
type recorder struct {
	testing.TB

	said []string
}

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// impostor is a declared error whose message is known as another type.
type impostor struct{ *shopv1.SlotStaleError }

func (impostor) WithBase(*errs.ToolError) errs.Error { return nil }

func TestCheck(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  error
		want string // empty where the check passes
	}{
		{"nil", nil, ""},
		{"plain", errors.New("plain"), ""},
		{"foreign", status.Error(codes.NotFound, "no"), ""},
		{"typed", &errs.AuthorizationError{Tool: "x"}, ""},
		{"wrapped", fmt.Errorf("x: %w", &errs.ServiceError{Code: errs.CodeOverloaded}), ""},
		{"declared", shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "a"}), ""},
		{"code", &errs.ToolError{Code: "Not a code"}, "code must be"},
		{"catalog", &errs.ToolError{Code: "internal"}, "belongs to the catalog"},
		{"status", &errs.ToolError{Code: "some_code", Status: codes.Unavailable}, "does not go with"},
		{"plan", &errs.ToolError{Code: "some_code", Retry: errs.AfterRepair}, "at least one step"},
		{"reason", &errs.ConfirmationError{Reason: "maybe"}, "no such value"},
		{"kind", &errs.AuthError{Auth: errs.AuthFailure{Kind: "gone"}}, "auth.kind"},
		{"limit", &errs.BudgetExceededError{}, "limit must be"},
		{"service code", fmt.Errorf("x: %w", &errs.ServiceError{Code: "some_code"}), "no such value"},
		{"typed nil", (*errs.ToolError)(nil), "typed nil"},
		{"typed nil, declared", (*shopv1.SlotStaleError)(nil), "typed nil"},
		{"a code", errs.Code("slot_stale"), "target to match with"},
		{"a sentinel", fmt.Errorf("x: %w", errs.Sentinel{}), "target to match with"},
		{"impostor", impostor{shopv1.NewSlotStale(nil)}, "received as *shopv1.SlotStaleError"},
	}
	for _, test := range tests {
		r := &recorder{TB: t}
		errstest.Check(r, test.err)
		got := strings.Join(r.said, "; ")
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
