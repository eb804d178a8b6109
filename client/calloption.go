package client

import (
	"crypto/rand"
	"strings"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
)

// CallOption configures one call.
type CallOption func(*callConfig)

type callConfig struct {
	key      string
	keyGiven bool
	keyless  bool
	runID    string
	runGiven bool
	reads    bool
	grpc     []grpc.CallOption
}

// WithOperationKey names the intent of a call: 1 to 64 of [A-Za-z0-9_.:-], the same for every attempt at the same
// intent, in this process and after it. The default is a new random key for each call, which the result and the error
// tell. An empty key is refused, because it is more likely a variable that was never set than a wish for the default.
func WithOperationKey(key string) CallOption {
	return func(c *callConfig) { c.key, c.keyGiven = key, true }
}

// WithoutOperationKey sends no key: for a tool that makes the key out of its input and goes by that one, whatever is sent.
// The default is to send one. The lost answer of a call without a key is never one that may be sent again.
func WithoutOperationKey() CallOption { return func(c *callConfig) { c.keyless = true } }

// WithRunID says which agent run a call belongs to: 1 to 36 of [A-Za-z0-9_.:-]. The default is none; an empty id is
// refused, because a run that is not named is not held to its budget.
func WithRunID(id string) CallOption {
	return func(c *callConfig) { c.runID, c.runGiven = id, true }
}

// WithReadOnly says that the tool changes nothing. A lost answer is then no unknown outcome: the error is the one that
// was received, and no key is made. The default is that every tool may have an effect, and what a service says of a tool
// does not change it: annotations are hints. A tool that does have an effect must not be called with it.
func WithReadOnly() CallOption { return func(c *callConfig) { c.reads = true } }

// WithGRPC passes options to grpc, for example grpc.WaitForReady. The default is none.
func WithGRPC(options ...grpc.CallOption) CallOption {
	return func(c *callConfig) { c.grpc = append(c.grpc, options...) }
}

// bounds of what names a call, from tool.proto.
const (
	maxTool  = 64
	maxKey   = 64
	maxRunID = 36
)

// newCall completes the options of one call and checks what the service would refuse.
func newCall(tool string, options []CallOption) (callConfig, error) {
	var c callConfig
	for _, option := range options {
		if option != nil {
			option(&c)
		}
	}
	if !c.keyGiven && !c.keyless && !c.reads {
		c.key = rand.Text()
	}
	var issues []errs.Issue
	if !named(tool, maxTool, "_./-") {
		issues = append(issues, errs.Issue{Path: "/tool", Keyword: "pattern", Message: "must be 1 to 64 of A-Za-z0-9_./-"})
	}
	if c.keyGiven && !named(c.key, maxKey, "_.:-") {
		issues = append(issues, errs.Issue{Path: "/operation_key", Keyword: "pattern", Message: "must be 1 to 64 of A-Za-z0-9_.:-"})
	}
	if c.keyGiven && c.keyless {
		issues = append(issues, errs.Issue{Path: "/operation_key", Keyword: "not", Message: "must be left out, as WithoutOperationKey says"})
	}
	if c.runGiven && !named(c.runID, maxRunID, "_.:-") {
		issues = append(issues, errs.Issue{Path: "/run_id", Keyword: "pattern", Message: "must be 1 to 36 of A-Za-z0-9_.:-"})
	}
	if len(issues) > 0 {
		return c, &errs.ValidationError{Subject: "CallTool", Issues: issues}
	}
	return c, nil
}

// named reports whether s is 1 to most of letters, digits and others.
func named(s string, most int, others string) bool {
	const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	return s != "" && len(s) <= most && strings.Trim(s, alphanumeric+others) == ""
}
