// Package catalog lists every error that Remedy itself has. The rows are read from the options of errors.proto, so that
// they are what the wire says; only when an error arises is written here.
package catalog

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Row is one error: a code, and where one code has several rows, the case that tells them apart.
type Row struct {
	Code string `json:"code"`
	// Type is the full name of the message, GoType the Go type.
	Type   string `json:"type"`
	GoType string `json:"goType"`
	// Case is the field that tells the rows of one type apart, and its value; nil where the code does.
	Case *Case `json:"case,omitempty"`
	// Status, Retry and Effect are as on the wire; Effect is empty when the error itself proves nothing.
	Status string `json:"status"`
	Retry  string `json:"retry"`
	Effect string `json:"effect,omitempty"`
	// Headline is the default, with its placeholders; empty when it is made from the fields.
	Headline string       `json:"headline,omitempty"`
	Plan     *report.Plan `json:"plan,omitempty"`
	When     string       `json:"when"`
}

// Case is the value of a field.
type Case struct {
	Field string `json:"field"`
	Value string `json:"value"`
}

// Rows returns the catalog in the order of errors.proto.
func Rows() []*Row {
	var rows []*Row
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	for i := range messages.Len() {
		m := messages.Get(i)
		if options, ok := proto.GetExtension(m.Options(), remedyv1.E_Error).(*remedyv1.ErrorOptions); ok && options != nil {
			rows = append(rows, rowsOf(m, options)...)
		}
	}
	return rows
}

func rowsOf(m protoreflect.MessageDescriptor, options *remedyv1.ErrorOptions) []*Row {
	if options.GetDiscriminator() == "" {
		return []*Row{rowOf(m, options, nil)}
	}
	var rows []*Row
	for _, c := range options.GetCases() {
		if c.GetValue() == c.GetError().GetCode() {
			rows = append(rows, rowOf(m, c.GetError(), nil)) // the code tells them apart
			continue
		}
		rows = append(rows, rowOf(m, c.GetError(), &Case{options.GetDiscriminator(), c.GetValue()}))
	}
	return rows
}

func rowOf(m protoreflect.MessageDescriptor, options *remedyv1.ErrorOptions, c *Case) *Row {
	r := &Row{
		Code: options.GetCode(), Type: string(m.FullName()), GoType: "*errs." + string(m.Name()), Case: c,
		Status:   strings.TrimPrefix(options.GetStatus().String(), "STATUS_CODE_"),
		Retry:    errs.RetryPolicy(options.GetRetry()).String(),
		Effect:   errs.Effect(options.GetEffect()).String(),
		Headline: options.GetMessage(), Plan: report.PlanOfProto(options.GetRepair()),
	}
	r.When = when(r)
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
	if r.Headline == "" {
		return "(made from the fields)"
	}
	return r.Headline
}
