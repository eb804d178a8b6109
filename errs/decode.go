package errs

import (
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

const (
	errorInfoURL  = typePrefix + "google.rpc.ErrorInfo"
	retryInfoURL  = typePrefix + "google.rpc.RetryInfo"
	repairPlanURL = typePrefix + "remedy.v1.RepairPlan"
	causesURL     = typePrefix + "remedy.v1.Causes"
	toolErrorURL  = typePrefix + "remedy.v1.ToolError"
)

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

// declaredMessage is implemented by messages that protoc-gen-remedy generated an error type for. It is found through
// protobuf's own registry.
type declaredMessage interface {
	proto.Message
	// RemedyError returns the typed error around base, nil when base has another code.
	RemedyError(base *ToolError) Error
}

// decode returns nil when the status is not ours.
func decode(st *status.Status, depth int) Error {
	p := st.Proto()
	w, ok := readErrorInfo(p.GetDetails())
	if !ok {
		return nil
	}
	w.st, w.cost, w.foreign = st, listCost(p), true
	var e typed
	var declared declaredMessage
	var declaredAny *anypb.Any
	var causes error
	for _, detail := range p.GetDetails() {
		switch url := detail.GetTypeUrl(); url {
		case errorInfoURL:
		case repairPlanURL:
			var m remedyv1.RepairPlan
			if w.plan == nil && proto.Unmarshal(detail.GetValue(), &m) == nil {
				w.plan = planOf(&m, detail.GetValue())
			}
		case retryInfoURL:
			var m errdetails.RetryInfo
			if proto.Unmarshal(detail.GetValue(), &m) == nil {
				w.after = max(m.GetRetryDelay().AsDuration(), 0)
			}
		case causesURL:
			var m remedyv1.Causes
			if depth > 0 && causes == nil && proto.Unmarshal(detail.GetValue(), &m) == nil {
				causes = decodeCauses(m.GetCauses(), depth)
			}
		default:
			if e == nil {
				e = decodeIdentity(detail, w)
			}
			if declared == nil && w.info.Domain != DomainRemedy {
				if declared = declaredOf(detail, w); declared != nil {
					declaredAny = detail
				}
			}
		}
	}
	if e == nil {
		e = &ToolError{Code: w.code, Message: guide.Text(headlineOf(p.GetMessage(), w.code))}
	}
	dress(e, w)
	c := e.state()
	c.cause = causes
	c.said.Store(w)
	if tool, ok := e.(*ToolError); ok && declared != nil {
		c.declared = &declaredPart{any: declaredAny}
		if d := declared.RemedyError(tool); d != nil {
			return d
		}
	}
	return e
}

// readErrorInfo tells ours from foreign: exactly one ErrorInfo, a retry rule in it, a reason in the usual form.
func readErrorInfo(details []*anypb.Any) (*wire, bool) {
	var found *anypb.Any
	for _, detail := range details {
		if detail.GetTypeUrl() == errorInfoURL {
			if found != nil {
				return nil, false
			}
			found = detail
		}
	}
	if found == nil {
		return nil, false
	}
	w := &wire{}
	var reason, retry string
	ok := eachString(found.GetValue(), func(field protowire.Number, value []byte) bool {
		switch field {
		case 1:
			reason = string(value)
		case 2: //nolint:mnd // ErrorInfo.domain
			w.info.Domain = string(value)
		case 3: //nolint:mnd // ErrorInfo.metadata
			var key, text string
			if !eachString(value, func(field protowire.Number, value []byte) bool {
				switch field {
				case 1:
					key = string(value)
				case 2: //nolint:mnd // map value
					text = string(value)
				}
				return true
			}) {
				return false
			}
			if key == "retry" {
				retry = text
			}
			w.info.set(key, text)
		}
		return true
	})
	if !ok || !isReason(reason) {
		return nil, false
	}
	w.code = codeOfReason(reason)
	w.retry, ok = parseRetry(retry)
	return w, ok
}

func (i *Info) set(key, value string) {
	switch key {
	case "effect":
		i.Effect = parseEffect(value)
	case "errorId":
		i.ErrorID = value
	case "operationId":
		i.OperationID = value
	case "operationKey":
		i.OperationKey = value
	case "runId":
		i.RunID = value
	case "tool":
		i.Tool = value
	case "truncated":
		i.Truncated = value == "true"
	}
}

// eachString calls f for every length-delimited field of a message; it returns false when the bytes are not a message.
func eachString(b []byte, f func(field protowire.Number, value []byte) bool) bool {
	for len(b) > 0 {
		field, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return false
		}
		b = b[n:]
		if kind != protowire.BytesType {
			if n = protowire.ConsumeFieldValue(field, kind, b); n < 0 {
				return false
			}
			b = b[n:]
			continue
		}
		value, n := protowire.ConsumeBytes(b)
		if n < 0 || !f(field, value) {
			return false
		}
		b = b[n:]
	}
	return true
}

