package declared

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/internal/authored"
)

func (c *checker) checkContract(m *Method) {
	contract := m.Contract
	seen := make(map[string]bool, len(contract.GetErrors()))
	for i, name := range contract.GetErrors() {
		path := in(contractErrors, int32(i))
		again := seen[name]
		seen[name] = true
		switch {
		case again:
			c.refusef(m.Method, path, "contract.errors lists %s twice: keep one of them", name)
		case c.byName[protoreflect.FullName(name)] == nil && name != AnyTool:
			c.refusef(m.Method, path, "contract.errors lists %q, which %s", name, c.errorChoices(m, name))
		}
	}
	if tool := contract.GetTool(); tool != "" && !authored.IsTool(tool) {
		c.refusef(m.Method, in(contractTool), "contract.tool %q is malformed: write 1 to %d of A-Z, a-z, 0-9 and _ . / -",
			tool, authored.MaxName)
	} else if tool == "" && !authored.IsTool(m.Tool()) {
		c.refusef(m.Method, in(contractTool), "contract.tool is missing, and the method's name makes %q of more than %d bytes: "+
			"write one that is shorter", m.Tool(), authored.MaxName)
	}
	c.checkKey(m)
}

// errorChoices says why a name is no error, and what could have been meant.
func (c *checker) errorChoices(m *Method, name string) string {
	for _, file := range c.Files {
		if d := messageNamed(file, protoreflect.FullName(name)); d != nil {
			return "has no (remedy.v1.error) option: declare it as an error, or list another one"
		}
	}
	var same, all []string
	for full, e := range c.byName {
		if strings.HasSuffix("."+string(full), "."+strings.TrimPrefix(name, ".")) {
			same = append(same, string(full))
		}
		if e.Domain() == string(m.Method.ParentFile().Package()) {
			all = append(all, string(full))
		}
	}
	switch {
	case len(same) > 0:
		return "is no message of these files: write the full name, " + choices(same)
	case len(all) > 0:
		return "is no message of these files: generate its file at once with this one (strategy: all) or import it, or take one of " +
			choices(all)
	default:
		return "is no message of these files: generate its file at once with this one (strategy: all), or import it"
	}
}

func messageNamed(file protoreflect.FileDescriptor, name protoreflect.FullName) protoreflect.MessageDescriptor {
	rest, ok := strings.CutPrefix(string(name), string(file.Package())+".")
	if file.Package() == "" {
		rest, ok = string(name), true
	}
	if !ok {
		return nil
	}
	messages := file.Messages()
	var found protoreflect.MessageDescriptor
	for part := range strings.SplitSeq(rest, ".") {
		if found = messages.ByName(protoreflect.Name(part)); found == nil {
			return nil
		}
		messages = found.Messages()
	}
	return found
}

// checkKey holds operation_key_field to the request.
func (c *checker) checkKey(m *Method) {
	name := m.Contract.GetOperationKeyField()
	if name == "" {
		return
	}
	path, input := in(contractKey), m.Method.Input()
	field := input.Fields().ByName(protoreflect.Name(name))
	if field != nil && field.Kind() == protoreflect.StringKind && !field.IsList() && !field.IsMap() {
		return
	}
	var names []string
	for i := range input.Fields().Len() {
		other := input.Fields().Get(i)
		if other.Kind() == protoreflect.StringKind && !other.IsList() {
			names = append(names, string(other.Name()))
		}
		if other.JSONName() == name && field == nil {
			c.refusef(m.Method, path, "contract.operation_key_field %q is a JSON name: write the name of the proto, %s", name, other.Name())
			return
		}
	}
	fix := "add one, such as `string operation_key`"
	if len(names) > 0 {
		fix = "take one of " + choices(names)
	}
	if field == nil {
		c.refusef(m.Method, path, "contract.operation_key_field %q is no field of %s: %s", name, input.FullName(), fix)
		return
	}
	c.refusef(m.Method, path, "contract.operation_key_field %q is not one string: %s", name, fix)
}
