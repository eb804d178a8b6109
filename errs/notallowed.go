package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// ToolNotAllowedError describes a tool call that the active skills of an agent do not allow.
type ToolNotAllowedError struct {
	// ToolName is the canonical name.
	ToolName string
	// DisplayName is the name that the model saw.
	DisplayName string
	// ActiveSkills are the active skills; at most 8 travel.
	ActiveSkills []string
	// AllowedUnion are the patterns that they allow; at most 16 travel.
	AllowedUnion []string
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ToolNotAllowedError)(nil)

// Error returns the portable message.
func (e *ToolNotAllowedError) Error() string { return messageOf(e) }

// ErrorCode returns tool_not_allowed.
func (e *ToolNotAllowedError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ToolNotAllowedError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ToolNotAllowedError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ToolNotAllowedError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ToolNotAllowedError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ToolNotAllowedError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ToolNotAllowedError) LogValue() slog.Value { return logValue(e) }

func (e *ToolNotAllowedError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ToolNotAllowedError) clone() typed {
	return &ToolNotAllowedError{
		ToolName: e.ToolName, DisplayName: e.DisplayName, ActiveSkills: e.ActiveSkills, AllowedUnion: e.AllowedUnion,
		Message: e.Message, Cause: e.Cause,
	}
}

func (e *ToolNotAllowedError) describe(f *form) {
	m := &remedyv1.ToolNotAllowedError{
		ToolName: f.text(e.ToolName), DisplayName: f.text(e.DisplayName), ActiveSkills: f.list(e.ActiveSkills, maxSkills),
		AllowedUnion: f.list(e.AllowedUnion, maxList), Message: f.override(e.Message),
	}
	f.info.Tool = toolNamed(e.ToolName)
	f.fromCatalog(m, "", e.Message, "")
}

// decodeToolNotAllowedError reads the identity message.
func decodeToolNotAllowedError(m *remedyv1.ToolNotAllowedError) typed {
	return &ToolNotAllowedError{
		ToolName: m.GetToolName(), DisplayName: m.GetDisplayName(), ActiveSkills: m.GetActiveSkills(),
		AllowedUnion: m.GetAllowedUnion(), Message: guide.Text(m.GetMessage()),
	}
}
