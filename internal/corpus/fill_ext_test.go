package corpus_test

import (
	"math"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// filled sets every field of m, three levels deep, of a oneof the last one.
func filled(m protoreflect.Message) protoreflect.Message { return filledTo(m, 3) }

func filledTo(m protoreflect.Message, depth int) protoreflect.Message {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		switch {
		case field.Message() != nil && depth == 0:
		case field.IsMap():
			value := m.NewField(field)
			entry := value.Map().NewValue()
			if field.MapValue().Message() == nil {
				entry = plain(field.MapValue())
			} else {
				filledTo(entry.Message(), depth-1)
			}
			value.Map().Set(plain(field.MapKey()).MapKey(), entry)
			m.Set(field, value)
		case field.IsList():
			value := m.NewField(field)
			element := value.List().NewElement()
			if field.Message() == nil {
				element = plain(field)
			} else {
				filledTo(element.Message(), depth-1)
			}
			value.List().Append(element)
			m.Set(field, value)
		case field.Message() != nil:
			filledTo(m.Mutable(field).Message(), depth-1)
		default:
			m.Set(field, plain(field))
		}
	}
	return m
}

// plain is a value that is easy to recognize in a text.
func plain(field protoreflect.FieldDescriptor) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.EnumKind:
		values := field.Enum().Values()
		return protoreflect.ValueOfEnum(values.Get(values.Len() - 1).Number())
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(-32)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(32)
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(math.MinInt64)
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(math.MaxUint64)
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(0.1)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(1e21)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString("text")
	default:
		return protoreflect.ValueOfBytes([]byte{0, 0xff})
	}
}

// headlineOf fills the template by rules of its own.
func headlineOf(options *remedyv1.ErrorOptions, m protoreflect.Message) string {
	if options.GetMessage() == "" {
		return strings.ReplaceAll(options.GetCode(), "_", " ") + "."
	}
	pairs := make([]string, 0, 2*m.Descriptor().Fields().Len())
	for i := range m.Descriptor().Fields().Len() {
		if field := m.Descriptor().Fields().Get(i); authored.IsShown(field) {
			pairs = append(pairs, "{"+string(field.Name())+"}", shown(m, field))
		}
	}
	return strings.NewReplacer(pairs...).Replace(options.GetMessage())
}

func shown(m protoreflect.Message, field protoreflect.FieldDescriptor) string {
	if field.HasPresence() && !m.Has(field) {
		return "(unknown)"
	}
	switch v := m.Get(field).Interface().(type) {
	case string:
		return strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 32)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case protoreflect.EnumNumber:
		return string(field.Enum().Values().ByNumber(v).Name())
	case protoreflect.Message:
		switch v := v.Interface().(type) {
		case *timestamppb.Timestamp:
			if !v.IsValid() {
				return "(unknown)"
			}
			return v.AsTime().Format(time.RFC3339)
		case *durationpb.Duration:
			if !v.IsValid() {
				return "(unknown)"
			}
			return v.AsDuration().String()
		}
		return "?"
	default:
		return m.Get(field).String()
	}
}

// extensionsOf are those that this program knows.
func extensionsOf(m protoreflect.Message) []protoreflect.ExtensionType {
	var all []protoreflect.ExtensionType
	protoregistry.GlobalTypes.RangeExtensionsByMessage(m.Descriptor().FullName(), func(x protoreflect.ExtensionType) bool {
		all = append(all, x)
		return true
	})
	return all
}

// size is that of a message on the wire, whether its required fields are set or not.
func size(m proto.Message) int { return proto.MarshalOptions{AllowPartial: true}.Size(m) }
