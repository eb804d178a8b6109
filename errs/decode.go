package errs

import (
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
)

// Names and type URLs of the details that most errors have.
const (
	typePrefix = "type.googleapis.com/"

	errorInfoName  = "google.rpc.ErrorInfo"
	retryInfoName  = "google.rpc.RetryInfo"
	repairPlanName = "remedy.v1.RepairPlan"
	causesName     = "remedy.v1.Causes"
	toolErrorName  = "remedy.v1.ToolError"

	errorInfoURL  = typePrefix + errorInfoName
	repairPlanURL = typePrefix + repairPlanName
	toolErrorURL  = typePrefix + toolErrorName
)

// messageName is the name of the message in a detail: whatever its URL has after the last slash.
func messageName(detail *anypb.Any) string {
	url := detail.GetTypeUrl()
	if name, ok := strings.CutPrefix(url, typePrefix); ok && !strings.Contains(name, "/") {
		return name
	}
	return url[strings.LastIndexByte(url, '/')+1:]
}

func urlOf(m proto.Message) string {
	return typePrefix + string(m.ProtoReflect().Descriptor().FullName())
}

// FromStatus turns a status into the typed error that was sent. It returns nil for nil and OK, and st.Err() for a
// status that is not ours. It never fails, whatever the bytes: what it does not know becomes a [ToolError] with the
// code, rule and plan that the status states.
func FromStatus(st *status.Status) error {
	if st == nil || st.Code() == codes.OK {
		return nil
	}
	if e := decode(st, maxCauseDepth); e != nil {
		return e
	}
	return st.Err()
}

// received is the memory that most received errors need, in one piece.
type received struct {
	wire wire
	tool ToolError
	plan Plan

	identity typed // the tool above, or an error of the catalog
	causes   error
}

// decode returns nil when the status is not ours. Causes are read down to depth.
func decode(st *status.Status, depth int) Error {
	p := st.Proto()
	details := p.GetDetails()
	var few [8]string // on the stack
	names := few[:0]
	for _, detail := range details {
		names = append(names, messageName(detail))
	}
	info := soleInfo(details, names)
	if info == nil {
		return nil
	}
	r := &received{}
	w := &r.wire
	reason, ok := w.readInfo(info.GetValue())
	if !ok {
		return nil
	}
	w.st, w.foreign = st, true
	w.cost = listCostAtMost(p.GetMessage(), statusSize(p)+unknownSize(p))
	for i, detail := range details {
		r.take(names[i], detail, reason, depth)
	}
	e := r.identity
	if e == nil {
		w.code = codeOfReason(reason)
		e = &ToolError{Code: w.code, Message: guide.Text(headlineOf(p.GetMessage(), w.code))}
	}
	dress(e, w)
	if r.causes != nil {
		e.state().own().cause = r.causes
	}
	e.state().said.Store(w)
	if tool, ok := e.(*ToolError); ok {
		if d := decodeDeclared(details, tool, w); d != nil {
			return d
		}
	}
	return e
}

// take reads one detail; the first of a type counts.
func (r *received) take(name string, detail *anypb.Any, reason string, depth int) {
	w, b := &r.wire, detail.GetValue()
	switch name {
	case errorInfoName: // read before
	case repairPlanName:
		if w.plan == nil && r.plan.read(b) {
			w.plan = &r.plan
		}
	case retryInfoName:
		if w.after == 0 {
			w.after = readDelay(b)
		}
	case causesName:
		if depth > 0 && r.causes == nil {
			r.causes = readCauses(b, depth)
		}
	default:
		w.invalid = w.invalid || !utf8.ValidString(detail.GetTypeUrl())
		if r.identity == nil {
			r.identity = r.readIdentity(name, b, reason)
		}
	}
}

// readDelay reads a google.rpc.RetryInfo; zero when it holds no delay.
func readDelay(b []byte) time.Duration {
	var m errdetails.RetryInfo
	if proto.Unmarshal(b, &m) != nil {
		return 0
	}
	return max(m.GetRetryDelay().AsDuration(), 0)
}

// declaredMessage is implemented by messages that protoc-gen-remedy generated an error type for. It is found through
// protobuf's own registry.
type declaredMessage interface {
	proto.Message
	// RemedyError returns the typed error around base, nil when base has another code.
	RemedyError(base *ToolError) Error
}

// decodeDeclared returns the declared error that base carries, nil when there is none: a message whose package is the
// domain and that is declared with the code.
func decodeDeclared(details []*anypb.Any, base *ToolError, w *wire) Error {
	if w.domain == DomainTool || w.domain == DomainRemedy || w.domain == "" {
		return nil
	}
	for _, detail := range details {
		if name, ok := strings.CutPrefix(messageName(detail), w.domain); !ok || !strings.HasPrefix(name, ".") {
			continue
		}
		if m := declaredOf(detail, w.domain); m != nil {
			if e := declaredSafely(m, base); e != nil {
				return e
			}
		}
	}
	return nil
}

// declaredOf returns the message of a detail that some package of this program declares as an error. An empty one is the
// message too, cut for its size.
func declaredOf(detail *anypb.Any, domain string) declaredMessage {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName(messageName(detail)))
	if err != nil || string(kind.Descriptor().ParentFile().Package()) != domain {
		return nil
	}
	m, ok := kind.New().Interface().(declaredMessage)
	if !ok || (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(detail.GetValue(), m) != nil {
		return nil
	}
	return m
}

// declaredSafely survives a method that somebody wrote by hand.
func declaredSafely(m declaredMessage, base *ToolError) (e Error) {
	defer func() {
		if recover() != nil {
			e = nil
		}
	}()
	e = m.RemedyError(base)
	if d, ok := e.(Declared); !ok || d.Base() == nil {
		return nil
	}
	return e
}

// dress sets what travels beside the identity message.
func dress(e typed, w *wire) {
	switch e := e.(type) {
	case *ToolError:
		e.Retry, e.Status, e.Repair, e.RetryAfter = w.retry, w.st.Code(), w.plan, w.after
	case *ServiceError:
		e.RetryAfter = w.after
	case *AuthError:
		e.RetryAfter = w.after
	case *ProviderError:
		if e.Limit == nil {
			e.RetryAfter = w.after
		}
	case *OperationTimeoutError:
		e.RetryAfter = w.after
	case *OutcomeUnknownError:
		e.Keyed = e.Inferred && w.retry == AsIs
	}
}

// headlineOf is a received message without what follows its headline. It only serves to show something; type and code
// never come from it.
func headlineOf(message, code string) string {
	tail := " [" + code + "; "
	if strings.HasPrefix(message, tail[1:]) {
		return ""
	}
	headline, _, _ := strings.Cut(message, tail)
	return headline
}
