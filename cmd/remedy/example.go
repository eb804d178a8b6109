package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/remedyrpc/remedy/internal/example"
	"github.com/remedyrpc/remedy/proto"
)

// exampleCommand is remedy example.
type exampleCommand struct {
	Dir string `arg:"" help:"Folder to write, which does not exist or is empty."`

	Replace string `help:"Clone of the repository to build with, not the version of this command." placeholder:"DIR" type:"existingdir"`
}

// Help says what for.
func (*exampleCommand) Help() string {
	return `Writes a Go module of its own: a service whose proto declares an error, its server, a client that does what the error says, and
what buf needs to generate them again. Run it with "go mod tidy" and "go run .".`
}

// Run writes the example.
func (c *exampleCommand) Run(s *streams) error {
	if c.Dir == "" {
		return usageError{errors.New("the name is empty: give the folder to write")}
	}
	module := example.Module{Version: version()}
	if c.Replace != "" {
		clone, err := filepath.Abs(c.Replace)
		if err != nil {
			return fmt.Errorf("--replace: %w", err)
		}
		if !example.IsClone(clone) {
			return usageError{fmt.Errorf("--replace: %s is no clone of the repository: give the folder with its go.mod", c.Replace)}
		}
		module.Replace = clone
	} else if module.Version == "" {
		return usageError{errors.New("this build has no version to require: give a clone of the repository with --replace")}
	}
	written, err := example.Write(c.Dir, module, proto.Contract())
	if err != nil {
		return err
	}
	p := s.printer()
	for _, name := range written {
		p.Line(0, "wrote "+filepath.Join(c.Dir, filepath.FromSlash(name)))
	}
	return p.Err()
}

// version is the version of this command as a module, empty where it was built from a folder.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "(devel)" || info.Main.Sum == "" {
		return ""
	}
	return info.Main.Version
}
