package errs

import (
	"iter"
	"slices"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// fewIssues is what the first cut of the issues leaves; the last one leaves one.
const fewIssues = 4

// ladder yields after each thing left out, from what a caller misses least to what it misses most. ErrorInfo, the type,
// RetryInfo and the actions and tools of the steps are never left out.
func (f *form) ladder() iter.Seq[string] {
	rungs := []struct {
		name string
		cut  func() bool // cuts one thing; false when nothing is left to cut
	}{
		{"details", f.cutDetails},
		{"help", f.cutHelp},
		{"causes", f.cutCause},
		{"issues", func() bool { return f.cutIssue(fewIssues) }},
		{"declared message", f.cutDeclared},
		{"lists", f.cutList},
		{"instructions", f.cutInstruction},
		{"invariants", f.cutInvariant},
		{"last issues", func() bool { return f.cutIssue(1) }},
		{"message", f.cutMessage},
		{"unknown details", f.cutExtra},
	}
	return func(yield func(string) bool) {
		for _, rung := range rungs {
			for rung.cut() {
				if !yield(rung.name) {
					return
				}
			}
		}
	}
}

func (f *form) cutDetails() bool {
	m, ok := f.identity.(*remedyv1.ToolError)
	if !ok || m.GetDetails() == nil {
		return false
	}
	m.Details = nil
	return true
}

func (f *form) cutHelp() bool {
	had := f.help != nil
	f.help = nil
	return had
}

// cutCause removes the last cause in reading order.
func (f *form) cutCause() bool {
	list := &f.causes
	if len(*list) == 0 {
		return false
	}
	for {
		last := (*list)[len(*list)-1]
		if len(last.GetCauses()) == 0 {
			*list = (*list)[:len(*list)-1]
			return true
		}
		list = &last.Causes
	}
}

// cutIssue removes the last issue or violation while there are more than keep.
func (f *form) cutIssue(keep int) bool {
	cut := false
	if m, ok := f.identity.(*remedyv1.ValidationError); ok && len(m.GetIssues()) > keep {
		m.Issues = m.GetIssues()[:len(m.GetIssues())-1]
		cut = true
	}
	if n := len(f.badRequest.GetFieldViolations()); n > keep {
		f.badRequest.FieldViolations = f.badRequest.GetFieldViolations()[:n-1]
		cut = true
	}
	if n := len(f.quota.GetViolations()); n > keep {
		f.quota.Violations = f.quota.GetViolations()[:n-1]
		cut = true
	}
	if n := len(f.precondition.GetViolations()); n > keep {
		f.precondition.Violations = f.precondition.GetViolations()[:n-1]
		cut = true
	}
	return cut
}

// cutDeclared empties the declared message; its type stays.
func (f *form) cutDeclared() bool {
	if f.declared == nil || len(f.declared.any.GetValue()) == 0 {
		return false
	}
	f.declared = &declaredPart{any: &anypb.Any{TypeUrl: f.declared.any.GetTypeUrl()}}
	return true
}

func (f *form) cutList() bool {
	switch m := f.identity.(type) {
	case *remedyv1.ToolNotAllowedError:
		if n := len(m.GetAllowedUnion()); n > 0 {
			m.AllowedUnion = m.GetAllowedUnion()[:n-1]
			return true
		}
		if n := len(m.GetActiveSkills()); n > 0 {
			m.ActiveSkills = m.GetActiveSkills()[:n-1]
			return true
		}
	case *remedyv1.ToolPairingError:
		if n := len(m.GetRepairs()); n > 0 {
			m.Repairs = m.GetRepairs()[:n-1]
			return true
		}
	}
	return false
}

// cutInstruction shortens the instructions, from the last on, to what a message shows; then it leaves them out.
func (f *form) cutInstruction() bool {
	steps := slices.Clone(f.plan.list())
	for _, size := range []int{maxInstructionRunes, 0} {
		for i := len(steps) - 1; i >= 0; i-- {
			short := ""
			if size > 0 {
				short, _ = cutRunes(steps[i].instruction, size)
			}
			if short != steps[i].instruction {
				steps[i].instruction = short
				f.plan = newPlan(steps, f.plan.preserves(), f.plan.updates())
				return true
			}
		}
	}
	return false
}

func (f *form) cutInvariant() bool {
	preserve, update := f.plan.preserves(), f.plan.updates()
	switch {
	case len(update) > 0:
		update = update[:len(update)-1]
	case len(preserve) > 0:
		preserve = preserve[:len(preserve)-1]
	default:
		return false
	}
	f.plan = newPlan(f.plan.list(), preserve, update)
	return true
}

func (f *form) cutMessage() bool {
	if f.messageSize == shortMessage {
		return false
	}
	f.messageSize, f.headlineSize = shortMessage, shortHeadline
	f.shortenHeadline()
	return true
}

// shortenHeadline cuts the headline inside the identity message too.
func (f *form) shortenHeadline() {
	f.headline, _ = cutWire(f.headline, shortHeadline)
	if f.identity == nil {
		return
	}
	m := f.identity.ProtoReflect()
	field := m.Descriptor().Fields().ByName("message")
	if field == nil || !m.Has(field) {
		return
	}
	short, _ := cutWire(m.Get(field).String(), shortHeadline)
	m.Set(field, protoreflect.ValueOfString(short))
}

// cutExtra empties, then removes, the details of a received status that this version does not know.
func (f *form) cutExtra() bool {
	for i := len(f.extras) - 1; i >= 0; i-- {
		if len(f.extras[i].GetValue()) > 0 {
			f.extras = slices.Clone(f.extras)
			f.extras[i] = &anypb.Any{TypeUrl: f.extras[i].GetTypeUrl()}
			return true
		}
	}
	if len(f.extras) == 0 {
		return false
	}
	f.extras = f.extras[:len(f.extras)-1]
	return true
}
