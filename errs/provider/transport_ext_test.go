package provider_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"syscall"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/provider"
)

// timeoutError is a timeout of a transport, with a text that does not say so.
type timeoutError struct{}

func (timeoutError) Error() string   { return "gave up" }
func (timeoutError) Timeout() bool   { return true }
func (timeoutError) Temporary() bool { return true }

// TestClassifyErr classifies errors of the transport by their type, wrapped as net/http wraps them.
func TestClassifyErr(t *testing.T) {
	t.Parallel()
	op := func(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }
	yes, no := new(true), new(false)
	tests := []struct {
		name string
		err  error
		kind provider.Kind
		want *bool
	}{
		{"nothing", nil, provider.KindProviderError, nil},
		{"refused", op(&os.SyscallError{Syscall: "connect", Err: syscall.ECONNREFUSED}), provider.KindProviderError, nil},
		{"reset", op(syscall.ECONNRESET), provider.KindProviderError, yes},
		{"pipe", op(syscall.EPIPE), provider.KindProviderError, yes},
		{"cut", io.ErrUnexpectedEOF, provider.KindProviderError, yes},
		{"end", io.EOF, provider.KindProviderError, yes},
		{"closed", op(net.ErrClosed), provider.KindProviderError, yes},
		{"timeout", timeoutError{}, provider.KindProviderError, yes},
		{"dial timeout", op(os.ErrDeadlineExceeded), provider.KindProviderError, yes},
		{"name", &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, provider.KindProviderError, nil},
		{"name timeout", &net.DNSError{Err: "slow", Name: "x", IsTimeout: true}, provider.KindProviderError, yes},
		{"authority", x509.UnknownAuthorityError{}, provider.KindProviderError, no},
		{"deadline", context.DeadlineExceeded, provider.KindProviderError, nil},
		{
			"client timeout",
			fmt.Errorf("%w (Client.Timeout exceeded while awaiting headers)", context.DeadlineExceeded),
			provider.KindProviderError, yes,
		},
		{"canceled", context.Canceled, provider.KindAborted, nil},
		{"canceled by a socket", fmt.Errorf("%w: %w", context.Canceled, syscall.ECONNRESET), provider.KindProviderError, yes},
		{"strange", errors.New("the moon is full"), provider.KindProviderError, nil},
	}
	for _, test := range tests {
		for _, err := range []error{test.err, &url.Error{Op: "Post", URL: "https://api.example.com", Err: test.err}} {
			if test.err == nil {
				err = nil
			}
			got := provider.Classify(provider.Failure{Err: err})
			if got.Kind != test.kind || (got.Retryable == nil) != (test.want == nil) || got.Retryable != nil && *got.Retryable != *test.want {
				t.Errorf("%s: got %s %v, want %s %v", test.name, got.Kind, got.Retryable, test.kind, test.want)
			}
		}
	}
}

// TestClassifyErrAtTokenEndpoint holds that an endpoint of tokens that cannot be reached is no dead credential.
func TestClassifyErrAtTokenEndpoint(t *testing.T) {
	t.Parallel()
	got := provider.Classify(provider.Failure{Token: true, Err: syscall.ECONNREFUSED})
	if got.Auth == nil || got.Auth.Kind != errs.AuthNetwork || got.Retryable == nil || !*got.Retryable {
		t.Errorf("got %+v", got)
	}
}

// TestBodyBeforeErr holds that an error is read only where the body says nothing.
func TestBodyBeforeErr(t *testing.T) {
	t.Parallel()
	got := provider.Classify(provider.Failure{Status: 400, Body: []byte("prompt is too long"), Err: errors.New("Overloaded")})
	if got.Kind != provider.KindContextExceeded {
		t.Errorf("got %s", got.Kind)
	}
	got = provider.Classify(provider.Failure{Status: 400, Err: errors.New("prompt is too long")})
	if got.Kind != provider.KindContextExceeded {
		t.Errorf("without a body: got %s", got.Kind)
	}
}
