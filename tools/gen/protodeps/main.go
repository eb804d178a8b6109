// Command protodeps writes the .proto files that ours import but that this repository does not commit, printed from
// the descriptors linked into their published Go modules, so that generating needs no schema registry.
//
//	go -C tools/gen run ./protodeps DIR
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate"
	"github.com/jhump/protoreflect/v2/protoprint"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: protodeps DIR")
		os.Exit(2)
	}
	for _, file := range []protoreflect.FileDescriptor{validate.File_buf_validate_validate_proto} {
		if err := write(os.Args[1], file); err != nil {
			fmt.Fprintln(os.Stderr, "protodeps:", err)
			os.Exit(1)
		}
	}
}

func write(dir string, file protoreflect.FileDescriptor) error {
	path := filepath.Join(dir, filepath.FromSlash(file.Path()))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("creating the folder of %s: %w", file.Path(), err)
	}
	out, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("creating %s: %w", file.Path(), err)
	}
	printer := protoprint.Printer{Compact: true}
	if err := errors.Join(printer.PrintProtoFile(file, out), out.Close()); err != nil {
		return fmt.Errorf("printing %s: %w", file.Path(), err)
	}
	return nil
}
