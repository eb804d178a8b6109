// Protoc-gen-remedy generates typed errors and typed clients from protos that declare them with the options of
// remedy/v1/options.proto. It runs below protoc and buf, beside protoc-gen-go and protoc-gen-go-grpc:
//
//	plugins:
//	  - local: protoc-gen-go
//	    out: gen
//	    opt: paths=source_relative
//	  - local: protoc-gen-go-grpc
//	    out: gen
//	    opt: paths=source_relative
//	  - local: protoc-gen-remedy
//	    out: gen
//	    opt: paths=source_relative
//	    strategy: all
//
// For every shop.proto that declares an error or has a service it writes a shop.remedy.go into the package of shop.pb.go.
// All files are checked together, so all of them have to come in one run: strategy all, which is not the default of buf.
//
// Options, besides those of every Go plugin (paths, module, M…):
//
//	external_tools=NAME  a tool that plans may name although no contract of the files has it; may be repeated
//	clients=false        no typed clients, for files that protoc-gen-go-grpc is not run on
package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"google.golang.org/protobuf/compiler/protogen"

	"github.com/remedyrpc/remedy/internal/generate"
)

func main() {
	if len(os.Args) > 1 {
		os.Exit(about(os.Stdout, os.Stderr, os.Args[1:]))
	}
	var s generate.Settings
	protogen.Options{ParamFunc: s.Flags().Set}.Run(func(gen *protogen.Plugin) error { return generate.Run(gen, &s) })
}

// about answers whoever runs the plugin by hand.
func about(out, err io.Writer, arguments []string) int {
	if len(arguments) == 1 && (arguments[0] == "--version" || arguments[0] == "-version") {
		version := "(devel)"
		if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
			version = info.Main.Version
		}
		_, _ = fmt.Fprintln(out, "protoc-gen-remedy", version)
		return 0
	}
	_, _ = fmt.Fprintln(err, "protoc-gen-remedy is run by buf or protoc, which it takes no arguments from; it knows --version only")
	return 2 //nolint:mnd // as every command that does not understand its command line
}
