package contract

import (
	"context"
	"log/slog"

	"github.com/remedyrpc/remedy/interceptors/decode"
)

// ClientOption configures [Client] and the client interceptors. Nil is none.
type ClientOption func(*rules)

// WithLedger says that the service keeps its operations durably, for at least as long as its callers retry: the lost
// answer of a call that carried an operation key then says "retry with the same operation key only". The default is that
// it does not, and a lost answer says "do not retry". Where this is claimed of a service that forgets its operations, a
// retry can cause an effect twice.
func WithLedger() ClientOption { return func(r *rules) { r.ledger = true } }

// WithUndeclared is told of errors that a method returned although its contract does not list them, once per call. The
// error is delivered as it is. The default, and nil, tells nobody. The function is called before the error is returned,
// by several goroutines at once.
//
// Errors of remedy.v1, which any server on the way may answer with, and errors that are not ours are never undeclared
// here. remedy.v1.ToolError in the list permits every other error. Else what counts is the domain and the code of the
// messages in the list; one that is not linked in permits every error of the packages it may be in, so that no alarm is
// false.
func WithUndeclared(report func(ctx context.Context, u Undeclared)) ClientOption {
	return func(r *rules) { r.undeclared = report }
}

// WithDecode passes options to the decoder of errors. The default is none. Where the connection decodes errors itself,
// its own options come first.
func WithDecode(options ...decode.Option) ClientOption {
	return func(r *rules) { r.decode = append(r.decode, options...) }
}

// WithTool names calls in the errors of lost answers, for methods that stand for several tools: from the full name of the
// method and the request, the first one of a stream, nil where there was none. An empty name means the default: the tool
// of the contract, which is by default the name of the method in lower snake case. The function is called when a call
// fails, or streams its first request, by several goroutines at once.
func WithTool(name func(method string, request any) string) ClientOption {
	return func(r *rules) { r.tool = name }
}

// ServerOption configures the server interceptors. Nil is none.
type ServerOption func(*checker)

// WithLogger sets where undeclared errors are logged. The default, also for nil, is [slog.Default] at the time of the
// call.
func WithLogger(logger *slog.Logger) ServerOption { return func(c *checker) { c.logger = logger } }

// WithReport tells report of undeclared errors instead of the log; nil means the log. In a test, t.Error will do:
//
//	contract.WithReport(func(_ context.Context, u contract.Undeclared) { t.Error(u) })
//
// The function is called by the goroutine of the handler, after that has returned.
func WithReport(report func(ctx context.Context, u Undeclared)) ServerOption {
	return func(c *checker) { c.report = report }
}
