package declared

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// toolDomain is the domain of the errors that no proto declares.
const toolDomain protoreflect.FullName = "tool.remedy.v1"

func (c *checker) checkError(e *Error) {
	c.checkDomain(e)
	c.checkName(e)
	options := e.Options
	if options.GetDiscriminator() != "" {
		c.refusef(e.Message, in(optionDiscriminator), "discriminator is for remedy.v1 only: declare a message for each code")
	}
	if len(options.GetCases()) > 0 {
		c.refusef(e.Message, in(optionCases), "cases are for remedy.v1 only: declare a message for each code")
	}
	c.checkCode(e)
	c.checkRule(e)
	c.checkHeadline(e)
	c.checkPlan(e)
	c.checkEffect(e)
	if doc := options.GetDoc(); strings.HasPrefix(doc, authored.Secure) && !authored.IsLink(doc) {
		c.refusef(e.Message, in(optionDoc), "doc is not an https URL of at most %d bytes: shorten the link, or write text that is no link",
			authored.MaxLink)
	}
	if len(c.problems) == 0 || c.problems[len(c.problems)-1].Name != string(e.Message.FullName()) {
		c.checkSize(e) // of what is right otherwise
	}
}

// checkEffect holds what the error proves to the rule, and to the methods that list it.
func (c *checker) checkEffect(e *Error) {
	options := e.Options
	if options.GetEffect() == remedyv1.Effect_EFFECT_NONE {
		c.refusef(e.Message, in(optionEffect), "effect is EFFECT_NONE, which only the tool boundary can prove: leave it out")
	} else if _, known := remedyv1.Effect_name[int32(options.GetEffect())]; !known {
		c.refusef(e.Message, in(optionEffect), "effect %d is not one of this version: leave it out, or take EFFECT_APPLIED or EFFECT_UNKNOWN",
			options.GetEffect())
	} else if options.GetEffect() != 0 {
		if options.GetRetry() == remedyv1.RetryPolicy_RETRY_POLICY_AS_IS {
			c.refusef(e.Message, in(optionEffect), "effect is %s, and retry RETRY_POLICY_AS_IS sends the call again unchanged: "+
				"take another rule, or leave the effect out", options.GetEffect())
		}
		for _, m := range c.listed[e] {
			if !m.Contract.GetEffect() {
				c.refusef(e.Message, in(optionEffect), "effect is %s, and the contract of %s, which lists the error, has no effect: "+
					"write effect: true there, or leave this one out", options.GetEffect(), m.Method.FullName())
				break
			}
		}
	}
}

func (c *checker) checkName(e *Error) {
	name := string(e.Message.Name())
	snake := authored.LowerSnake(name)
	if !strings.HasSuffix(name, "Error") && snake != "error" && !strings.HasSuffix(snake, "_error") {
		return
	}
	condition := strings.TrimRight(name[:len(name)-len("error")], "_")
	c.refusef(e.Message, nil, "the name ends in Error, and so would the generated type twice: name the condition, such as %s",
		cmp.Or(condition, "SlotStale"))
}

func (c *checker) checkDomain(e *Error) {
	switch domain := e.Message.ParentFile().Package(); {
	case domain == "":
		c.refusef(e.Message, nil, "the file has no package, which is the domain of the error on the wire: "+
			"add one with a version, such as `package shop.v1;`")
	case domain == toolDomain:
		c.refusef(e.Message, nil, "the package tool.remedy.v1 is the domain of errors that no proto declares: choose another one")
	case domain == Builtin:
		c.refusef(e.Message, nil, "the package remedy.v1 is the domain of the errors of Remedy itself: choose another one")
	case len(domain) > authored.MaxDomain:
		c.refusef(e.Message, nil, "the package has %d bytes and is the domain of the error on the wire, of at most %d: shorten it",
			len(domain), authored.MaxDomain)
	}
}

// reserved holds the codes of the catalog.
var reserved = sync.OnceValue(func() map[string]bool {
	codes := make(map[string]bool)
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	for i := range messages.Len() {
		for _, row := range Rows(ErrorOptions(messages.Get(i))) {
			codes[row.GetCode()] = true
		}
	}
	return codes
})