// decodeIdentity returns the typed error of an identity message, nil when the detail is none or does not fit the code.
func decodeIdentity(detail *anypb.Any, w *wire) typed {
	url := detail.GetTypeUrl()
	if !strings.HasPrefix(url, typePrefix+"remedy.v1.") || (url == toolErrorURL) == (w.info.Domain == DomainRemedy) {
		return nil // a ToolError is never in the domain of the catalog, and nothing else is outside it
	}
	b := detail.GetValue()
	switch strings.TrimPrefix(url, typePrefix+"remedy.v1.") {
	case "ToolError":
		return read(b, w, func(m *remedyv1.ToolError) string { return m.GetCode() }, decodeToolError)
	case "ValidationError":
		return read(b, w, always[*remedyv1.ValidationError](CodeInvalidInput), decodeValidationError)
	case "AuthorizationError":
		return read(b, w, always[*remedyv1.AuthorizationError](CodeAuthorizationDenied), decodeAuthorizationError)
	case "ConfirmationError":
		return read(b, w, func(m *remedyv1.ConfirmationError) string { return "confirmation_" + m.GetReason() }, decodeConfirmationError)
	case "VerificationError":
		return read(b, w, always[*remedyv1.VerificationError](CodeVerificationFailed), decodeVerificationError)
	case "OutcomeUnknownError":
		return read(b, w, always[*remedyv1.OutcomeUnknownError](CodeOutcomeUnknown), decodeOutcomeUnknownError)
	case "AbortedError":
		return read(b, w, always[*remedyv1.AbortedError](CodeAborted), decodeAbortedError)
	case "AuthError":
		return read(b, w, always[*remedyv1.AuthError](CodeAuthFailed), decodeAuthError)
	case "BudgetExceededError":
		return read(b, w, always[*remedyv1.BudgetExceededError](CodeBudgetExceeded), decodeBudgetExceededError)
	case "ContextExceededError":
		return read(b, w, always[*remedyv1.ContextExceededError](CodeContextExceeded), decodeContextExceededError)
	case "ProviderError":
		return read(b, w, always[*remedyv1.ProviderError](CodeProviderError), decodeProviderError)
	case "ToolNotAllowedError":
		return read(b, w, always[*remedyv1.ToolNotAllowedError](CodeToolNotAllowed), decodeToolNotAllowedError)
	case "ToolPairingError":
		return read(b, w, always[*remedyv1.ToolPairingError](CodeToolPairingCorruption), decodeToolPairingError)
	case "OperationTimeoutError":
		return read(b, w, always[*remedyv1.OperationTimeoutError](CodeOperationTimeout), decodeOperationTimeoutError)
	case "LengthResumeExhaustedError":
		return read(b, w, always[*remedyv1.LengthResumeExhaustedError](CodeLengthResumeExhausted), decodeLengthResumeExhaustedError)
	case "ServiceError":
		return read(b, w, func(m *remedyv1.ServiceError) string { return m.GetCode() }, decodeServiceError)
	default:
		return nil
	}
}

