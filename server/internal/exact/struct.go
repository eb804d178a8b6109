package exact

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/types/known/structpb"
)

// FromStruct reads a Struct. Its numbers are doubles, so integers that a double cannot hold exactly are refused: they
// may be others than the ones that were meant. A nil Struct is an empty object.
func FromStruct(s *structpb.Struct) (any, *Fault) {
	var c converter
	v, fault := c.object(s, 1)
	if fault != nil {
		return nil, fault
	}
	if c.bytes > MaxBytes {
		return nil, tooLarge()
	}
	return v, nil
}

type converter struct{ values, bytes int }

func (c *converter) object(s *structpb.Struct, depth int) (any, *Fault) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	object := make(map[string]any, len(s.GetFields()))
	for _, name := range slices.Sorted(maps.Keys(s.GetFields())) { // in order, so that the same fault is found each time
		if !utf8.ValidString(name) {
			return nil, notUnicode()
		}
		c.bytes += len(name) + len(`"":,`)
		v, fault := c.value(s.GetFields()[name], depth)
		if fault != nil {
			return nil, fault.At(name)
		}
		object[name] = v
	}
	return object, nil
}

func (c *converter) value(value *structpb.Value, depth int) (any, *Fault) {
	c.bytes++
	c.values++
	if c.values > MaxValues {
		return nil, tooMany()
	}
	switch kind := value.GetKind().(type) {
	case *structpb.Value_NullValue:
		return nil, nil
	case *structpb.Value_BoolValue:
		return kind.BoolValue, nil
	case *structpb.Value_StringValue:
		if !utf8.ValidString(kind.StringValue) {
			return nil, notUnicode()
		}
		c.bytes += len(kind.StringValue)
		return kind.StringValue, nil
	case *structpb.Value_NumberValue:
		return double(kind.NumberValue)
	case *structpb.Value_StructValue:
		return c.object(kind.StructValue, depth+1)
	case *structpb.Value_ListValue:
		return c.list(kind.ListValue, depth+1)
	default:
		return nil, &Fault{Keyword: "json", Expected: "must be a value, null included"}
	}
}

func (c *converter) list(l *structpb.ListValue, depth int) (any, *Fault) {
	if depth > MaxDepth {
		return nil, tooDeep()
	}
	list := make([]any, 0, len(l.GetValues()))
	for i, value := range l.GetValues() {
		v, fault := c.value(value, depth)
		if fault != nil {
			return nil, fault.At(index(i))
		}
		list = append(list, v)
	}
	return list, nil
}

func double(f float64) (any, *Fault) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return nil, &Fault{Keyword: "number", Expected: "must be a finite number"}
	case math.Trunc(f) == f && math.Abs(f) > MaxSafeInteger:
		const most = "9007199254740991"
		expected := "must be from -" + most + " to " + most + " in a Struct; send larger integers as input_json"
		return nil, &Fault{Keyword: "integer", Expected: expected}
	}
	n, fault := number(strconv.FormatFloat(f, 'g', -1, 64))
	if fault != nil {
		return nil, fault
	}
	return n, nil
}

// ToStruct makes a Struct of a value. It returns false where that would change it: the value is no object, or one of
// its numbers is no double.
func ToStruct(v any) (*structpb.Struct, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		return nil, false
	}
	value, ok := toValue(object)
	return value.GetStructValue(), ok
}

func toValue(v any) (*structpb.Value, bool) {
	switch v := v.(type) {
	case bool:
		return structpb.NewBoolValue(v), true
	case string:
		return structpb.NewStringValue(v), true
	case json.Number:
		f, err := v.Float64()
		if err != nil || isInteger(v) && math.Abs(f) > MaxSafeInteger {
			return nil, false
		}
		again, fault := number(strconv.FormatFloat(f, 'g', -1, 64))
		return structpb.NewNumberValue(f), fault == nil && again == v
	case []any:
		list := &structpb.ListValue{Values: make([]*structpb.Value, 0, len(v))}
		for _, item := range v {
			value, ok := toValue(item)
			if !ok {
				return nil, false
			}
			list.Values = append(list.Values, value)
		}
		return structpb.NewListValue(list), true
	case map[string]any:
		object := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(v))}
		for name, item := range v {
			value, ok := toValue(item)
			if !ok {
				return nil, false
			}
			object.Fields[name] = value
		}
		return structpb.NewStructValue(object), true
	default:
		return structpb.NewNullValue(), true
	}
}
