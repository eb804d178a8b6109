package corpus_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

// sample is one generated error.
type sample struct {
	constructor reflect.Value
	message     protoreflect.Message // an empty one
	options     *remedyv1.ErrorOptions
}

func samples() []sample {
	all := make([]sample, 0, len(constructors))
	for _, constructor := range constructors {
		s := sample{constructor: reflect.ValueOf(constructor)}
		s.message = reflect.Zero(s.constructor.Type().In(0)).Interface().(proto.Message).ProtoReflect()
		s.options = declared.ErrorOptions(s.message.Descriptor())
		all = append(all, s)
	}
	return all
}

// each runs a test for every generated error.
func each(t *testing.T, test func(t *testing.T, s sample)) {
	t.Helper()
	for _, s := range samples() {
		t.Run(s.name(), func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

func (s sample) name() string   { return string(s.message.Descriptor().FullName()) }
func (s sample) domain() string { return string(s.message.Descriptor().ParentFile().Package()) }

// new returns an empty message.
func (s sample) new() protoreflect.Message { return s.message.Type().New() }

// raise calls the constructor.
func (s sample) raise(m proto.Message, options ...errs.Option) errs.Declared {
	arguments := []reflect.Value{reflect.ValueOf(m)}
	for _, option := range options {
		arguments = append(arguments, reflect.ValueOf(option))
	}
	return s.constructor.Call(arguments)[0].Interface().(errs.Declared)
}

// null is a nil pointer of the error type.
func (s sample) null() errs.Declared {
	return reflect.Zero(s.constructor.Type().Out(0)).Interface().(errs.Declared)
}

// as finds the error in err by its type.
func (s sample) as(err error) (errs.Declared, bool) {
	target := reflect.New(s.constructor.Type().Out(0))
	if !asAny(err, target.Interface()) {
		return nil, false
	}
	return target.Elem().Interface().(errs.Declared), true
}

// messageOf calls the method Message.
func messageOf(e errs.Declared) proto.Message {
	return reflect.ValueOf(e).MethodByName("Message").Call(nil)[0].Interface().(proto.Message)
}

// carried calls the method RemedyError of a message.
func carried(m proto.Message, base *errs.ToolError) errs.Error {
	return m.(interface {
		RemedyError(base *errs.ToolError) errs.Error
	}).RemedyError(base)
}

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Errorf(format string, arguments ...any)
	Fatal(arguments ...any)
}

// overWire marshals what err says and reads it as a client does.
func overWire(t tester, err error) error {
	t.Helper()
	return errs.FromStatus(status.FromProto(unmarshaled(t, marshaled(t, err))))
}

func marshaled(t tester, err error) []byte {
	t.Helper()
	b, problem := proto.MarshalOptions{Deterministic: true}.Marshal(errs.ToStatus(err).Proto())
	if problem != nil {
		t.Fatal(problem)
	}
	return b
}

func unmarshaled(t tester, b []byte) *spb.Status {
	t.Helper()
	var p spb.Status
	if err := proto.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	return &p
}

// TestEverythingIsHere: every proto of the folder is linked in, and every error of it is tested.
func TestEverythingIsHere(t *testing.T) {
	t.Parallel()
	known := make(map[string]bool)
	for _, s := range samples() {
		known[s.name()] = true
	}
	protos, found := 0, 0
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".proto" {
			return err
		}
		protos++
		file, err := protoregistry.GlobalFiles.FindFileByPath(path)
		if err != nil {
			return err
		}
		set := declared.Read([]protoreflect.FileDescriptor{file})
		for _, e := range set.Errors {
			found++
			if !known[string(e.Message.FullName())] {
				t.Errorf("%s: the constructor of %s is not in the table", path, e.Message.FullName())
			}
		}
		_, err = os.Stat(strings.TrimSuffix(path, ".proto") + ".remedy.go")
		if wanted := len(set.Errors) > 0 || file.Services().Len() > 0; wanted != (err == nil) {
			t.Errorf("%s: generated code is there: %t, want %t", path, err == nil, wanted)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found != len(constructors) {
		t.Errorf("%d constructors for %d errors", len(constructors), found)
	}
	t.Logf("%d protos, %d errors, %d services", protos, found, len(clients))
}
