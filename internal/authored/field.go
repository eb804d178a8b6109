package authored

import (
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// Well-known types that a headline shows.
const (
	Timestamp protoreflect.FullName = "google.protobuf.Timestamp"
	Duration  protoreflect.FullName = "google.protobuf.Duration"
)

// IsShown reports whether a headline can show a field: it has one value, which is a line of text, and no mark that keeps it
// out of logs.
func IsShown(field protoreflect.FieldDescriptor) bool {
	if field.IsList() || field.IsMap() || field.Kind() == protoreflect.BytesKind || isRedacted(field) {
		return false
	}
	if m := field.Message(); m != nil {
		return m.FullName() == Timestamp || m.FullName() == Duration
	}
	return true
}

func isRedacted(field protoreflect.FieldDescriptor) bool {
	options, ok := field.Options().(*descriptorpb.FieldOptions)
	return ok && options.GetDebugRedact()
}
