package errs

import (
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// refit takes a status of ours that is too large apart and fits it as if it had been built here. Whoever wrote it may have
// kept to no bound at all.
func (w *wire) refit(limit int) *wire {
	f := formOf(w.st.Proto(), w)
	f.info.Truncated = true
	again := f.wire(limit)
	again.foreign = w.foreign
	return again
}

// repaired returns w with a status that can be marshaled. One that came off a connection always can; one bad byte in any
// other would make every client drop all details.
func (w *wire) repaired() *wire {
	p := w.st.Proto()
	p.Message = validUTF8(p.GetMessage())
	p.Details = slices.DeleteFunc(p.GetDetails(), func(d *anypb.Any) bool { return !utf8.ValidString(d.GetTypeUrl()) })
	again := *w
	again.st, again.cost, again.invalid = status.FromProto(p), listCost(p), false
	return &again
}

// edited returns w with details that edit changed; every other detail stays as it came.
func (w *wire) edited(edit func(details []*anypb.Any) []*anypb.Any) *wire {
	p := w.st.Proto()
	p.Details = edit(p.GetDetails())
	again := *w
	again.st, again.cost = status.FromProto(p), listCost(p)
	return &again
}

// withInfo returns w with other info.
func (w *wire) withInfo(info Info) *wire {
	again := w.edited(func(details []*anypb.Any) []*anypb.Any {
		for i, detail := range details {
			if messageName(detail) == errorInfoName {
				details[i] = annotated(detail, w.code, w.retry, info)
			}
		}
		return details
	})
	again.setInfo(&info)
	return again
}

// withCauses returns w with further causes.
func (w *wire) withCauses(causes []*remedyv1.Cause) *wire {
	return w.edited(func(details []*anypb.Any) []*anypb.Any {
		var m remedyv1.Causes
		others := slices.DeleteFunc(details, func(detail *anypb.Any) bool {
			if messageName(detail) != causesName {
				return false
			}
			if len(m.GetCauses()) == 0 && proto.Unmarshal(detail.GetValue(), &m) != nil {
				m.Reset()
			}
			return true
		})
		m.Causes = boundCauses(append(m.GetCauses(), causes...))
		return append(others, anyOf(&m))
	})
}

// boundCauses cuts a tree of causes from elsewhere to its bounds.
func boundCauses(nodes []*remedyv1.Cause) []*remedyv1.Cause {
	left := maxCauses
	var cut func(nodes []*remedyv1.Cause, depth int) []*remedyv1.Cause
	cut = func(nodes []*remedyv1.Cause, depth int) []*remedyv1.Cause {
		if depth == 0 {
			return nil
		}
		nodes = nodes[:min(len(nodes), left)]
		left -= len(nodes)
		for _, node := range nodes {
			node.Causes = cut(node.GetCauses(), depth-1)
		}
		return nodes
	}
	return cut(nodes, maxCauseDepth)
}

// formOf takes a received status of ours apart. Everything in the form is bounded.
func formOf(p *spb.Status, w *wire) *form {
	f := &form{
		code: w.code, status: codes.Code(p.GetCode()), retry: w.retry, //nolint:gosec // read from a status
		plan: w.plan.bounded(), info: w.info().bounded(), after: w.after, messageSize: fullMessage,
	}
	f.domain, _ = bound(w.domain, maxDomainBytes)
	f.info.Domain = f.domain
	f.headline = f.sentence(headlineOf(p.GetMessage(), w.code))
	f.sameKeyOnly = w.code == string(CodeOutcomeUnknown) && w.retry == AsIs
	for _, detail := range p.GetDetails() {
		f.take(detail)
	}
	return f
}

// take files one detail of a received status; the first of a type counts.
func (f *form) take(detail *anypb.Any) {
	name := messageName(detail)
	switch m := knownDetail(name, detail).(type) {
	case *errdetails.BadRequest:
		keepFirst(&f.badRequest, m)
	case *errdetails.QuotaFailure:
		keepFirst(&f.quota, m)
	case *errdetails.PreconditionFailure:
		keepFirst(&f.precondition, m)
	case *errdetails.ResourceInfo:
		keepFirst(&f.resource, m)
	case *errdetails.Help:
		keepFirst(&f.help, m)
	case *remedyv1.Causes:
		if f.causes == nil {
			f.causes = boundCauses(m.GetCauses())
		}
	case *remedyv1.ToolError:
		if !f.tool && f.domain != DomainRemedy {
			f.tool, f.headline = true, f.sentence(m.GetMessage())
			f.details = structBytes(m.GetDetails())
		}
	case nil:
		f.takeUnknown(name, detail)
	default: // an identity message of the catalog
		if f.identity == nil && f.domain == DomainRemedy {
			boundMessage(m.ProtoReflect())
			f.identity = m
		}
	}
}

func keepFirst[M interface {
	comparable
	proto.Message
}](kept *M, m M) {
	var none M
	if *kept == none {
		boundMessage(m.ProtoReflect())
		*kept = m
	}
}

// takeUnknown keeps a detail that this version does not know as its bytes.
func (f *form) takeUnknown(name string, detail *anypb.Any) {
	switch name {
	case errorInfoName, retryInfoName, repairPlanName:
		return // in the form already
	}
	named := len(detail.GetTypeUrl()) <= maxStringBytes
	// Only type and value: whatever else somebody put into the Any would not be counted.
	detail = &anypb.Any{TypeUrl: detail.GetTypeUrl(), Value: detail.GetValue()}
	switch {
	case named && f.declared == nil && f.domain != DomainRemedy && strings.HasPrefix(name, f.domain+"."):
		f.declared = detail
	case named && f.declared == nil && f.domain == DomainRemedy && strings.HasPrefix(name, "remedy.v1."):
		f.declared = detail // the identity of a later version: its type is kept in the same way
	case named && len(f.extras) < maxList:
		f.extras = append(f.extras, detail)
	}
}

// structBytes returns the bytes of the details of a ToolError, nil when there are none.
func structBytes(details *structpb.Struct) []byte {
	if details == nil {
		return nil
	}
	return anyOf(details).GetValue()
}

// knownDetail decodes the details that this package writes, but for those that are in the form already; nil for every other.
func knownDetail(name string, detail *anypb.Any) proto.Message {
	switch name {
	case causesName, toolErrorName, "google.rpc.BadRequest", "google.rpc.QuotaFailure", "google.rpc.PreconditionFailure",
		"google.rpc.ResourceInfo", "google.rpc.Help":
	default:
		if _, ok := catalog()[protoreflect.FullName(name)]; !ok {
			return nil
		}
	}
	m, err := detail.UnmarshalNew()
	if err != nil {
		return nil
	}
	return m
}

// boundMessage applies the bounds to a message that came from elsewhere: strings and lists, all the way down.
func boundMessage(m protoreflect.Message) {
	m.SetUnknown(nil)
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap(): // no message that is bounded here has one
		case field.IsList():
			list := value.List()
			list.Truncate(min(list.Len(), maxList))
			for i := range list.Len() {
				if field.Kind() == protoreflect.MessageKind {
					boundMessage(list.Get(i).Message())
				} else if field.Kind() == protoreflect.StringKind {
					list.Set(i, boundString(field, list.Get(i)))
				}
			}
		case field.Kind() == protoreflect.MessageKind:
			boundMessage(value.Message())
		case field.Kind() == protoreflect.StringKind:
			m.Set(field, boundString(field, value))
		}
		return true
	})
}

func boundString(field protoreflect.FieldDescriptor, value protoreflect.Value) protoreflect.Value {
	s := value.String()
	name := string(field.Name())
	switch {
	case field.FullName() == "remedy.v1.Issue.message", field.FullName() == "google.rpc.BadRequest.FieldViolation.description":
		s, _ = cutRunes(authored.Clean(s), maxIssueRunes)
	case name == "message", name == "description":
		s, _ = cutRunes(authored.Clean(s), maxHeadlineRunes)
	case len(s) > maxStringBytes && (name == "url" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_key")):
		s = "" // the beginning of it would name something else
	default:
		s, _ = bound(s, maxStringBytes)
	}
	return protoreflect.ValueOfString(s)
}
