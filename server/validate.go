package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server/internal/exact"
)

// validate reads the input, checks it against the schema and fills in its defaults. No hook sees an input that does not
// match.
func (s *Server) validate(ctx context.Context, c *call) error {
	if c.tool.effect && c.tool.key == nil && isKey(c.OperationKey) {
		c.key = c.OperationKey
	}
	if issues := checkRequest(c); issues != nil {
		return &errs.ValidationError{Subject: "remedy.service.v1.CallToolRequest", Issues: issues}
	}
	if issues := c.read(); issues != nil {
		return &errs.ValidationError{Subject: c.tool.name, Issues: issues}
	}
	if c.invalid != nil {
		if err := s.passedBefore(ctx, c); err != nil {
			return err
		}
	}
	if err := guard("decoding the input", c.decode); err != nil {
		return err
	}
	return c.takeKey(ctx)
}

// passedBefore returns nil where the operation of the call is past its boundary with this very input: then it matched the
// schema of the version that claimed it. Where the ledger does not answer nobody knows, and the input may be right.
func (s *Server) passedBefore(ctx context.Context, c *call) error {
	c.caller, _ = auth.FromContext(ctx)
	row, err := s.get(ctx, c.name())
	switch {
	case err != nil:
		return unavailable(ctx, c.tool.name, err)
	case row.Sent == c.digest && pastClaim(&row):
		return nil
	default:
		return c.invalid
	}
}

const maxRunID = 36

// checkRequest checks what the protos say of the request, for callers that come past no interceptor.
func checkRequest(c *call) []errs.Issue {
	var issues []errs.Issue
	if c.OperationKey != "" && !isKey(c.OperationKey) {
		const expected = "must be 1 to 64 characters of A-Za-z0-9_.:-"
		issues = append(issues, errs.Issue{Path: "/operation_key", Keyword: "string.pattern", Message: expected})
	}
	if c.RunID != "" && !isWord(c.RunID, maxRunID, "_.:-") {
		const expected = "must be 1 to 36 characters of A-Za-z0-9_.:-"
		issues = append(issues, errs.Issue{Path: "/run_id", Keyword: "string.pattern", Message: expected})
	}
	return issues
}

func (c *call) read() []errs.Issue {
	var fault *exact.Fault
	if c.Input != "" {
		c.sent, fault = exact.Parse(c.Input)
	} else {
		c.sent, fault = exact.FromStruct(c.InputStruct)
	}
	if fault != nil {
		return []errs.Issue{issueOf(fault)}
	}
	c.text = exact.Canonical(c.sent)
	c.digest = sha256.Sum256(c.text)
	issues := c.tool.schema.Validate(c.sent)
	if issues == nil {
		if fault := c.tool.shape.check(c.sent); fault != nil {
			issues = []errs.Issue{issueOf(fault)}
		}
	}
	if issues != nil && c.tool.effect && c.tool.key == nil && c.key != "" {
		// An operation past its boundary passed the schema of the version that claimed it, and is answered all the same: a
		// deploy between a call and its retry is not the caller's mistake.
		c.invalid, issues = &errs.ValidationError{Subject: c.tool.name, Issues: issues}, nil
	}
	return issues
}

func issueOf(f *exact.Fault) errs.Issue {
	return errs.Issue{Path: f.Path, Keyword: f.Keyword, Message: f.Expected}
}

// decode makes the Go value that the hooks take. What the schema allows and Go cannot hold is the caller's to change.
func (c *call) decode() error {
	c.prepared = c.text
	if c.tool.schema.HasDefaults() {
		c.prepared = exact.Canonical(c.tool.schema.Prepare(c.sent))
	}
	in, err := c.tool.decode(c.prepared)
	if err = sound("decoding the input", err); err == nil {
		c.in = in
	} else if c.unreadable = c.invalid; c.unreadable == nil {
		return &errs.ValidationError{Subject: c.tool.name, Issues: []errs.Issue{undecodable(err)}, Cause: err}
	}
	return nil
}

// undecodable says what Go cannot hold. The texts of encoding/json and of the types' own methods may hold the value.
func undecodable(err error) errs.Issue {
	e, ok := errors.AsType[*json.UnmarshalTypeError](err)
	if !ok {
		return errs.Issue{Keyword: "type", Message: "must have the form that the description of the tool asks for"}
	}
	path := ""
	if e.Field != "" {
		path = "/" + strings.ReplaceAll(e.Field, ".", "/")
	}
	return errs.Issue{Path: path, Keyword: "type", Message: "must be " + rangeOf(e.Type)}
}

// rangeOf says what values of a Go type there are.
func rangeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		most := int64(1)<<(t.Bits()-1) - 1
		return "an integer from " + strconv.FormatInt(-most-1, 10) + " to " + strconv.FormatInt(most, 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "an integer from 0 to " + strconv.FormatUint(^uint64(0)>>(64-t.Bits()), 10)
	case reflect.Float32, reflect.Float64:
		return "a number that " + strconv.Itoa(t.Bits()) + " bits can hold"
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list"
	default:
		return "an object"
	}
}

// takeKey makes sure that a tool with an effect has an operation key. Where the tool makes it, the caller's means nothing:
// clients send one with every call.
func (c *call) takeKey(ctx context.Context) error {
	switch {
	case !c.tool.effect:
	case c.tool.key == nil && c.key == "":
		return &errs.ServiceError{Code: errs.CodeOperationKeyRequired, Subject: c.tool.name}
	case c.tool.key != nil:
		return guard("Key", func() error {
			if c.key = c.tool.key(ctx, c.in); !isKey(c.key) {
				c.key = ""
				return fmt.Errorf("the Key of %s returned no key: return 1 to 64 of [A-Za-z0-9_.:-]", c.tool.name)
			}
			return nil
		})
	}
	return nil
}
