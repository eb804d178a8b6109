// Package example holds a small service with declared errors, which `remedy example` writes as a workspace of its own. The
// folder shop is compiled and run by the tests where it is, under another module path.
package example

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

//go:embed shop/buf.yaml shop/buf.gen.yaml shop/go.mod.tmpl shop/main.go shop/proto shop/gen
var files embed.FS

// What is called otherwise in the workspace.
const (
	here   = "github.com/remedyrpc/remedy/internal/example/shop"
	there  = "example.com/shop"
	remedy = "github.com/remedyrpc/remedy"
)

// Module is the module that the workspace requires.
type Module struct {
	// Version is its version, such as v1.2.3; needed unless Replace is set.
	Version string
	// Replace is the folder of a clone to be used in place of a released version, as an absolute path; empty for none.
	Replace string
}

// Write writes the workspace into a folder, which it makes, with the files of the contract, remedy/v1/*.proto, as its imports.
// It fails when there is something in that folder already, and returns the names of the files, slash-separated.
func Write(folder string, module Module, contract fs.FS) ([]string, error) {
	goMod, err := module.goMod()
	if err != nil {
		return nil, err
	}
	present, err := os.ReadDir(folder)
	switch {
	case len(present) > 0:
		return nil, fmt.Errorf("%s is not empty: name a folder that is, or one that does not exist", folder)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("writing the example: %w", err)
	}
	shop, err := fs.Sub(files, "shop")
	if err != nil {
		return nil, fmt.Errorf("writing the example: %w", err)
	}
	written, err := copyAll(folder, shop, func(name string, text []byte) (string, []byte) {
		if name == "go.mod.tmpl" {
			return "go.mod", goMod
		}
		text = bytes.ReplaceAll(text, []byte(here), []byte(there))
		if formatted, err := format.Source(text); err == nil && path.Ext(name) == ".go" {
			text = formatted // the other path has another place among the imports
		}
		return name, text
	})
	if err != nil {
		return written, err
	}
	imports, err := copyAll(folder, contract, func(name string, text []byte) (string, []byte) {
		return path.Join("third_party", name), text
	})
	return append(written, imports...), err
}

// copyAll writes the files of an fs.FS into a folder, each as edit names and changes it.
func copyAll(folder string, from fs.FS, edit func(name string, text []byte) (string, []byte)) ([]string, error) {
	var written []string
	err := fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return err //nolint:wrapcheck // wrapped below
		}
		name, text = edit(name, text)
		written = append(written, name)
		return write(filepath.Join(folder, filepath.FromSlash(name)), text)
	})
	if err != nil {
		return written, fmt.Errorf("writing the example: %w", err)
	}
	return written, nil
}

// IsClone reports whether a folder holds this module.
func IsClone(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod")) //nolint:gosec // that is what it is for
	return err == nil && bytes.HasPrefix(text, []byte("module "+remedy+"\n"))
}

func write(name string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec,mnd // source code, for everybody to read
		return err //nolint:wrapcheck // wrapped above
	}
	if err := os.WriteFile(name, text, 0o644); err != nil { //nolint:gosec,mnd // as above
		return err //nolint:wrapcheck // wrapped above
	}
	return nil
}

// goMod is the go.mod of the workspace.
func (m Module) goMod() ([]byte, error) {
	text, err := files.ReadFile("shop/go.mod.tmpl")
	if err != nil {
		return nil, err //nolint:wrapcheck // cannot happen, it is linked in
	}
	version, replace := m.Version, ""
	if m.Replace != "" {
		version, replace = "v0.0.0", "\nreplace "+remedy+" => "+quoted(m.Replace)+"\n"
	}
	if version == "" {
		return nil, errors.New("this build has no version that could be required: name a clone of the repository")
	}
	text = bytes.Replace(text, []byte(remedy+" latest"), []byte(remedy+" "+version), 1)
	return append(text, replace...), nil
}

// quoted writes a path the way go.mod wants it.
func quoted(folder string) string {
	if strings.ContainsAny(folder, " \t'\"`()[]{},") || strings.Contains(folder, "//") {
		return "`" + folder + "`"
	}
	return folder
}
