package declared

import (
	"cmp"
	"fmt"
	"slices"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// Builtin is the package of the errors that Remedy itself has.
const Builtin protoreflect.FullName = "remedy.v1"

// AnyTool is listed by a method that may return every error that a tool declares. It has no options of its own.
const AnyTool = "remedy.v1.ToolError"

// The protos of remedy.v1. A file imports the first one when it declares something.
const (
	optionsFile = "remedy/v1/options.proto"
	repairFile  = "remedy/v1/repair.proto"
	errorsFile  = "remedy/v1/errors.proto"
)

// Set is everything that some files declare. It is not changed after [Read].
type Set struct {
	// Files are the files that were read.
	Files []protoreflect.FileDescriptor
	// Errors are the declared errors in the order of the files, those of remedy.v1 included.
	Errors []*Error
	// Methods are all methods in the order of the files.
	Methods []*Method
	// Bare are the files that import the options and use none of them, as if somebody had dropped them: some servers do
	// that to what their reflection says.
	Bare []string

	byName map[protoreflect.FullName]*Error
	unread []*Problem // options that cannot be read
}

// Error is a message with the (remedy.v1.error) option.
type Error struct {
	Message protoreflect.MessageDescriptor
	Options *remedyv1.ErrorOptions
}

// Domain is the domain of the error on the wire: its proto package.
func (e *Error) Domain() string { return string(e.Message.ParentFile().Package()) }

// IsBuiltin reports whether the error is one of Remedy's own.
func (e *Error) IsBuiltin() bool { return IsContract(e.Message.ParentFile()) }

// IsContract reports whether a file is one of remedy.v1, or a copy of one.
func IsContract(file protoreflect.FileDescriptor) bool {
	switch file.Path() {
	case optionsFile, repairFile, errorsFile:
		return file.Package() == Builtin
	default:
		return false
	}
}

// Status is the status code that options stand for.
func Status(options *remedyv1.ErrorOptions) codes.Code {
	if code := codes.Code(options.GetStatus()); code != codes.OK { //nolint:gosec // an enum with the same numbers
		return code
	}
	return authored.DefaultStatus(options.GetRetry())
}

// Method is a method, and what it promises.
type Method struct {
	Method protoreflect.MethodDescriptor
	// Contract is nil when the method promises nothing.
	Contract *remedyv1.MethodContract
	// Errors are the errors that the contract lists and that were found.
	Errors []*Error
}

// Tool is the name under which plans refer to the method; empty when it has no contract.
func (m *Method) Tool() string {
	if m.Contract == nil {
		return ""
	}
	return cmp.Or(m.Contract.GetTool(), authored.LowerSnake(string(m.Method.Name())))
}

// Read reads what files declare. They are looked at together, whatever directories they are in, so all that belong to each
// other have to be given, imports included; only the errors of remedy.v1 are always there.
func Read(files []protoreflect.FileDescriptor) *Set {
	s := &Set{Files: files, byName: make(map[protoreflect.FullName]*Error)}
	if !slices.ContainsFunc(files, hasBuiltin) {
		s.readMessages(remedyv1.File_remedy_v1_errors_proto.Messages())
		s.Errors = nil // found by name, and not listed
	}
	for _, file := range files {
		before := len(s.Errors) + s.contracts()
		s.readMessages(file.Messages())
		for i := range file.Services().Len() {
			s.readService(file.Services().Get(i))
		}
		if before == len(s.Errors)+s.contracts() && isBare(file) {
			s.Bare = append(s.Bare, file.Path())
		}
	}
	for _, m := range s.Methods {
		for _, name := range m.Contract.GetErrors() {
			if e := s.byName[protoreflect.FullName(name)]; e != nil {
				m.Errors = append(m.Errors, e)
			}
		}
	}
	return s
}

// Error returns the declared error of that name, nil when there is none.
func (s *Set) Error(name protoreflect.FullName) *Error { return s.byName[name] }

func hasBuiltin(file protoreflect.FileDescriptor) bool {
	return file.Path() == errorsFile
}

func imports(file protoreflect.FileDescriptor, path string) bool {
	for i := range file.Imports().Len() {
		if file.Imports().Get(i).Path() == path {
			return true
		}
	}
	return false
}

func (s *Set) contracts() int {
	n := 0
	for _, m := range s.Methods {
		if m.Contract != nil {
			n++
		}
	}
	return n
}

func (s *Set) readMessages(messages protoreflect.MessageDescriptors) {
	for i := range messages.Len() {
		m := messages.Get(i)
		options, err := errorOptions(m)
		switch {
		case err != nil:
			s.unread = append(s.unread, NewProblem(m, in(), "the option (remedy.v1.error) cannot be read: %v", err))
		case options != nil:
			e := &Error{Message: m, Options: options}
			s.Errors = append(s.Errors, e)
			s.byName[m.FullName()] = e
		}
		s.readMessages(m.Messages())
	}
}

func (s *Set) readService(service protoreflect.ServiceDescriptor) {
	for i := range service.Methods().Len() {
		m := service.Methods().Get(i)
		contract, err := contractOf(m)
		if err != nil {
			s.unread = append(s.unread, NewProblem(m, in(), "the option (remedy.v1.contract) cannot be read: %v", err))
		}
		s.Methods = append(s.Methods, &Method{Method: m, Contract: contract})
	}
}

// ErrorOptions returns the (remedy.v1.error) option of a message, nil when it has none that can be read.
func ErrorOptions(m protoreflect.MessageDescriptor) *remedyv1.ErrorOptions {
	options, _ := errorOptions(m)
	return options
}

func errorOptions(m protoreflect.MessageDescriptor) (*remedyv1.ErrorOptions, error) {
	var options descriptorpb.MessageOptions
	if err := reread(m.Options(), &options); err != nil || !proto.HasExtension(&options, remedyv1.E_Error) {
		return nil, err
	}
	declared, _ := proto.GetExtension(&options, remedyv1.E_Error).(*remedyv1.ErrorOptions)
	return declared, nil
}

func contractOf(m protoreflect.MethodDescriptor) (*remedyv1.MethodContract, error) {
	var options descriptorpb.MethodOptions
	if err := reread(m.Options(), &options); err != nil || !proto.HasExtension(&options, remedyv1.E_Contract) {
		return nil, err
	}
	contract, _ := proto.GetExtension(&options, remedyv1.E_Contract).(*remedyv1.MethodContract)
	return contract, nil
}

// reread reads options anew, because what parsed them may not have known our extensions, or made types of its own for them.
func reread(from, into proto.Message) error {
	b, err := proto.MarshalOptions{AllowPartial: true}.Marshal(from)
	if err != nil {
		return fmt.Errorf("marshaling it again: %w", err)
	}
	if err := (proto.UnmarshalOptions{AllowPartial: true}).Unmarshal(b, into); err != nil {
		return fmt.Errorf("reading it again: %w", err)
	}
	return nil
}
