package declared

import "google.golang.org/protobuf/reflect/protoreflect"

// isBare reports whether a file imports the options for nothing that is left: it declares nothing with them, and none of its
// fields has a type of theirs, such as StatusCode.
func isBare(file protoreflect.FileDescriptor) bool {
	return imports(file, optionsFile) && !IsContract(file) && !refersTo(file.Messages(), optionsFile)
}

// refersTo reports whether a field has a type of the file with that path.
func refersTo(messages protoreflect.MessageDescriptors, path string) bool {
	for i := range messages.Len() {
		m := messages.Get(i)
		for j := range m.Fields().Len() {
			field := m.Fields().Get(j)
			if e := field.Enum(); e != nil && e.ParentFile() != nil && e.ParentFile().Path() == path {
				return true
			}
			if t := field.Message(); t != nil && t.ParentFile() != nil && t.ParentFile().Path() == path {
				return true
			}
		}
		if refersTo(m.Messages(), path) {
			return true
		}
	}
	return false
}
