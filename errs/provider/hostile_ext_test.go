package provider_test

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

// endless unwraps to itself.
type endless struct{ text string }

func (e *endless) Error() string { return e.text }
func (e *endless) Unwrap() error { return e }

// TestClassifyHostileErrors holds that no error of others is too much: nil pointers, methods that panic, chains without end.
func TestClassifyHostileErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		want *bool
	}{
		"nil pointer":         {(*endless)(nil), nil},
		"wrapped nil pointer": {errors.Join((*endless)(nil), (*net.OpError)(nil)), nil},
		"nil of errs":         {(*errs.ProviderError)(nil), nil},
		"timeout of nil":      {&url.Error{Op: "Post", Err: (*net.OpError)(nil)}, nil},
		"endless":             {&endless{"connection reset by peer"}, new(true)},
	} {
		got := provider.Classify(provider.Failure{Err: test.err})
		if got.Kind != provider.KindProviderError || (got.Retryable == nil) != (test.want == nil) {
			t.Errorf("%s: got %+v", name, got)
		}
		if err := provider.ToTypedError(got, "openai", test.err); !errors.Is(err, errs.CodeProviderError) {
			t.Errorf("%s: got %T", name, err)
		}
	}
}

// TestOwnOutermost holds that of several typed errors the outermost is read back, whatever its type.
func TestOwnOutermost(t *testing.T) {
	t.Parallel()
	rejected := &errs.AuthError{Auth: errs.AuthFailure{Kind: errs.AuthRejected}}
	aborted := &errs.AbortedError{Cause: rejected}
	failed := &errs.ProviderError{ProviderCode: "overloaded", Cause: aborted}
	for name, test := range map[string]struct {
		err  error
		want provider.Kind
		auth bool
	}{
		"provider error around": {failed, provider.KindProviderError, false},
		"wrapped":               {fmt.Errorf("call: %w", aborted), provider.KindAborted, false},
		"first of a tree":       {errors.Join(errors.New("x"), rejected, failed), provider.KindProviderError, true},
		"nil before":            {errors.Join((*errs.AbortedError)(nil), rejected), provider.KindProviderError, true},
	} {
		got := provider.Classify(provider.Failure{Err: test.err})
		if got.Kind != test.want || (got.Auth != nil) != test.auth {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if got := provider.Classify(provider.Failure{Err: failed}); got.ProviderCode != "overloaded" {
		t.Errorf("got %+v", got)
	}
}
