package errs

import (
	"log/slog"

	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// PairingRepair is one repair of a transcript.
type PairingRepair struct {
	// CallID is the id of the tool call; may be empty.
	CallID string
	// MessageIndex is the index of the message, from zero.
	MessageIndex int32
	// Mode says what would have been done.
	Mode string
}

// ToolPairingError says that the tool calls and results of a transcript do not pair up.
type ToolPairingError struct {
	// Provider is the provider whose format the transcript has; may be empty.
	Provider string
	// ProviderCode is its own code, when the corruption came to light in its answer.
	ProviderCode string
	// Repairs are the repairs that would have been made; at most 16 travel.
	Repairs []PairingRepair
	// Message is the headline; empty for the one of the catalog.
	Message guide.Text
	// Cause is kept in process. Only typed causes travel.
	Cause error

	core
}

var _ typed = (*ToolPairingError)(nil)

// Error returns the portable message.
func (e *ToolPairingError) Error() string { return messageOf(e) }

// ErrorCode returns tool_pairing_corruption.
func (e *ToolPairingError) ErrorCode() string { return codeOf(e) }

// RetryPolicy returns whether the same call may be sent again.
func (e *ToolPairingError) RetryPolicy() RetryPolicy { return policyOf(e) }

// Plan returns what has to happen before a retry; nil when there is nothing.
func (e *ToolPairingError) Plan() *Plan { return planOfError(e) }

// GRPCStatus returns the status that travels, and fixes what the error says.
func (e *ToolPairingError) GRPCStatus() *status.Status { return statusOf(e) }

// Is matches [Code], [Sentinel] and the context errors.
func (e *ToolPairingError) Is(target error) bool { return is(e, target) }

// Unwrap returns the cause; typed causes survive the wire.
func (e *ToolPairingError) Unwrap() error {
	if e == nil {
		return nil
	}
	return unwrap(e, e.Cause)
}

// LogValue logs code, rule and ids, no values.
func (e *ToolPairingError) LogValue() slog.Value { return logValue(e) }

func (e *ToolPairingError) state() *core {
	if e == nil {
		return nil
	}
	return &e.core
}

func (e *ToolPairingError) clone() typed {
	return &ToolPairingError{
		Provider: e.Provider, ProviderCode: e.ProviderCode, Repairs: e.Repairs, Message: e.Message, Cause: e.Cause,
	}
}

func (e *ToolPairingError) describe(f *form) {
	m := &remedyv1.ToolPairingError{
		Provider: f.text(e.Provider), ProviderCode: f.text(e.ProviderCode), Message: f.override(e.Message),
	}
	for _, r := range e.Repairs[:min(len(e.Repairs), maxList)] {
		m.Repairs = append(m.Repairs, &remedyv1.PairingRepair{
			CallId: f.text(r.CallID), MessageIndex: r.MessageIndex, Mode: f.text(r.Mode),
		})
	}
	f.info.Truncated = f.info.Truncated || len(e.Repairs) > maxList
	f.fromCatalog(m, "", e.Message, "")
}

// decodeToolPairingError reads the identity message.
func decodeToolPairingError(m *remedyv1.ToolPairingError) typed {
	e := &ToolPairingError{
		Provider: m.GetProvider(), ProviderCode: m.GetProviderCode(), Message: guide.Text(m.GetMessage()),
	}
	for _, r := range m.GetRepairs() {
		e.Repairs = append(e.Repairs, PairingRepair{CallID: r.GetCallId(), MessageIndex: r.GetMessageIndex(), Mode: r.GetMode()})
	}
	return e
}
