package validate

import (
	"regexp"
	"strconv"
	"strings"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"buf.build/go/protovalidate"

	"github.com/remedyrpc/remedy/errs"
)

// issueOf says which rule a field breaks. The text of a standard rule is made from the rule alone; the text that a CEL
// expression of the author's computes may hold the value, so such a rule is named by its id.
func issueOf(v *protovalidate.Violation) errs.Issue {
	issue := errs.Issue{Path: pointer(v.Proto.GetField()), Keyword: v.Proto.GetRuleId(), Message: v.Proto.GetMessage()}
	switch {
	case computed(v) || issue.Message == "":
		issue.Message = "must satisfy the rule " + issue.Keyword
	case issue.Keyword == "string.pattern":
		issue.Message = patternText(v.RuleValue.String())
	}
	return issue
}

// characters is a pattern that only says how many of which characters there may be.
var characters = regexp.MustCompile(`^\^\[([^\]\\]+)\]\{(\d+),(\d+)\}\$$`)

// patternText says a pattern without brackets where that can be done, because a message holds none but its own.
func patternText(pattern string) string {
	if m := characters.FindStringSubmatch(pattern); m != nil {
		return "must be " + m[2] + " to " + m[3] + " characters of " + m[1]
	}
	return "must match the pattern " + pattern
}

// computed reports whether the message of a violation may have been computed from the value.
func computed(v *protovalidate.Violation) bool {
	elements := v.Proto.GetRule().GetElements()
	if len(elements) == 0 {
		return v.Proto.GetRuleId() != "required" // message-level rules have no place in a field's rules
	}
	return strings.HasPrefix(elements[0].GetFieldName(), "cel") || v.RuleDescriptor == nil
}

// pointer turns a field path into a JSON Pointer (RFC 6901) of the names in the proto.
func pointer(path *validate.FieldPath) string {
	var b strings.Builder
	for _, element := range path.GetElements() {
		b.WriteString("/" + escape(element.GetFieldName()))
		switch key := element.GetSubscript().(type) {
		case *validate.FieldPathElement_Index:
			b.WriteString("/" + strconv.FormatUint(key.Index, 10))
		case *validate.FieldPathElement_StringKey:
			b.WriteString("/" + escape(key.StringKey))
		case *validate.FieldPathElement_BoolKey:
			b.WriteString("/" + strconv.FormatBool(key.BoolKey))
		case *validate.FieldPathElement_IntKey:
			b.WriteString("/" + strconv.FormatInt(key.IntKey, 10))
		case *validate.FieldPathElement_UintKey:
			b.WriteString("/" + strconv.FormatUint(key.UintKey, 10))
		}
	}
	return b.String()
}

func escape(token string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(token) }
