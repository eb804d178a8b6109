package errs

import (
	"fmt"
	"slices"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// Declare makes the definition of an error that a proto declares: a message with the (remedy.v1.error) option. Its
// domain is the proto package. Generated code calls it; it refuses what [Define] refuses, placeholders that are no field
// with one value, and the effect none, which only the tool boundary can prove.
func Declare(m protoreflect.MessageDescriptor) (*Definition, error) {
	options, ok := optionsOf(m)
	if !ok {
		return nil, fmt.Errorf("declaring %s: it has no (remedy.v1.error) option", m.FullName())
	}
	r := rowOf(options)
	d := &Definition{
		domain: string(m.ParentFile().Package()), declares: string(m.FullName()),
		code: r.code, retry: r.retry, effect: r.effect, headline: r.headline, plan: r.plan,
		status: codes.Code(options.GetStatus()), doc: options.GetDoc(), //nolint:gosec // an enum with the same numbers
	}
	if d.headline.Text() == "" {
		d.headline = defaultHeadline(d.code)
	}
	if problem := d.declaredProblem(m, options); problem != "" {
		return nil, fmt.Errorf("declaring %s: %s", m.FullName(), problem)
	}
	return d.rendered(), nil
}

// MustDeclare is [Declare] for package variables of generated code: it panics at start instead of returning an error.
func MustDeclare(m protoreflect.MessageDescriptor) *Definition {
	d, err := Declare(m)
	if err != nil {
		panic(err) //nolint:forbidigo // at start, as regexp.MustCompile does
	}
	return d
}

func (d *Definition) declaredProblem(m protoreflect.MessageDescriptor, options *remedyv1.ErrorOptions) string {
	switch {
	case d.domain == DomainRemedy || d.domain == DomainTool || d.domain == "" || len(d.domain) > maxDomainBytes:
		return "its package must be its own, of at most " + strconv.Itoa(maxDomainBytes) + " bytes"
	case options.GetDiscriminator() != "" || len(options.GetCases()) > 0:
		return "discriminator and cases are for remedy.v1 only"
	case d.effect == EffectNone:
		return "only the tool boundary proves the effect none"
	}
	if p := d.contradiction(); p != "" {
		return p
	}
	for _, name := range d.headline.Fields() {
		field := m.Fields().ByName(protoreflect.Name(name))
		if field == nil || !authored.IsShown(field) {
			return "placeholder {" + name + "} is not a field with one value to show"
		}
	}
	return d.problem()
}

// contradiction says where the rule is not that of the effect or of the plan.
func (d *Definition) contradiction() string {
	switch {
	case d.retry == AsIs && d.effect != EffectUnspecified:
		return "effect is " + d.effect.String() + ", so retry must not be as_is"
	case d.retry == AsIs && len(d.plan.list()) > 0:
		return "repair has a step, so retry must not be as_is"
	case d.retry == AfterRepair && onlyStops(d.plan.list()):
		return "repair says nothing but stop, so retry must be never"
	default:
		return ""
	}
}

// onlyStops reports whether there are steps, and all of them are to stop.
func onlyStops(steps []Step) bool {
	return len(steps) > 0 && !slices.ContainsFunc(steps, func(s Step) bool { return s.action != ActionStop })
}

// Wrap raises a declared error with its message. The placeholders of the headline are the fields of the message; the
// message is copied. A definition that was not declared for the type of the message raises an error that is answered as
// internal.
func (d *Definition) Wrap(message proto.Message, options ...Option) *ToolError {
	if d == nil || message == nil {
		return &ToolError{}
	}
	reflected := message.ProtoReflect()
	e := d.raise(raisedBy(options), func(name string) string { return valueShown(reflected, name) })
	e.own().declared = &anypb.Any{TypeUrl: urlOf(message), Value: marshalValid(message)}
	return e
}

// valueShown writes a field into a headline: strings quoted, numbers bare, times as RFC 3339 in UTC.
func valueShown(m protoreflect.Message, name string) string {
	field := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	if field == nil || !authored.IsShown(field) || field.HasPresence() && !m.Has(field) {
		return unknownValue
	}
	switch v := m.Get(field).Interface().(type) {
	case protoreflect.EnumNumber:
		if value := field.Enum().Values().ByNumber(v); value != nil {
			return string(value.Name())
		}
		return strconv.Itoa(int(v))
	case protoreflect.Message:
		return momentShown(v)
	default:
		return shown(v)
	}
}

// momentShown writes a Timestamp or a Duration, which both have seconds and nanos.
func momentShown(m protoreflect.Message) string {
	fields := m.Descriptor().Fields()
	seconds, nanos := m.Get(fields.ByNumber(1)).Int(), m.Get(fields.ByNumber(2)).Int() //nolint:mnd // their numbers
	if m.Descriptor().FullName() == authored.Timestamp {
		at := &timestamppb.Timestamp{Seconds: seconds, Nanos: int32(nanos)} //nolint:gosec // it came from one
		if !at.IsValid() {
			return unknownValue
		}
		return shown(at.AsTime())
	}
	d := &durationpb.Duration{Seconds: seconds, Nanos: int32(nanos)} //nolint:gosec // it came from one
	if !d.IsValid() {
		return unknownValue
	}
	return shown(d.AsDuration())
}

// marshalValid marshals m, or a copy of it with its bad UTF-8 replaced.
func marshalValid(m proto.Message) []byte {
	b, err := deterministic.Marshal(m)
	if err != nil {
		m = proto.Clone(m)
		repair(m.ProtoReflect())
		b, _ = deterministic.Marshal(m) // nothing but bad UTF-8 fails
	}
	return b
}

func repair(m protoreflect.Message) {
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap():
			repairMap(field, value.Map())
		case field.IsList():
			for i := range value.List().Len() {
				value.List().Set(i, repaired(field, value.List().Get(i)))
			}
		default:
			m.Set(field, repaired(field, value))
		}
		return true
	})
}

func repairMap(field protoreflect.FieldDescriptor, entries protoreflect.Map) {
	entries.Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
		value = repaired(field.MapValue(), value)
		if s, ok := key.Interface().(string); ok && s != validUTF8(s) {
			entries.Clear(key)
			key = protoreflect.ValueOfString(validUTF8(s)).MapKey()
		}
		entries.Set(key, value)
		return true
	})
}

func repaired(field protoreflect.FieldDescriptor, value protoreflect.Value) protoreflect.Value {
	switch {
	case field.Kind() == protoreflect.StringKind:
		return protoreflect.ValueOfString(validUTF8(value.String()))
	case field.Message() != nil:
		repair(value.Message())
	}
	return value
}

// SupportPackageIsVersion1 is referred to by generated code, which fails to compile with a version of this package that is
// older than what it was generated for. It has no other meaning.
const SupportPackageIsVersion1 = true

// Declarations returns the definitions of the errors that a file declares, nested ones included, in its order: what a
// dashboard, or the counters of a service, begin with. It fails where [Declare] does.
func Declarations(file protoreflect.FileDescriptor) ([]*Definition, error) {
	return declarations(nil, file.Messages())
}

func declarations(all []*Definition, messages protoreflect.MessageDescriptors) ([]*Definition, error) {
	for i := range messages.Len() {
		m := messages.Get(i)
		if _, declares := optionsOf(m); declares {
			d, err := Declare(m)
			if err != nil {
				return nil, err
			}
			all = append(all, d)
		}
		var err error
		if all, err = declarations(all, m.Messages()); err != nil {
			return nil, err
		}
	}
	return all, nil
}
