package compat

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/jhump/protoreflect/v2/protoresolve"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

// Fields of ErrorOptions and ErrorCase, by their numbers.
const (
	fieldCode          = 1
	fieldMessage       = 2
	fieldStatus        = 3
	fieldRetry         = 4
	fieldRepair        = 5
	fieldEffect        = 6
	fieldDoc           = 7
	fieldDiscriminator = 8
	fieldCases         = 9

	caseError = 2
)

// newError is what to do instead of changing an error.
const newError = "leave it as it is, and declare a new error, with a message and a code of its own, for what is to be said now"

func (c *comparison) compareError(before *declared.Error) {
	after := c.after.Error(before.Message.FullName())
	if after == nil {
		c.add(c.gone(before))
		return
	}
	if from, to := before.Options.GetDiscriminator(), after.Options.GetDiscriminator(); from != to {
		c.add(changed(DiscriminatorChanged, "discriminator", from, to).place(after.Message, fieldDiscriminator).
			refuse("Callers built before tell the cases apart by the old field.", newError))
		return
	}
	if after.Options.GetDiscriminator() == "" {
		c.compareOptions(before.Options, after.Options, "", func(f *Finding, field int32) *Finding {
			return f.place(after.Message, field)
		})
		return
	}
	c.compareCases(before, after)
}

// gone is the finding of an error that has no declaration under its name.
func (c *comparison) gone(before *declared.Error) *Finding {
	if moved := c.movedTo(before); moved != nil {
		c.matched[moved.Message.FullName()] = true
		f := (&Finding{Kind: ErrorMoved, What: "moved to " + string(moved.Message.FullName())}).place(moved.Message).refuse(
			"The package and the message are the domain and the type of the error on the wire: callers built before know neither, and get "+
				"an error without its type and fields.",
			"keep the old message as long as anybody knows it, and let the new one have a code of its own")
		f.Name = string(before.Message.FullName()) // found under its old name
		f.From, f.To = f.Name, string(moved.Message.FullName())
		return f
	}
	f := &Finding{Kind: ErrorRemoved, What: "removed, with code " + codes(before)}
	if c.hasMessage(before) {
		f.What = "no error any more: the option with code " + codes(before) + " was removed"
	}
	return f.place(before.Message).refuse(
		"Servers built before still return it, and callers generated now do not know it: they get an error without its type and fields.",
		"keep the message and its option; an error that nothing returns does no harm")
}

// hasMessage reports whether the new version has the message of an error.
func (c *comparison) hasMessage(e *declared.Error) bool {
	for _, file := range c.after.Files {
		if protoresolve.FindDescriptorByNameInFile(file, e.Message.FullName()) != nil {
			return true
		}
	}
	return false
}

// movedTo is the new error that seems to be an old one: it has a code of it, and best its package or its name too.
func (c *comparison) movedTo(before *declared.Error) *declared.Error {
	var best *declared.Error
	most := 0
	for _, e := range c.after.Errors {
		if c.before.Error(e.Message.FullName()) != nil || codes(e) != codes(before) {
			continue
		}
		alike := 1
		if e.Domain() == before.Domain() {
			alike += 2
		}
		if e.Message.Name() == before.Message.Name() {
			alike++
		}
		if alike > most {
			best, most = e, alike
		}
	}
	return best
}

// compareCases compares the cases of a built-in error by the values of its discriminator.
func (c *comparison) compareCases(before, after *declared.Error) {
	old := make(map[string]*remedyv1.ErrorOptions)
	for _, each := range before.Options.GetCases() {
		old[each.GetValue()] = each.GetError()
	}
	found := make(map[string]bool)
	for i, each := range after.Options.GetCases() {
		value, index := each.GetValue(), int32(i)
		found[value] = true
		if old[value] == nil {
			f := &Finding{Kind: CaseAdded, Case: value, What: "new case, with code " + strconv.Quote(each.GetError().GetCode())}
			c.add(f.place(after.Message, fieldCases, index))
			continue
		}
		c.compareOptions(old[value], each.GetError(), value, func(f *Finding, field int32) *Finding {
			return f.place(after.Message, fieldCases, index, caseError, field)
		})
	}
	for _, each := range before.Options.GetCases() {
		if value := each.GetValue(); !found[value] {
			f := &Finding{Kind: CaseRemoved, Case: value, What: "case removed, with code " + strconv.Quote(each.GetError().GetCode())}
			c.add(f.place(after.Message, fieldCases).refuse(
				"Servers built before still return this case, and callers generated now know no rule and no plan for it.",
				"keep the case; one that nothing returns does no harm"))
		}
	}
}

// compareOptions compares one code. The place of a finding is made of the number of a field.
func (c *comparison) compareOptions(before, after *remedyv1.ErrorOptions, name string, place func(*Finding, int32) *Finding) {
	add := func(field int32, f *Finding) *Finding {
		f.Case = name
		c.add(place(f, field))
		return f
	}
	if from, to := before.GetCode(), after.GetCode(); from != to {
		add(fieldCode, changedText(CodeChanged, "code", from, to)).refuse(
			"Callers match by the code, and clients generated before take the message for this error under the old code only.", newError)
	}
	if from, to := status(before), status(after); from != to {
		add(fieldStatus, changed(StatusChanged, "status", from, to)).refuse(
			"Callers without the types, proxies and gRPC libraries act by the status code: some retry what they gave up before, or give up "+
				"what they retried.", newError)
	}
	if from, to := rule(before), rule(after); from != to {
		add(fieldRetry, changed(RetryChanged, "retry", from, to)).refuse(
			"Callers decided by the code what to do about it, and were told "+from+": they would repeat what must not be, or give up what "+
				"may be repeated.", newError)
	}
	if from, to := effect(before), effect(after); from != to {
		add(fieldEffect, changed(EffectChanged, "effect", from, to)).refuse(
			"Callers that know the code know by it whether the call took effect: they would repeat an effect, or miss one.", newError)
	}
	if from, to := before.GetMessage(), after.GetMessage(); from != to {
		add(fieldMessage, changedText(HeadlineChanged, "headline", from, to))
	}
	if !proto.Equal(before.GetRepair(), after.GetRepair()) {
		add(fieldRepair, changed(PlanChanged, "plan", plan(before), plan(after)))
	}
	if from, to := before.GetDoc(), after.GetDoc(); from != to {
		add(fieldDoc, changedText(DocChanged, "doc", from, to))
	}
}

func status(options *remedyv1.ErrorOptions) string {
	return strings.TrimPrefix(remedyv1.StatusCode(declared.Status(options)).String(), "STATUS_CODE_") //nolint:gosec // a status code
}

// rule is the retry rule by its number: one of a later version is not read as never here.
func rule(options *remedyv1.ErrorOptions) string {
	if number := options.GetRetry(); number > remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR {
		return number.String()
	}
	return errs.RetryPolicy(options.GetRetry()).String()
}

func effect(options *remedyv1.ErrorOptions) string {
	return cmp.Or(errs.Effect(options.GetEffect()).String(), "not stated")
}

func plan(options *remedyv1.ErrorOptions) string {
	return strings.Join(report.PlanOfProto(options.GetRepair()).Lines(), "; ")
}

// codes are the codes of an error, each once.
func codes(e *declared.Error) string {
	var all []string
	seen := make(map[string]bool)
	for _, row := range declared.Rows(e.Options) {
		if code := strconv.Quote(row.GetCode()); !seen[code] {
			seen[code] = true
			all = append(all, code)
		}
	}
	return strings.Join(all, ", ")
}
