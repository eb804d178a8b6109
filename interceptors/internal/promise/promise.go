// Package promise reads what protos promise: the contracts of methods and the errors that messages declare.
package promise

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Method returns the method with a full name, /package.Service/Method, nil when none that is linked in has it.
func Method(name string) protoreflect.MethodDescriptor {
	service, method, ok := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	full := protoreflect.FullName(service).Append(protoreflect.Name(method))
	if !ok || !full.IsValid() {
		return nil
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(full)
	if err != nil {
		return nil
	}
	described, _ := found.(protoreflect.MethodDescriptor)
	return described
}

// Contract returns what a method promises, nil for nothing and for a nil method.
func Contract(method protoreflect.MethodDescriptor) *remedyv1.MethodContract {
	if method == nil {
		return nil
	}
	return option[*remedyv1.MethodContract](method, remedyv1.E_Contract)
}

// Error returns what the message with a full name declares, nil when none that is linked in has that name, or it declares
// no error, and the domain of that error.
func Error(name string) (domain string, options *remedyv1.ErrorOptions) {
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(protoreflect.FullName(name))
	if err != nil {
		return "", nil
	}
	return string(found.ParentFile().Package()), option[*remedyv1.ErrorOptions](found, remedyv1.E_Error)
}

// option returns a message option, nil where it is not set. Options that were read without the types of this binary, as
// those of a descriptor that came over the wire may be, are read again.
func option[M proto.Message](of protoreflect.Descriptor, extension protoreflect.ExtensionType) M {
	var none M
	if !proto.HasExtension(of.Options(), extension) && len(of.Options().ProtoReflect().GetUnknown()) == 0 {
		return none
	}
	value := of.Options().ProtoReflect().Get(extension.TypeDescriptor())
	if m, ok := value.Message().Interface().(M); ok && m.ProtoReflect().IsValid() {
		return m
	}
	raw, err := proto.Marshal(of.Options())
	if err != nil {
		return none
	}
	again := of.Options().ProtoReflect().Type().New().Interface()
	if err := proto.Unmarshal(raw, again); err != nil || !proto.HasExtension(again, extension) {
		return none
	}
	m, _ := proto.GetExtension(again, extension).(M)
	return m
}