// read decodes one identity message. Its code must be the one that ErrorInfo states, so that type and code never
// disagree.
func read[M any, P interface {
	*M
	proto.Message
}](b []byte, w *wire, code func(P) string, decode func(P) typed) typed {
	m := P(new(M))
	if proto.Unmarshal(b, m) != nil || code(m) != w.code {
		return nil
	}
	return decode(m)
}

func always[P any](code Code) func(P) string {
	return func(P) string { return string(code) }
}

// declaredOf returns the message of a detail that is the declared error of the status: its package is the domain. An
// empty one is the message too, cut for its size.
func declaredOf(detail *anypb.Any, w *wire) declaredMessage {
	if detail.GetTypeUrl() == toolErrorURL {
		return nil
	}
	kind, err := protoregistry.GlobalTypes.FindMessageByURL(detail.GetTypeUrl())
	if err != nil || string(kind.Descriptor().ParentFile().Package()) != w.info.Domain {
		return nil
	}
	m, ok := kind.New().Interface().(declaredMessage)
	if !ok || proto.Unmarshal(detail.GetValue(), m) != nil {
		return nil
	}
	return m
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
	case *OperationTimeoutError:
		e.RetryAfter = w.after
	case *OutcomeUnknownError:
		e.Keyed = e.Inferred && w.retry == AsIs
	}
}

// headlineOf is a received message without what follows its headline. It only serves to show something; type and code
// never come from it.
func headlineOf(message, code string) string {
	if i := strings.Index(message, " ["+code+"; "); i >= 0 {
		return message[:i]
	}
	return message
}

// formOf takes a received status of ours apart, so that it can be fitted or annotated again. Everything in it is
// bounded as if it had been built here.
func formOf(p *spb.Status, w *wire) *form {
	f := &form{
		domain: w.info.Domain, code: w.code, status: codes.Code(p.GetCode()), //nolint:gosec // read from a status
		retry: w.retry, plan: w.plan, info: w.info, after: w.after,
		headline: clean(headlineOf(p.GetMessage(), w.code)), messageSize: fullMessage,
	}
	f.headline = f.sentence(f.headline)
	f.sameKeyOnly = w.code == string(CodeOutcomeUnknown) && w.retry == AsIs
	for _, detail := range p.GetDetails() {
		f.take(detail)
	}
	f.plan = boundPlan(f.plan)
	return f
}

// take files one detail of a received status; the first of a type counts.
func (f *form) take(detail *anypb.Any) {
	m := knownDetail(detail)
	switch m := m.(type) {
	case *errdetails.ErrorInfo, *errdetails.RetryInfo, *remedyv1.RepairPlan:
		return // in the form already
	case *errdetails.BadRequest:
		f.badRequest = m
	case *errdetails.QuotaFailure:
		f.quota = m
	case *errdetails.PreconditionFailure:
		f.precondition = m
	case *errdetails.ResourceInfo:
		f.resource = m
	case *errdetails.Help:
		f.help = m
	case *remedyv1.Causes:
		f.causes = m.GetCauses()
		return
	case nil:
		if f.declared == nil && f.domain != DomainRemedy && strings.HasPrefix(detail.GetTypeUrl(), typePrefix+f.domain+".") {
			f.declared = &declaredPart{any: detail}
			return
		}
		f.extras = append(f.extras, detail)
		return
	default:
		if f.identity != nil {
			f.extras = append(f.extras, detail)
			return
		}
		f.identity = m
	}
	boundMessage(m.ProtoReflect())
}

// knownDetail decodes the details that this package writes; nil for every other.
func knownDetail(detail *anypb.Any) proto.Message {
	name := detail.MessageName()
	if parent := name.Parent(); parent != "remedy.v1" && parent != "google.rpc" {
		return nil
	}
	if name.Parent() == "google.rpc" {
		switch name.Name() {
		case "ErrorInfo", "RetryInfo", "BadRequest", "QuotaFailure", "PreconditionFailure", "ResourceInfo", "Help":
		default:
			return nil
		}
	}
	m, err := detail.UnmarshalNew()
	if err != nil {
		return nil
	}
	return m
}
