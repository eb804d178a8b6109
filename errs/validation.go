package errs

import (
	"log/slog"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// Issue is one failing input. Its texts are made from the schema, never from the input.
type Issue struct {
	// Path is a JSON Pointer (RFC 6901); empty for the whole input. At most 128 bytes of it travel, cut between tokens.
	Path string
	// Keyword is the JSON Schema keyword or the protovalidate rule id.
	Keyword string
	// Message says what was expected, at most 160 code points.
	Message string
}

// ValidationError says which inputs are wrong, before anything ran. Its message names the first of them, so that an agent
// can correct the call even where it sees nothing else.
type ValidationError struct {
	// Subject is the tool or message that the input belongs to.
	Subject string
	// Issues are the failing inputs in a stable order; at most 16 travel.
	Issues []Issue
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ValidationError)(nil)

// Error returns the portable message.
func (e *ValidationError) Error() string { return messageOf(e) }

// ErrorCode returns invalid_input.
func (e *ValidationError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ValidationError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ValidationError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ValidationError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ValidationError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ValidationError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ValidationError) LogValue() slog.Value { return logValue(e) }

func (e *ValidationError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ValidationError) clone() typed {
	return &ValidationError{Subject: e.Subject, Issues: e.Issues, Message: e.Message, Cause: e.Cause}
}

func (e *ValidationError) describe(f *form) {
	m := &remedyv1.ValidationError{Subject: f.text(e.Subject), Message: f.override(e.Message)}
	bad := &errdetails.BadRequest{}
	for _, issue := range e.Issues[:min(len(e.Issues), maxList)] {
		path, cut := boundPointer(issue.Path, maxStringBytes)
		f.info.Truncated = f.info.Truncated || cut || len(e.Issues) > maxList
		keyword, message := f.text(issue.Keyword), f.cleaned(issue.Message, maxIssueRunes)
		m.Issues = append(m.Issues, &remedyv1.Issue{Path: path, Keyword: keyword, Message: message})
		field, _ := bound(dotted(path), maxStringBytes)
		bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{
			Field: field, Reason: keyword, Description: message,
		})
	}
	if len(bad.GetFieldViolations()) > 0 {
		f.badRequest = bad
	}
	f.info.Tool = toolNamed(e.Subject)
	f.fromCatalog(m, "", e.Message, issuesHeadline(e.Subject, e.Issues))
}

// decodeValidationError reads the identity message.
func decodeValidationError(m *remedyv1.ValidationError) typed {
	e := &ValidationError{Subject: m.GetSubject(), Message: guide.Text(m.GetMessage())}
	for _, issue := range m.GetIssues() {
		e.Issues = append(e.Issues, Issue{Path: issue.GetPath(), Keyword: issue.GetKeyword(), Message: issue.GetMessage()})
	}
	return e
}

// shownIssues is how many issues a headline names.
const shownIssues = 4

// issuesHeadline names as many issues as keep the headline within its bound, at most four.
func issuesHeadline(subject string, issues []Issue) string {
	head := "Input does not match the schema"
	if subject != "" {
		head += " of " + named(subject)
	}
	if len(issues) == 0 {
		return head + "."
	}
	texts := make([]string, 0, shownIssues)
	for _, issue := range issues[:min(len(issues), shownIssues)] {
		texts = append(texts, issue.shown())
	}
	for n := len(texts); n > 0; n-- {
		text := head + ": " + strings.Join(texts[:n], "; ")
		if rest := len(issues) - n; rest > 0 {
			text += " (and " + strconv.Itoa(rest) + " more)"
		}
		if text += "."; len([]rune(text)) <= maxHeadlineRunes || n == 1 {
			return text
		}
	}
	return head + "."
}

// shown is what a headline says for the issue.
func (i Issue) shown() string {
	message, _ := cutRunes(authored.Clean(i.Message), maxIssueRunes)
	switch {
	case message != "":
	case i.Keyword != "":
		message = "fails " + named(i.Keyword)
	default:
		message = "is wrong"
	}
	return strings.TrimSuffix(pathShown(i.Path)+" "+message, ".")
}

// toolNamed is s where it is the name of a tool, for the metadata.
func toolNamed(s string) string {
	if authored.IsTool(s) {
		return s
	}
	return ""
}
