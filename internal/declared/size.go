package declared

import (
	"cmp"
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
)

// checkSize refuses an error whose headline and plan do not fit into a trailer list even when it says nothing else. It
// never counts less than package errs, and may count a little more.
func (c *checker) checkSize(e *Error) {
	if cost := costOf(e); cost > room {
		c.refusef(e.Message, in(optionRepair), "message and repair take %d bytes of the trailers that carry the error, "+
			"at most %d are sent: shorten them", cost, room)
	}
}

func costOf(e *Error) int {
	options := e.Options
	headline := cmp.Or(options.GetMessage(), strings.ReplaceAll(options.GetCode(), "_", " ")+".")
	message := messageOf(options, headline)
	if authored.WireLen(message) > messageCost {
		message = strings.Repeat("m", messageCost) // what is left of it
	}
	rule := map[remedyv1.RetryPolicy]string{1: "never", 2: "as_is", 3: "after_repair"}[options.GetRetry()] //nolint:mnd // the rules
	details := []proto.Message{
		&errdetails.ErrorInfo{
			Reason: strings.ToUpper(options.GetCode()), Domain: e.Domain(), Metadata: map[string]string{"retry": rule},
		},
		&remedyv1.ToolError{Code: options.GetCode(), Message: headline, Retry: options.GetRetry()},
	}
	if options.GetRepair() != nil {
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
	return listCost + authored.WireLen(message) + (4*proto.Size(st)+2)/3 //nolint:mnd // base64
}

// messageOf is at least as long as what errs makes of the options.
func messageOf(options *remedyv1.ErrorOptions, headline string) string {
	const sentence = "Reconcile the original operation under the same operation key; never use a new key. 1. "
	var b strings.Builder
	b.WriteString(headline + " [" + options.GetCode() + "; retry unchanged is allowed]" +
		" Next actions, in order, one at a time, never in parallel: ")
	for _, step := range options.GetRepair().GetSteps() {
		b.WriteString(sentence + step.GetTool() + " " + step.GetInstruction())
	}
	b.WriteString(" Keep unchanged: " + strings.Join(options.GetRepair().GetPreserve(), ", ") + ". Replace from repair output: " +
		strings.Join(options.GetRepair().GetUpdate(), ", ") + ".")
	return b.String()
}
