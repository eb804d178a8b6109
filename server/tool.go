package server

import (
	"context"
	"strconv"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// Tool is what a tool with an effect is made of. Execute is required, the rest may be left out.
//
// Every hook may be called by several goroutines at once. A panic in one is an error of it, and its text never leaves
// the server. What becomes of an error depends on where it comes from:
//
//   - of Authorize and Execute, typed errors of package errs reach the caller as they are; of any other the caller gets
//     internal, or what tells of its own deadline and cancellation. A limit that a hook sets itself is an error like any
//     other.
//   - of the effect, every error means outcome_unknown or is looked up with Recover, typed ones too, unless it comes from
//     [Op.NotApplied]: then what is in that is treated like an error of Execute.
//   - of Recover, it leaves the outcome unknown.
//   - of Verify, it means verification_failed, with the reason unavailable.
type Tool[In, Out any] struct {
	// InputSchema is the JSON Schema 2020-12 of In, as JSON text. Empty derives it: fields are required unless their tag
	// says omitempty or omitzero, a jsonschema tag is the description, no other properties are allowed, and a type with a
	// method JSONSchema() string says its own. The defaults of a schema are filled in before any hook sees the input. What it
	// marks with writeOnly or x-remedy-secret is never kept: Recover, where nobody calls again, gets the input without it.
	InputSchema string
	// Authorize says whether the caller may do this: nil, [Denied], or another error. It is asked on every call, also when
	// the result is known already. op.ID is empty, because there may be no operation yet.
	Authorize func(ctx context.Context, op *Op, in In) error
	// Key names the operation, 1 to 64 of [A-Za-z0-9_.:-]. Where a tool has it, a key that the caller sends is not used, and
	// answers name this one; the key of a tool without it is the caller's.
	Key func(ctx context.Context, in In) string
	// Execute checks and prepares, and returns the effect. It must not have the effect: an error here says that nothing
	// happened, and the key may be used again. Typed errors reach the caller, which they do not from the effect.
	Execute func(ctx context.Context, op *Op, in In) (Effect[Out], error)
	// Immediate takes the place of Execute in a tool that checks nothing before its effect, and saves it one write to the
	// ledger. It is the effect, so every error of it means that nobody knows what happened, but for that of [Op.NotApplied].
	Immediate func(ctx context.Context, op *Op, in In) (Out, error)
	// Recover finds out what became of an effect that did not return a result. It only reads, by op.ID or op.Key, and may
	// run while the effect still does. Without it such an outcome stays unknown.
	Recover func(ctx context.Context, op *Op, in In) (Recovered[Out], error)
	// Verify reads authoritative state and says whether it agrees with the result. It is asked after the effect and again
	// on every replay. Without it results are not verified.
	Verify func(ctx context.Context, op *Op, in In, out Out) (Verdict, error)
	// DedupesOnOperationID says that whatever the effect calls takes op.ID as the name of the request, and has its effect once
	// however often that is sent within DedupeWindow. Then an operation that was lost past the boundary is executed again by the
	// next equal call, where Recover does not find it. Who sweeps or reconciles never executes.
	DedupesOnOperationID bool
	// DedupeWindow is how long the other side remembers op.ID. It counts from the first claim of the operation, by the clock of the
	// ledger: one that is set back makes it longer by as much. What could reach the other side later than that is not executed
	// again, and stays unknown. The default is [DefaultDedupeWindow].
	DedupeWindow time.Duration
	// Scope says whose keys are the same. The default is each principal's own.
	Scope Scope
	// Version of the tool, kept with its operations; may be empty. Equal calls get the same result whatever the version is.
	Version string
	// Timeouts bounds the hooks; its zero fields mean the defaults.
	Timeouts Timeouts
	// Errors are the errors that callers are told to expect, each code once. One that is not listed is delivered all the
	// same, and logged.
	Errors []*errs.Definition
	// Destructive and Idempotent are hints for agents; no rule depends on them.
	Destructive, Idempotent bool
}

// DefaultDedupeWindow is the default of DedupeWindow: payment providers keep the names of requests for a day at least.
const DefaultDedupeWindow = 24 * time.Hour

const maxVersion = 64

// Effect is what a tool does to the world. It is called once, without the caller's deadline and cancellation. Its error
// means that nobody knows what happened, also where it is a typed one: the caller gets outcome_unknown unless Recover finds
// the effect. An error that proves that nothing happened goes to the caller by [Op.NotApplied]; what can be refused before
// the effect is better refused in Execute.
type Effect[Out any] func(ctx context.Context) (Out, error)

// Scope says whose keys are the same.
type Scope int

const (
	// PrincipalScope keeps the keys of each principal apart.
	PrincipalScope Scope = iota
	// TenantScope lets all principals of a tenant share keys, and with them results. Only operators list the operations of such
	// a tool; whoever began one finds it by its id.
	TenantScope
)

// NewTool makes a tool of a name (1 to 64 of [A-Za-z0-9_./-]), a description for agents, and its hooks. In and Out are
// structs or maps with string keys. It does not fail: [New] reports what is wrong with all tools at once.
func NewTool[In, Out any](name, description string, tool Tool[In, Out]) *AnyTool {
	t := newAnyTool[In, Out](name, description, tool.InputSchema, tool.Errors, tool.Timeouts)
	t.effect = true
	t.destructive, t.idempotent = tool.Destructive, tool.Idempotent
	t.scope, t.version = tool.Scope, tool.Version
	t.dedupe(tool.DedupesOnOperationID, tool.DedupeWindow)
	if tool.Scope != PrincipalScope && tool.Scope != TenantScope {
		t.wrong("Scope", "must be PrincipalScope or TenantScope")
	}
	if len(tool.Version) > maxVersion {
		t.wrong("Version", "must have at most "+strconv.Itoa(maxVersion)+" bytes")
	}
	switch {
	case tool.Execute != nil && tool.Immediate != nil:
		t.wrong("Immediate", "and Execute exclude each other: keep Execute where something is checked before the effect")
	case tool.Immediate != nil:
		t.immediate = true
		t.execute = func(_ context.Context, op *Op, in any) (func(context.Context) (any, error), error) {
			return func(ctx context.Context) (any, error) { return tool.Immediate(ctx, op, cast[In](in)) }, nil
		}
	case tool.Execute == nil:
		t.wrong("Execute", "is missing: return the effect from it, or use NewReadTool for a tool without one")
	default:
		t.execute = func(ctx context.Context, op *Op, in any) (func(context.Context) (any, error), error) {
			effect, err := tool.Execute(ctx, op, cast[In](in))
			if effect == nil || err != nil {
				return nil, err
			}
			return func(ctx context.Context) (any, error) { return effect(ctx) }, nil
		}
	}
	t.authorize = erasedAuthorize(tool.Authorize)
	if tool.Key != nil {
		t.key = func(ctx context.Context, in any) string { return tool.Key(ctx, cast[In](in)) }
	}
	if tool.Recover != nil {
		t.recover = func(ctx context.Context, op *Op, in any) (any, bool, error) {
			found, err := tool.Recover(ctx, op, cast[In](in))
			return found.out, found.committed, err
		}
	}
	if tool.Verify != nil {
		t.verify = func(ctx context.Context, op *Op, in, out any) (Verdict, error) {
			return tool.Verify(ctx, op, cast[In](in), cast[Out](out))
		}
	}
	return t
}

func erasedAuthorize[In any](authorize func(context.Context, *Op, In) error) func(context.Context, *Op, any) error {
	if authorize == nil {
		return nil
	}
	return func(ctx context.Context, op *Op, in any) error { return authorize(ctx, op, cast[In](in)) }
}

// cast takes back what the server put in; a nil map or pointer arrives as no value at all.
func cast[T any](v any) T {
	t, _ := v.(T)
	return t
}
