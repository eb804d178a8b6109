// Package compat compares what two versions of protos declare, and says what breaks callers that were built before.
//
// It looks at options only: of fields and types, which buf breaking compares, it says nothing.
package compat

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/internal/declared"
)

// Finding is one difference.
type Finding struct {
	// Refused says that it breaks somebody, Why whom, and Instead what to do.
	Refused bool   `json:"refused"`
	Kind    Kind   `json:"kind"`
	Name    string `json:"name"` // of the message or method
	Case    string `json:"case,omitempty"`
	What    string `json:"what"`
	From    string `json:"from,omitempty"`
	To      string `json:"to,omitempty"`
	Why     string `json:"why,omitempty"`
	Instead string `json:"instead,omitempty"`
	// File, Line and Column are in the new version, or in the old one for what is gone; Line is zero when not known.
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// Kind is what has changed.
type Kind string

// What may change of an error, and of a contract.
const (
	ErrorAdded           Kind = "error_added"
	ErrorRemoved         Kind = "error_removed"
	ErrorMoved           Kind = "error_moved"
	CaseAdded            Kind = "case_added"
	CaseRemoved          Kind = "case_removed"
	DiscriminatorChanged Kind = "discriminator_changed"
	CodeChanged          Kind = "code_changed"
	StatusChanged        Kind = "status_changed"
	RetryChanged         Kind = "retry_changed"
	EffectChanged        Kind = "effect_changed"
	HeadlineChanged      Kind = "headline_changed"
	PlanChanged          Kind = "plan_changed"
	DocChanged           Kind = "doc_changed"

	MethodRemoved         Kind = "method_removed"
	ContractAdded         Kind = "contract_added"
	ContractRemoved       Kind = "contract_removed"
	ContractEffectChanged Kind = "contract_effect_changed"
	ContractErrorsChanged Kind = "contract_errors_changed"
	ContractToolChanged   Kind = "contract_tool_changed"
	ContractKeyChanged    Kind = "contract_key_changed"
)

// OfOld reports whether the place of the finding is in the old version.
func (k Kind) OfOld() bool { return k == ErrorRemoved || k == MethodRemoved }

// Subject is what the finding is about, as it begins a sentence.
func (f *Finding) Subject() string {
	if f.Case == "" {
		return f.Name
	}
	return f.Name + " (" + f.Case + ")"
}

// place says where d is; path leads from its option to the part that the finding is about.
func (f *Finding) place(d protoreflect.Descriptor, path ...int32) *Finding {
	at := declared.NewProblem(d, path, "")
	f.File, f.Line, f.Column, f.Name = at.File, at.Line, at.Column, at.Name
	return f
}

// changed is a value that is another one now.
func changed(kind Kind, name, from, to string) *Finding {
	return &Finding{Kind: kind, What: name + " was " + orNone(from) + " and is " + orNone(to), From: from, To: to}
}

// changedText is a text that is another one now.
func changedText(kind Kind, name, from, to string) *Finding {
	f := changed(kind, name, quoted(from), quoted(to))
	f.From, f.To = from, to
	return f
}

func quoted(s string) string {
	if s == "" {
		return ""
	}
	return strconv.Quote(s)
}

func (f *Finding) refuse(why, instead string) *Finding {
	f.Refused, f.Why, f.Instead = true, why, instead
	return f
}

func orNone(s string) string {
	if strings.TrimSpace(s) == "" {
		return "none"
	}
	return s
}