// Rows returns the options of every code of an error: those of its cases, or its own where it has none.
func Rows(options *remedyv1.ErrorOptions) []*remedyv1.ErrorOptions {
	var rows []*remedyv1.ErrorOptions
	if options != nil && options.GetDiscriminator() == "" {
		rows = append(rows, options)
	}
	for _, each := range options.GetCases() {
		rows = append(rows, each.GetError())
	}
	return rows
}

func (c *checker) checkCode(e *Error) {
	code := e.Options.GetCode()
	suggestion := strings.TrimRight(authored.LowerSnake(string(e.Message.Name())), "_")
	if !authored.IsCode(suggestion) || reserved()[suggestion] {
		suggestion = "slot_stale"
	}
	switch {
	case code == "":
		c.refusef(e.Message, in(optionCode), "code is missing: write code: %q", suggestion)
	case !authored.IsCode(code):
		c.refusef(e.Message, in(optionCode), "code %q is malformed: write %d to %d of a-z, 0-9 and _, a letter first and no _ last, such as %q",
			code, authored.MinCode, authored.MaxCode, suggestion)
	case reserved()[code]:
		c.refusef(e.Message, in(optionCode), "code %q is reserved for remedy.v1 in every package: choose another one", code)
	}
}

// checkRule holds the status to the retry rule.
func (c *checker) checkRule(e *Error) {
	rule := e.Options.GetRetry()
	if !authored.IsRule(rule) {
		const fix = "write RETRY_POLICY_NEVER, RETRY_POLICY_AS_IS or RETRY_POLICY_AFTER_REPAIR"
		if rule == 0 {
			c.refusef(e.Message, in(optionRetry), "retry is missing: "+fix)
		} else {
			c.refusef(e.Message, in(optionRetry), "retry %d is not one of this version: "+fix, rule)
		}
		return
	}
	code := Status(e.Options)
	if authored.Allows(rule, code) {
		return
	}
	var allowed []string
	for number, name := range remedyv1.StatusCode_name {
		if authored.Allows(rule, codes.Code(number)) { //nolint:gosec // a status code
			allowed = append(allowed, name)
		}
	}
	slices.Sort(allowed)
	c.refusef(e.Message, in(optionStatus), "status %s does not go with retry %s: take %s, or leave it out for %s",
		statusName(code), rule, strings.Join(allowed, ", "), statusName(authored.DefaultStatus(rule)))
}

func statusName(code codes.Code) string { return remedyv1.StatusCode(code).String() } //nolint:gosec // a status code

func (c *checker) checkHeadline(e *Error) {
	headline := e.Options.GetMessage()
	if problem := authored.TextProblem(headline, authored.MaxHeadline); problem != "" {
		c.refusef(e.Message, in(optionHeadline), "message %s: shorten or clean it", problem)
	}
	template := authored.ParseTemplate(headline)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(template.Fields()))) {
		field := e.Message.Fields().ByName(protoreflect.Name(name))
		switch {
		case field == nil:
			c.refusef(e.Message, in(optionHeadline), "placeholder {%s} in message is no field of the error: %s", name, fieldChoices(e.Message, name))
		case !authored.IsShown(field):
			c.refusef(e.Message, in(optionHeadline), "placeholder {%s} in message is not a field with one value to show "+
				"(a number, text, bool, enum, timestamp or duration, neither repeated, a map nor marked debug_redact): %s",
				name, fieldChoices(e.Message, name))
		}
	}
	for _, literal := range template.Literals() {
		if at := strings.IndexAny(literal, "{}"); at >= 0 {
			c.refusef(e.Message, in(optionHeadline), "message has a brace that is not part of a {field} placeholder, at %q: "+
				"complete the placeholder, or leave the brace out", cut(literal[at:]))
			return
		}
	}
}

func cut(s string) string {
	const most = 20
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// fieldChoices says what could stand in place of a placeholder.
func fieldChoices(m protoreflect.MessageDescriptor, wrong string) string {
	var names []string
	for i := range m.Fields().Len() {
		field := m.Fields().Get(i)
		if authored.IsShown(field) {
			names = append(names, string(field.Name()))
		}
		if field.JSONName() == wrong && authored.IsShown(field) {
			return "write the name of the proto, {" + string(field.Name()) + "}"
		}
	}
	if len(names) == 0 {
		return "leave it out, the message has no field to show"
	}
	return "take one of " + choices(names)
}
