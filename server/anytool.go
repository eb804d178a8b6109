package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/internal/schema"
)

// AnyTool is a tool whatever its input and output are: what [NewTool] and [NewReadTool] make and [New] takes. It is
// immutable, and may be given to several servers.
type AnyTool struct {
	name, description       string
	effect                  bool
	immediate               bool          // Execute checks nothing
	dedupeWindow            time.Duration // zero for a tool that does not
	scope                   Scope
	version                 string
	destructive, idempotent bool
	schema                  *schema.Schema
	shape                   *shape
	timeouts                Timeouts
	errors                  []*errs.Definition
	problems                []error

	authorize func(ctx context.Context, op *Op, in any) error
	key       func(ctx context.Context, in any) string
	execute   func(ctx context.Context, op *Op, in any) (func(context.Context) (any, error), error)
	read      func(ctx context.Context, op *Op, in any) (any, error)
	recover   func(ctx context.Context, op *Op, in any) (any, bool, error)
	verify    func(ctx context.Context, op *Op, in, out any) (Verdict, error)

	decode    func(text []byte) (any, error)
	decodeOut func(text []byte) (any, error)
}

// Name returns the name of the tool.
func (t *AnyTool) Name() string { return t.name }

// Window returns the least time that a call has to have, zero for any; see [Timeouts].
func (t *AnyTool) Window() time.Duration { return t.timeouts.Window }

const maxDescription = 4096

func newAnyTool[In, Out any](
	name, description, inputSchema string, declared []*errs.Definition, timeouts Timeouts,
) *AnyTool {
	t := &AnyTool{
		name: name, description: description, errors: declared, timeouts: timeouts.withDefaults(),
		decode: decodeAs[In], decodeOut: decodeAs[Out],
	}
	if !isName(name) {
		t.wrong("the name", "must be 1 to 64 of [A-Za-z0-9_./-]")
	}
	if strings.TrimSpace(description) == "" || len(description) > maxDescription {
		t.wrong("the description", "must have 1 to "+strconv.Itoa(maxDescription)+" bytes: say what the tool does, for an agent")
	}
	if timeouts.negative() {
		t.wrong("Timeouts", "must not be negative: leave a field zero for its default")
	}
	if !isObject(reflect.TypeFor[In]()) {
		t.wrong("In", "is "+reflect.TypeFor[In]().String()+": use a struct or a map with string keys")
		return t
	}
	if !isObject(reflect.TypeFor[Out]()) {
		t.wrong("Out", "is "+reflect.TypeFor[Out]().String()+": use a struct or a map with string keys")
	}
	t.checkErrors()
	t.compile(reflect.TypeFor[In](), inputSchema)
	return t
}

// wrong notes a problem with a field, for New to report.
func (t *AnyTool) wrong(field, problem string) {
	t.problems = append(t.problems, fmt.Errorf("tool %q: %s %s", t.name, field, problem))
}

func (t *AnyTool) checkErrors() {
	seen := make(map[errs.Code]bool)
	for i, d := range t.errors {
		switch {
		case d == nil:
			t.wrong("Errors["+strconv.Itoa(i)+"]", "is nil: make it with errs.Define")
		case seen[d.Code()]:
			t.wrong("Errors["+strconv.Itoa(i)+"]", "has the code "+string(d.Code())+" a second time: list each code once")
		default:
			seen[d.Code()] = true
		}
	}
}

func (t *AnyTool) compile(in reflect.Type, given string) {
	text, err := given, error(nil)
	if given == "" {
		text, err = schema.Derive(in)
	}
	if err == nil {
		t.schema, err = schema.Compile(text)
	}
	if err != nil {
		t.problems = append(t.problems, fmt.Errorf("tool %q: InputSchema: %w", t.name, err))
	}
	t.shape = shapeOf(in)
}

// keepsInput reports whether an operation of the tool may need its input when nobody calls with it, or another version does.
func (t *AnyTool) keepsInput() bool { return t.recover != nil || t.dedupeWindow > 0 }

// check returns everything that is wrong with the tool.
func (t *AnyTool) check() error {
	if t == nil {
		return errors.New("a tool is nil: make it with NewTool or NewReadTool")
	}
	return errors.Join(t.problems...)
}

// declares reports whether callers are told to expect the code.
func (t *AnyTool) declares(code errs.Code) bool {
	for _, d := range t.errors {
		if d.Code() == code {
			return true
		}
	}
	return false
}

// isObject reports whether values of a type are written as JSON objects.
func isObject(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map && t.Key().Kind() == reflect.String
}

// decodeAs reads a value from canonical JSON, in which every number of Go's integer types is in plain digits.
func decodeAs[T any](text []byte) (any, error) {
	var v T
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	err := decoder.Decode(&v)
	return v, err //nolint:wrapcheck // read by kind where it is called; its text may hold values
}

// isName reports whether s can name a tool.
func isName(s string) bool { return isWord(s, 64, "_./-") }

// isKey reports whether s can be an operation key.
func isKey(s string) bool { return isWord(s, 64, "_.:-") }

// isWord reports whether s is 1 to most of ASCII letters, digits and the given others.
func isWord(s string, most int, others string) bool {
	if s == "" || len(s) > most {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		digit := c >= '0' && c <= '9'
		if !letter && !digit && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}
