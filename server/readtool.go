package server

import (
	"context"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// ReadOption configures a tool made by [NewReadTool].
type ReadOption func(*readConfig)

type readConfig struct {
	schema    string
	authorize any
	timeout   time.Duration
	errors    []*errs.Definition
}

// ReadSchema sets the input schema, as InputSchema of [Tool] does. The default, and the empty string, derives it.
func ReadSchema(schema string) ReadOption { return func(c *readConfig) { c.schema = schema } }

// ReadAuthorize asks whether the caller may read, as Authorize of [Tool] does. In must be the input of the tool; [New]
// refuses another. The default, and nil, asks nobody.
func ReadAuthorize[In any](authorize func(ctx context.Context, op *Op, in In) error) ReadOption {
	return func(c *readConfig) { c.authorize = authorize }
}

// ReadTimeout bounds one call. The default, and zero, is the Prepare default of [Timeouts].
func ReadTimeout(d time.Duration) ReadOption { return func(c *readConfig) { c.timeout = d } }

// ReadErrors lists the errors that callers are told to expect. The default is none.
func ReadErrors(definitions ...*errs.Definition) ReadOption {
	return func(c *readConfig) { c.errors = append(c.errors, definitions...) }
}

// NewReadTool makes a tool that has no effect: it needs no operation key, nothing of it is kept, and any call may be sent
// again. Typed errors of package errs reach the caller as they are; of any other, and where the output is larger than
// 1 MiB or not JSON in UTF-8, the caller gets internal. Names, descriptions, In and Out are as for [NewTool]; like that, it
// does not fail.
func NewReadTool[In, Out any](
	name, description string, read func(ctx context.Context, op *Op, in In) (Out, error), options ...ReadOption,
) *AnyTool {
	var c readConfig
	for _, option := range options {
		if option != nil {
			option(&c)
		}
	}
	t := newAnyTool[In, Out](name, description, c.schema, c.errors, Timeouts{Prepare: c.timeout})
	t.idempotent = true
	if read == nil {
		t.wrong("the function", "is missing: pass what reads and returns the output")
	} else {
		t.read = func(ctx context.Context, op *Op, in any) (any, error) { return read(ctx, op, cast[In](in)) }
	}
	switch authorize := c.authorize.(type) {
	case nil:
	case func(context.Context, *Op, In) error:
		t.authorize = erasedAuthorize(authorize)
	default:
		t.wrong("ReadAuthorize", "takes another input than the tool: give its function the In of NewReadTool")
	}
	return t
}
