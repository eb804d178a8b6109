package authored

import "google.golang.org/protobuf/reflect/protoreflect"

// Well-known types that a headline shows.
const (
	Timestamp protoreflect.FullName = "google.protobuf.Timestamp"
	Duration  protoreflect.FullName = "google.protobuf.Duration"
)

// IsShown reports whether a headline can show a field: it has one value, which is a line of text.
func IsShown(field protoreflect.FieldDescriptor) bool {
	if field.IsList() || field.IsMap() || field.Kind() == protoreflect.BytesKind {
		return false
	}
	if m := field.Message(); m != nil {
		return m.FullName() == Timestamp || m.FullName() == Duration
	}
	return true
}
