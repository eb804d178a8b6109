package contract_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// TestWhatNeverSentMeans of a mark that something wraps.
func TestWhatNeverSentMeans(t *testing.T) {
	t.Parallel()
	refused, plain := &neversent.Error{Err: status.Error(codes.Unavailable, "refused")}, errors.New("the order of Monday")
	for name, test := range map[string]struct {
		err  error
		want bool
	}{
		"the mark":               {refused, true},
		"wrapped":                {fmt.Errorf("x: %w", refused), true},
		"with a plain error":     {fmt.Errorf("%w: %w", plain, refused), true},
		"all of several":         {errors.Join(refused, nil, refused), true},
		"one of several":         {errors.Join(refused, status.Error(codes.Unavailable, "lost")), false},
		"beside a typed error":   {errors.Join(&errs.ToolError{Code: "first_step_done"}, refused), false},
		"cause of a typed error": {&errs.OutcomeUnknownError{Cause: refused}, false},
		"nothing":                {nil, false},
		"a status":               {status.Error(codes.Unavailable, "refused"), false},
		"of no call":             {context.Canceled, false},
		"several of no call":     {errors.Join(plain, plain), false},
	} {
		if got := contract.NeverSent(test.err); got != test.want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
