package declared

import (
	"cmp"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// What a trailer list may cost, and what it costs; the numbers are those of package errs.
const (
	room        = 4096 - 256 // the rest is left to other trailers
	listCost    = 246        // of a list without message and details
	messageCost = 768        // of a message, at most

	typePrefix = "type.googleapis.com/"
)

// checkSize refuses an error whose headline and plan do not fit into a trailer list even when it says nothing else. It
// counts what package errs does, and a little more where a message is cut.
func (c *checker) checkSize(e *Error) {
	if cost := costOf(e); cost > room {
		c.refusef(e.Message, in(optionRepair), "message and repair take %d bytes of the trailers that carry the error, "+
			"at most %d are sent: shorten them", cost, room)
	}
}

func costOf(e *Error) int {
	options := e.Options
	headline := cmp.Or(options.GetMessage(), strings.ReplaceAll(options.GetCode(), "_", " ")+".")
	message, inHeader := bounded(messageOf(options, headline))
	metadata := map[string]string{"retry": strings.ToLower(strings.TrimPrefix(options.GetRetry().String(), "RETRY_POLICY_"))}
	if options.GetEffect() != 0 {
		metadata["effect"] = strings.ToLower(strings.TrimPrefix(options.GetEffect().String(), "EFFECT_"))
	}
	details := []proto.Message{
		&errdetails.ErrorInfo{Reason: strings.ToUpper(options.GetCode()), Domain: e.Domain(), Metadata: metadata},
		&remedyv1.ToolError{Code: options.GetCode(), Message: headline, Retry: options.GetRetry()},
	}
	if proto.Size(options.GetRepair()) > 0 {
		details = append(details, options.GetRepair())
	}
	if doc := options.GetDoc(); strings.HasPrefix(doc, authored.Secure) {
		details = append(details, &errdetails.Help{Links: []*errdetails.Help_Link{{Description: options.GetCode(), Url: doc}}})
	}
	st := &spb.Status{Code: int32(Status(options)), Message: message} //nolint:gosec // a status code
	for _, detail := range details {
		packed, err := anypb.New(detail)
		if err != nil {
			return room + 1 // bad UTF-8, which no compiler lets through
		}
		st.Details = append(st.Details, packed)
	}
	// The fields of the message may have to go, and its type does not.
	st.Details = append(st.Details, &anypb.Any{TypeUrl: typePrefix + string(e.Message.FullName())})
	return listCost + inHeader + (4*proto.Size(st)+2)/3 //nolint:mnd // base64
}

// bounded is a message of as many bytes as can be left of one that is cut to what a header takes, and what it takes there.
func bounded(message string) (cut string, inHeader int) {
	const (
		escaped = 3                          // bytes in the header of one that is not printable ASCII
		endings = len(" (and 9 more steps)") // said of what is missing, and room that is kept for it
	)
	inHeader = authored.WireLen(message)
	if inHeader+endings <= messageCost {
		return message, inHeader
	}
	single := len(message) - (inHeader-len(message))/(escaped-1) + escaped*endings
	single = min(single, messageCost)
	return strings.Repeat("m", single+(messageCost-single)/escaped), messageCost
}

// messageOf is what errs makes of the options, before anything is cut.
func messageOf(options *remedyv1.ErrorOptions, headline string) string {
	rules := map[remedyv1.RetryPolicy]string{
		remedyv1.RetryPolicy_RETRY_POLICY_NEVER: "do not retry", remedyv1.RetryPolicy_RETRY_POLICY_AS_IS: "retry unchanged is allowed",
		afterRepair: "retry only after repair",
	}
	var b strings.Builder
	b.WriteString(headline + " [" + options.GetCode() + "; " + rules[options.GetRetry()] + "]")
	steps := options.GetRepair().GetSteps()
	if len(steps) == 0 {
		return b.String()
	}
	if len(steps) == 1 {
		b.WriteString(" Next action:")
	} else {
		b.WriteString(" Next actions, in order, one at a time, never in parallel:")
	}
	for i, step := range steps {
		if len(steps) > 1 {
			b.WriteString(" " + strconv.Itoa(i+1) + ".")
		}
		b.WriteString(" " + sentence(step))
		if step.GetInstruction() != "" {
			b.WriteString(" " + step.GetInstruction())
		}
	}
	if names := options.GetRepair().GetPreserve(); len(names) > 0 {
		b.WriteString(" Keep unchanged: " + strings.Join(names, ", ") + ".")
	}
	if names := options.GetRepair().GetUpdate(); len(names) > 0 {
		b.WriteString(" Replace from repair output: " + strings.Join(names, ", ") + ".")
	}
	return b.String()
}

// sentence is what a message says for a step.
func sentence(step *remedyv1.RepairStep) string {
	with := ""
	if step.GetTool() != "" {
		with = " with " + step.GetTool()
	}
	return map[remedyv1.RepairAction]string{
		remedyv1.RepairAction_REPAIR_ACTION_CHANGE_INPUT:         "Change the input.",
		remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL:            "Call " + step.GetTool() + " and wait for its result before continuing.",
		remedyv1.RepairAction_REPAIR_ACTION_REFRESH_STATE:        "Refresh the state" + with + ".",
		remedyv1.RepairAction_REPAIR_ACTION_RETRY_SAME_OPERATION: "Retry the same operation" + with + ".",
		remedyv1.RepairAction_REPAIR_ACTION_ASK_USER:             "Ask the user.",
		remedyv1.RepairAction_REPAIR_ACTION_RECONCILE: "Reconcile the original operation under the same operation key; " +
			"never use a new key.",
		remedyv1.RepairAction_REPAIR_ACTION_STOP: "Stop.",
	}[step.GetAction()]
}
