package corpus_test

import (
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/authored/authoredtest"
)

// TestAnyMessage encodes random messages of every type, and reads what was sent.
func TestAnyMessage(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			g := generator{t: t, valid: true}
			message := g.message(s.new(), 3).Interface()
			sent := s.raise(message)
			received := overWire(t, sent)
			got, ok := s.as(received)
			if !ok {
				t.Fatalf("got %T of %v", received, message)
			}
			same(t, s, messageOf(got), message, got)
			if got.ErrorCode() != s.options.GetCode() || got.RetryPolicy() != errs.RetryPolicy(s.options.GetRetry()) ||
				!got.Plan().Equal(sent.Plan()) {
				t.Fatalf("got %v, sent %v", got, sent)
			}
			if problem := authoredtest.Unfit(string(got.Base().Message)); problem != "" {
				t.Fatalf("headline %q: %s", got.Base().Message, problem)
			}
		})
	})
}

// TestBadUTF8: text that is none costs nothing but the bad bytes.
func TestBadUTF8(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		rapid.Check(t, func(t *rapid.T) {
			g := generator{t: t}
			received := overWire(t, s.raise(g.message(s.new(), 2).Interface()))
			if _, ok := s.as(received); !ok {
				t.Fatalf("got %T", received)
			}
		})
	})
}

// generator draws messages.
type generator struct {
	t     *rapid.T
	valid bool // text that has to be valid is
}

func (g generator) message(m protoreflect.Message, depth int) protoreflect.Message {
	fields := m.Descriptor().Fields()
	// Few fields of many: a message that is too large to travel tells nothing.
	most := min(fields.Len(), 4)
	for range rapid.IntRange(0, most).Draw(g.t, "fields") {
		g.field(m, fields.Get(rapid.IntRange(0, fields.Len()-1).Draw(g.t, "field")), depth)
	}
	for _, x := range extensionsOf(m) {
		if rapid.Bool().Draw(g.t, "extension") {
			g.field(m, x.TypeDescriptor(), depth)
		}
	}
	if rapid.IntRange(0, 9).Draw(g.t, "unknown") == 0 {
		const number = 1<<29 - 2
		m.SetUnknown(protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), rapid.Uint64().Draw(g.t, "value")))
	}
	return m
}

func (g generator) field(m protoreflect.Message, field protoreflect.FieldDescriptor, depth int) {
	const most = 3
	switch {
	case field.Message() != nil && depth == 0:
	case field.IsMap():
		entries := m.Mutable(field).Map()
		for range rapid.IntRange(0, most).Draw(g.t, "entries") {
			value := entries.NewValue()
			if field.MapValue().Message() == nil {
				value = g.value(field.MapValue())
			} else {
				g.message(value.Message(), depth-1)
			}
			entries.Set(g.value(field.MapKey()).MapKey(), value)
		}
	case field.IsList():
		list := m.Mutable(field).List()
		for range rapid.IntRange(0, most).Draw(g.t, "elements") {
			if field.Message() == nil {
				list.Append(g.value(field))
			} else {
				g.message(list.AppendMutable().Message(), depth-1)
			}
		}
	case field.Message() != nil:
		g.message(m.Mutable(field).Message(), depth-1)
	default:
		m.Set(field, g.value(field))
	}
}

func (g generator) value(field protoreflect.FieldDescriptor) protoreflect.Value {
	switch field.Kind() {
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(rapid.Bool().Draw(g.t, "bool"))
	case protoreflect.EnumKind:
		return protoreflect.ValueOfEnum(g.enum(field.Enum()))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		return protoreflect.ValueOfInt32(rapid.Int32().Draw(g.t, "int32"))
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		return protoreflect.ValueOfUint32(rapid.Uint32().Draw(g.t, "uint32"))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		return protoreflect.ValueOfInt64(rapid.Int64().Draw(g.t, "int64"))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		return protoreflect.ValueOfUint64(rapid.Uint64().Draw(g.t, "uint64"))
	case protoreflect.FloatKind:
		return protoreflect.ValueOfFloat32(rapid.OneOf(rapid.Float32(), rapid.SampledFrom(specials32)).Draw(g.t, "float") + 0)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(rapid.OneOf(rapid.Float64(), rapid.SampledFrom(specials64)).Draw(g.t, "double") + 0)
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(g.text())
	default:
		return protoreflect.ValueOfBytes(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(g.t, "bytes"))
	}
}

// There is no negative zero: protobuf's own clones lose it where a field has no presence.
var (
	specials32 = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32}
	specials64 = []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64}
)

// enum draws a value; a closed enum has no others.
func (g generator) enum(enum protoreflect.EnumDescriptor) protoreflect.EnumNumber {
	if !enum.IsClosed() && rapid.Bool().Draw(g.t, "of a later version") {
		return protoreflect.EnumNumber(rapid.Int32().Draw(g.t, "number"))
	}
	return enum.Values().Get(rapid.IntRange(0, enum.Values().Len()-1).Draw(g.t, "value")).Number()
}

func (g generator) text() string {
	if g.valid {
		return rapid.StringN(-1, 20, 60).Draw(g.t, "text")
	}
	return rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 12), func(b []byte) string { return string(b) }).Draw(g.t, "text")
}
