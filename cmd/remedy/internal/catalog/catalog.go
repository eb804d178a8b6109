// Package catalog lists errors: those that Remedy itself has, or those that some protos declare. The rows are read from the
// options of the protos, so that they are what the wire says; only when a built-in error arises is written here.
package catalog

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

// Row is one error: a code, and where one code has several rows, the case that tells them apart.
type Row struct {
	// Code and Domain name the error on the wire.
	Code   string `json:"code"`
	Domain string `json:"domain"`
	// Type is the full name of the message; GoType the Go type and GoPackage where it is, both empty when not known.
	Type      string `json:"type"`
	GoType    string `json:"goType,omitempty"`
	GoPackage string `json:"goPackage,omitempty"`
	// Case is the field that tells the rows of one type apart, and its value; nil where the code does.
	Case *Case `json:"case,omitempty"`
	// Status, Retry and Effect are as on the wire; Effect is empty when the error itself proves nothing.
	Status string `json:"status"`
	Retry  string `json:"retry"`
	Effect string `json:"effect,omitempty"`
	// Headline is the default, with its placeholders; empty when it is made from the fields or the code.
	Headline string       `json:"headline,omitempty"`
	Plan     *report.Plan `json:"plan,omitempty"`
	// When says when a built-in error arises, About what the proto says of a declared one, Doc where to read on.
	When  string `json:"when,omitempty"`
	About string `json:"about,omitempty"`
	Doc   string `json:"doc,omitempty"`
	// File is the proto, and Methods are the methods that may return the error, where that is known.
	File    string   `json:"file,omitempty"`
	Methods []string `json:"methods,omitempty"`

	builtin bool
}

// Case is the value of a field.
type Case struct {
	Field string `json:"field"`
	Value string `json:"value"`
}

// Rows returns the errors of Remedy itself, in the order of errors.proto.
func Rows() []*Row {
	rows := make([]*Row, 0, len(whens()))
	for _, e := range declared.Read([]protoreflect.FileDescriptor{remedyv1.File_remedy_v1_errors_proto}).Errors {
		rows = append(rows, rowsOf(e)...)
	}
	return rows
}

func rowsOf(e *declared.Error) []*Row {
	if e.Options.GetDiscriminator() == "" || len(e.Options.GetCases()) == 0 {
		return []*Row{rowOf(e, e.Options, nil)}
	}
	var rows []*Row
	for _, c := range e.Options.GetCases() {
		if c.GetValue() == c.GetError().GetCode() {
			rows = append(rows, rowOf(e, c.GetError(), nil)) // the code tells them apart
			continue
		}
		rows = append(rows, rowOf(e, c.GetError(), &Case{e.Options.GetDiscriminator(), c.GetValue()}))
	}
	return rows
}

func rowOf(e *declared.Error, options *remedyv1.ErrorOptions, c *Case) *Row {
	r := &Row{
		Code: options.GetCode(), Domain: e.Domain(), Type: string(e.Message.FullName()), Case: c,
		Status:   strings.TrimPrefix(remedyv1.StatusCode(declared.Status(options)).String(), "STATUS_CODE_"), //nolint:gosec // a status code
		Retry:    errs.RetryPolicy(options.GetRetry()).String(),
		Effect:   errs.Effect(options.GetEffect()).String(),
		Headline: options.GetMessage(), Plan: report.PlanOfProto(options.GetRepair()), Doc: options.GetDoc(),
	}
	r.GoType, r.GoPackage = goType(e)
	if r.builtin = e.IsBuiltin(); r.builtin {
		r.When = when(r)
	}
	return r
}

// name is what tells rows apart: the code, and the case where one code has several.
func (r *Row) name() string {
	if r.Case == nil || strings.HasSuffix(r.Code, "_"+r.Case.Value) {
		return r.Code
	}
	return r.Code + "/" + r.Case.Value
}

// condition is the case as a sentence part, such as reason = required; empty where there is none.
func (r *Row) condition() string {
	switch {
	case r.Case == nil:
		return ""
	case r.Case.Field == "class":
		return r.Case.Value // computed from several fields
	default:
		return r.Case.Field + " = " + r.Case.Value
	}
}

// headline is what to show for a headline.
func (r *Row) headline() string {
	switch {
	case r.Headline != "":
		return r.Headline
	case r.builtin:
		return "(made from the fields)"
	default:
		return "(made from the code)"
	}
}
