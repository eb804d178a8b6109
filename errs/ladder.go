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
		{"unknown details", f.cutExtra},
		{"issues", func() bool { return f.cutIssue(fewIssues) }},
		{"declared message", f.cutDeclared},
		{"lists", f.cutList},
		{"instructions", f.cutInstruction},
		{"invariants", f.cutInvariant},
		{"last issues", func() bool { return f.cutIssue(1) }},
		{"message", f.cutMessage},
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
	had := f.details != nil
	f.details = nil
	return had
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
	if len(f.declared.GetValue()) == 0 {
		return false
	}
	f.declared = &anypb.Any{TypeUrl: f.declared.GetTypeUrl()}
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
			rest := ""
			if size > 0 {
				rest, _ = cutRunes(steps[i].instruction, size)
			}
			if rest != steps[i].instruction {
				steps[i].instruction = rest
				f.plan = f.plan.withSteps(steps)
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

// shortenHeadline cuts the headline wherever a detail repeats it.
func (f *form) shortenHeadline() {
	f.headline = short(f.headline)
	for _, v := range f.quota.GetViolations() {
		v.Description = short(v.GetDescription())
	}
	for _, v := range f.precondition.GetViolations() {
		v.Description = short(v.GetDescription())
	}
	if f.identity == nil {
		return
	}
	m := f.identity.ProtoReflect()
	if field := m.Descriptor().Fields().ByName("message"); field != nil && m.Has(field) {
		m.Set(field, protoreflect.ValueOfString(short(m.Get(field).String())))
	}
}

func short(headline string) string {
	headline, _ = cutWire(headline, shortHeadline)
	return headline
}

// cutExtra removes the last of the details that a received status has besides.
func (f *form) cutExtra() bool {
	if len(f.extras) == 0 {
		return false
	}
	f.extras = f.extras[:len(f.extras)-1]
	return true
}
