package contract

import (
	"fmt"
	"log/slog"

	"github.com/remedyrpc/remedy/errs"
)

// Undeclared is an error that the contract of a method does not list.
type Undeclared struct {
	// Method is its full name, /package.Service/Method.
	Method string
	// Err is what it returned: at a client as it was received, at a server as the handler returned it. Its text may hold
	// what must not be logged.
	Err error
}

// panicked is the error of a handler that did not return.
type panicked struct{}

func (panicked) Error() string { return "the handler panicked" }

// String says which error of which method, by its domain and code, or by its type where it has none; no text of it.
func (u Undeclared) String() string {
	if u.Err == error(panicked{}) { //nolint:errorlint // this very error
		return u.Method + " panicked"
	}
	what := fmt.Sprintf("an error of type %T", u.Err)
	if code := errs.CodeOf(u.Err); code != "" {
		what = errs.InfoOf(u.Err).Domain + "/" + string(code)
	}
	return fmt.Sprintf("%s returned %s, which its contract does not list", u.Method, what)
}

// attrs are what String says, for a log.
func (u Undeclared) attrs() []slog.Attr {
	attrs := []slog.Attr{slog.String("method", u.Method)}
	if code := errs.CodeOf(u.Err); code != "" {
		attrs = append(attrs, slog.String("code", string(code)), slog.String("domain", errs.InfoOf(u.Err).Domain))
	}
	return append(attrs, slog.String("type", fmt.Sprintf("%T", u.Err)))
}

// LogValue logs method, code, domain and type; no text of the error.
func (u Undeclared) LogValue() slog.Value { return slog.GroupValue(u.attrs()...) }
