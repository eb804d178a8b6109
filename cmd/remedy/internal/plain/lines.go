package plain

import (
	"cmp"
	"slices"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"
)

// Line is one value of a message and where it stands in it, such as fieldViolations[0].field.
type Line struct {
	Path, Value string
}

// Lines returns the values of the detail in the order of its fields, map entries in the order of their keys; none when it
// was not read.
func (d Detail) Lines() []Line {
	if d.message == nil {
		return nil
	}
	var f flattener
	f.message("", d.message.ProtoReflect())
	return f.lines
}

type flattener struct {
	lines []Line
}

func (f *flattener) message(path string, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if !m.Has(field) {
			continue
		}
		at := field.JSONName()
		if path != "" {
			at = path + "." + at
		}
		f.field(at, field, m.Get(field))
	}
}

func (f *flattener) field(path string, field protoreflect.FieldDescriptor, value protoreflect.Value) {
	switch {
	case field.IsMap():
		type entry struct {
			key   string
			value protoreflect.Value
		}
		var entries []entry
		value.Map().Range(func(key protoreflect.MapKey, value protoreflect.Value) bool {
			entries = append(entries, entry{key.String(), value})
			return true
		})
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
		for _, e := range entries {
			f.value(path+"."+e.key, field.MapValue(), e.value)
		}
	case field.IsList():
		for i := range value.List().Len() {
			f.value(path+"["+strconv.Itoa(i)+"]", field, value.List().Get(i))
		}
	default:
		f.value(path, field, value)
	}
}

func (f *flattener) value(path string, field protoreflect.FieldDescriptor, value protoreflect.Value) {
	if field.Message() == nil {
		f.lines = append(f.lines, Line{path, value.String()}) // no type of google.rpc has an enum or bytes
		return
	}
	if d, ok := value.Message().Interface().(*durationpb.Duration); ok {
		f.lines = append(f.lines, Line{path, d.AsDuration().String()})
		return
	}
	f.message(path, value.Message())
}
