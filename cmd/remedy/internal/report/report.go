// Package report says everything that one error says: to Go code, to an agent, and to a caller that has never heard of
// Remedy. It reads a status the way a client does, by package errs.
package report

import (
	"errors"
	"strings"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/plain"
	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Report is everything that one error says.
type Report struct {
	// Typed says that the error is one of ours; Foreign is why it is not.
	Typed   bool   `json:"typed"`
	Foreign string `json:"foreign,omitempty"`
	// Type is the Go type, Match the condition that matches it and Values what it holds.
	Type   string  `json:"type,omitempty"`
	Match  string  `json:"match,omitempty"`
	Values []Value `json:"values,omitempty"`
	// Code and Domain name the error; Headline is its first sentence.
	Code     string `json:"code,omitempty"`
	Domain   string `json:"domain,omitempty"`
	Headline string `json:"headline,omitempty"`
	// Retry is the rule: never, as_is or after_repair; RetryAfter the wait, as Go writes a duration.
	Retry      string `json:"retry,omitempty"`
	RetryAfter string `json:"retryAfter,omitempty"`
	// Effect is what is known of it: none, applied or unknown; empty when nothing is stated.
	Effect string `json:"effect,omitempty"`
	// Plan is what has to happen first.
	Plan *Plan `json:"plan,omitempty"`
	// OutcomeUnknown is what a client concludes from the error on a call that may have had an effect.
	OutcomeUnknown bool `json:"outcomeUnknown"`
	// Tool to ErrorID say which call it was.
	Tool         string `json:"tool,omitempty"`
	OperationKey string `json:"operationKey,omitempty"`
	OperationID  string `json:"operationId,omitempty"`
	RunID        string `json:"runId,omitempty"`
	ErrorID      string `json:"errorId,omitempty"`
	// Truncated says that something did not fit and was left out.
	Truncated bool `json:"truncated,omitempty"`
	// Causes are the typed causes, outermost first.
	Causes []*Report `json:"causes,omitempty"`
	// Message is what an agent reads.
	Message string `json:"message"`
	// Plain is what a caller without our types sees.
	Plain plain.View `json:"plain"`
	// Unknown are the details that are not linked here, or that could not be read.
	Unknown []Opaque `json:"unknown,omitempty"`
	// Size is the number of bytes of the status.
	Size int `json:"size,omitempty"`
}

// Opaque is a detail that could not be read.
type Opaque struct {
	Type    string `json:"type"`
	Size    int    `json:"size"`
	Problem string `json:"problem,omitempty"`
}

// maxDepth bounds how deep causes are followed; nothing of ours goes deeper.
const maxDepth = 3

// Of reports on a status, whoever made it. A status that says OK reports nothing.
func Of(st *spb.Status) *Report { return of(st, maxDepth) }

func of(st *spb.Status, depth int) *Report {
	r := &Report{Message: st.GetMessage(), Plain: plain.Of(st), Size: proto.Size(st)}
	err := errs.FromStatus(status.FromProto(st))
	if e, ok := errors.AsType[errs.Error](err); ok {
		r.fill(e)
	} else {
		r.Foreign = foreign(r.Plain)
	}
	r.OutcomeUnknown = errors.Is(errs.InferOutcome(err, errs.Call{Name: "call"}), errs.CodeOutcomeUnknown)
	for _, detail := range st.GetDetails() {
		r.detail(detail, depth)
	}
	return r
}

// OfError reports on an error that is typed; nil for every other.
func OfError(err error) *Report {
	e, ok := errors.AsType[errs.Error](err)
	if !ok {
		return nil
	}
	r := of(e.GRPCStatus().Proto(), maxDepth)
	r.fill(e) // a type of the program's own, and what only the client knows
	return r
}

func (r *Report) fill(e errs.Error) {
	info := errs.InfoOf(e)
	r.Typed, r.Type, r.Match, r.Values = true, typeName(e), match(e), valuesOf(e)
	r.Code, r.Domain, r.Retry = e.ErrorCode(), info.Domain, e.RetryPolicy().String()
	r.Message = e.Error() // what an agent reads; Plain has the message as it came
	r.Headline, _, _ = strings.Cut(r.Message, " ["+r.Code+"; ")
	r.Effect, r.Plan, r.Truncated = info.Effect.String(), PlanOf(e.Plan()), info.Truncated
	r.Tool, r.OperationKey, r.OperationID = info.Tool, info.OperationKey, info.OperationID
	r.RunID, r.ErrorID = info.RunID, info.ErrorID
	if after, ok := errs.RetryAfterOf(e); ok {
		r.RetryAfter = after.String()
	}
}

// foreign says why a status is not ours.
func foreign(v plain.View) string {
	infos := v.ErrorInfos()
	switch {
	case len(infos) == 0:
		return "it carries no google.rpc.ErrorInfo"
	case len(infos) > 1:
		return "it carries more than one google.rpc.ErrorInfo"
	}
	switch infos[0].GetMetadata()["retry"] {
	case "never", "as_is", "after_repair":
		return "its ErrorInfo is not of the form that google.rpc asks for"
	case "":
		return "its ErrorInfo states no retry rule"
	default:
		return "its ErrorInfo states a retry rule that does not exist"
	}
}

// detail files what is neither in the typed error nor in what everybody sees.
func (r *Report) detail(detail *anypb.Any, depth int) {
	name := string(detail.MessageName())
	if name == "remedy.v1.Causes" {
		var causes remedyv1.Causes
		if err := proto.Unmarshal(detail.GetValue(), &causes); err == nil {
			r.causes(causes.GetCauses(), depth)
			return
		}
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByURL(detail.GetTypeUrl())
	switch {
	case err != nil && name == "":
		r.Unknown = append(r.Unknown, Opaque{detail.GetTypeUrl(), len(detail.GetValue()), "its type is no name of a message"})
	case err != nil:
		r.Unknown = append(r.Unknown, Opaque{name, len(detail.GetValue()), ""})
	case proto.Unmarshal(detail.GetValue(), kind.New().Interface()) != nil:
		r.Unknown = append(r.Unknown, Opaque{name, len(detail.GetValue()), "its bytes cannot be read"})
	}
}

// maxCauses is how many causes of one error are shown.
const maxCauses = 8

func (r *Report) causes(nodes []*remedyv1.Cause, depth int) {
	if depth == 0 {
		return
	}
	for _, node := range nodes[:min(len(nodes), maxCauses)] {
		cause := of(&spb.Status{Code: node.GetGrpcCode(), Message: node.GetMessage(), Details: node.GetDetails()}, depth-1)
		cause.causes(node.GetCauses(), depth-1)
		r.Causes = append(r.Causes, cause)
	}
}
