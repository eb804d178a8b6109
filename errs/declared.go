package errs

import (
	"fmt"
	"strconv"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/errs/internal/guide"
)

// Declare makes the definition of an error that a proto declares: a message with the (remedy.v1.error) option. Its
// domain is the proto package. Generated code calls it; it refuses what [Define] refuses.
func Declare(m protoreflect.MessageDescriptor) (*Definition, error) {
	options, ok := optionsOf(m)
	if !ok {
		return nil, fmt.Errorf("declaring %s: it has no (remedy.v1.error) option", m.FullName())
	}
	r := rowOf(options)
	d := &Definition{
		domain: string(m.ParentFile().Package()), code: r.code, retry: r.retry, headline: r.headline, plan: r.plan,
		status: codes.Code(options.GetStatus()), doc: options.GetDoc(), //nolint:gosec // an enum with the same numbers
	}
	if d.domain == DomainRemedy || d.domain == DomainTool || d.domain == "" || len(d.domain) > maxDomainBytes {
		return nil, fmt.Errorf("declaring %s: its package must be its own, of at most %d bytes", m.FullName(), maxDomainBytes)
	}
	if options.GetDiscriminator() != "" || len(options.GetCases()) > 0 {
		return nil, fmt.Errorf("declaring %s: discriminator and cases are for remedy.v1 only", m.FullName())
	}
	if problem := d.problem(); problem != "" {
		return nil, fmt.Errorf("declaring %s: %s", m.FullName(), problem)
	}
	return d, nil
}

// Wrap raises a declared error with its message. The placeholders of the headline are the fields of the message; the
// message is copied.
func (d *Definition) Wrap(message proto.Message, options ...Option) *ToolError {
	e := d.New(options...)
	reflected := message.ProtoReflect()
	e.Message = guide.Text(d.headline.fill(func(name string) string { return valueShown(reflected, name) }))
	e.declared = &declaredPart{any: anyOf(validStrings(message))}
	return e
}

// valueShown writes a field into a headline: strings quoted, numbers bare.
func valueShown(m protoreflect.Message, name string) string {
	field := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	if field == nil || field.IsList() || field.IsMap() || field.HasPresence() && !m.Has(field) {
		return "(unknown)"
	}
	switch v := m.Get(field).Interface().(type) {
	case protoreflect.EnumNumber:
		if value := field.Enum().Values().ByNumber(v); value != nil {
			return string(value.Name())
		}
		return strconv.Itoa(int(v))
	case protoreflect.Message, []byte:
		return "(unknown)"
	default:
		return shown(v)
	}
}

// validStrings returns a message that can be marshaled: m itself, or a copy with its bad UTF-8 replaced.
func validStrings(m proto.Message) proto.Message {
	if _, err := deterministic.Marshal(m); err == nil {
		return m
	}
	m = proto.Clone(m)
	repair(m.ProtoReflect())
	return m
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
