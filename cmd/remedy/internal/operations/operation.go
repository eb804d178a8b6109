// Package operations shows operations: as JSON for programs, as text and tables for people.
package operations

import (
	"encoding/json"
	"strings"
	"time"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/types/known/timestamppb"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// Operation is an operation as --json writes it. What is empty is not known, or does not apply.
type Operation struct {
	ID           string `json:"id"`
	Tool         string `json:"tool"`
	OperationKey string `json:"operationKey"`
	Principal    string `json:"principal,omitempty"`
	RunID        string `json:"runId,omitempty"`
	// State is free, claimed, effect, done, unknown or closed.
	State string `json:"state"`
	// Reason is why it is unknown or closed, FailureCode what freed its key.
	Reason      string `json:"reason,omitempty"`
	FailureCode string `json:"failureCode,omitempty"`
	// Verdict is verified or not_verified.
	Verdict       string    `json:"verdict,omitempty"`
	VerdictReason string    `json:"verdictReason,omitempty"`
	Contradicted  bool      `json:"contradicted,omitempty"`
	Crossings     int32     `json:"crossings"`
	CreateTime    time.Time `json:"createTime,omitzero"`
	CrossTime     time.Time `json:"crossTime,omitzero"`
	UpdateTime    time.Time `json:"updateTime,omitzero"`
	Result        *Result   `json:"result,omitempty"`
	// Progress is how far it is, or was when it was lost.
	Progress *Progress `json:"progress,omitempty"`
	// RedoUntil is until when an equal call executes it again.
	RedoUntil time.Time `json:"redoUntil,omitzero"`
	// Trail are the moves, the oldest first.
	Trail []Move `json:"trail,omitempty"`
}

// Progress is what a tool says of how far an operation is.
type Progress struct {
	Done float64 `json:"done"`
	// Total is zero when it is not known.
	Total   float64   `json:"total,omitempty"`
	Message string    `json:"message,omitempty"`
	Time    time.Time `json:"time,omitzero"`
}

// Result is what is shown of a result.
type Result struct {
	// Output is absent when it is not kept, or was never known.
	Output        json.RawMessage `json:"output,omitempty"`
	OutputOmitted bool            `json:"outputOmitted,omitempty"`
}

// Move is one entry of the trail.
type Move struct {
	Time        time.Time `json:"time,omitzero"`
	From        string    `json:"from,omitempty"`
	To          string    `json:"to"`
	OperationID string    `json:"operationId"`
	Fence       int64     `json:"fence"`
	Actor       string    `json:"actor,omitempty"`
	Note        string    `json:"note,omitempty"`
}

// Of copies an operation off the wire.
func Of(o *servicev1.Operation) *Operation {
	out := &Operation{
		ID: o.GetId(), Tool: o.GetTool(), OperationKey: o.GetOperationKey(), Principal: o.GetPrincipal(), RunID: o.GetRunId(),
		State: State(o.GetState()), Reason: o.GetReason(), FailureCode: o.GetFailureCode(),
		Verdict: verdict(o.GetVerdict()), VerdictReason: o.GetVerdictReason(), Contradicted: o.GetContradicted(),
		Crossings: o.GetCrossings(), CreateTime: timeOf(o.GetCreateTime()), CrossTime: timeOf(o.GetCrossTime()),
		UpdateTime: timeOf(o.GetUpdateTime()), Result: resultOf(o.GetResult()), RedoUntil: timeOf(o.GetRedoUntil()),
	}
	if p := o.GetProgress(); p != nil {
		out.Progress = &Progress{Done: p.GetDone(), Total: p.GetTotal(), Message: p.GetMessage(), Time: timeOf(p.GetTime())}
	}
	for _, m := range o.GetTrail() {
		out.Trail = append(out.Trail, Move{
			Time: timeOf(m.GetTime()), From: State(m.GetFrom()), To: State(m.GetTo()), OperationID: m.GetOperationId(),
			Fence: m.GetFence(), Actor: m.GetActor(), Note: m.GetNote(),
		})
	}
	return out
}

// State is a state in a word; empty where it is not stated.
func State(state servicev1.OperationState) string {
	if state == servicev1.OperationState_OPERATION_STATE_UNSPECIFIED {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(state.String(), "OPERATION_STATE_"))
}

// States are the words for the states that may be asked for, to their numbers.
func States() map[string]servicev1.OperationState {
	states := map[string]servicev1.OperationState{}
	for number := range servicev1.OperationState_name {
		if word := State(servicev1.OperationState(number)); word != "" {
			states[word] = servicev1.OperationState(number)
		}
	}
	return states
}

func verdict(v servicev1.OperationVerdict) string {
	if v == servicev1.OperationVerdict_OPERATION_VERDICT_UNSPECIFIED {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(v.String(), "OPERATION_VERDICT_"))
}

func timeOf(at *timestamppb.Timestamp) time.Time {
	if !at.IsValid() {
		return time.Time{}
	}
	return at.AsTime()
}

// resultOf copies a result. The service sends the output as text; what is no JSON is shown as a string.
func resultOf(r *servicev1.ToolResult) *Result {
	if r == nil {
		return nil
	}
	out := &Result{OutputOmitted: r.GetOutputOmitted()}
	switch text := []byte(r.GetOutputJson()); {
	case r.GetOutputStruct() != nil:
		out.Output, _ = protojson.Marshal(r.GetOutputStruct()) // absent where it cannot be written
	case json.Valid(text):
		out.Output = text
	case len(text) > 0:
		out.Output, _ = json.Marshal(string(text)) //nolint:errchkjson // a string can always be written
	}
	return out
}
