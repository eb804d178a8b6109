package encode

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// hasEffect reports whether the contract of a method, named /package.Service/Method, says that a call may change
// something. It is asked on the error path only.
func hasEffect(method string) bool {
	name := protoreflect.FullName(strings.ReplaceAll(strings.TrimPrefix(method, "/"), "/", "."))
	if !name.IsValid() {
		return false
	}
	found, err := protoregistry.GlobalFiles.FindDescriptorByName(name)
	if err != nil || !proto.HasExtension(found.Options(), remedyv1.E_Contract) {
		return false
	}
	contract, ok := proto.GetExtension(found.Options(), remedyv1.E_Contract).(*remedyv1.MethodContract)
	return ok && contract.GetEffect()
}
