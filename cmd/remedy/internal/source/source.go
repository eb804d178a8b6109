// Package source reads the descriptors of protos from where they are: a folder, an image, or a running service.
//
// It trusts none of them: what is too large, what does not end and what does not belong together is an error that says where
// and what to do about it.
package source

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Kind says where protos come from.
type Kind string

// The kinds. Only of a folder it is certain that no option is missing: an image may have been filtered, and some servers drop
// options from what they reflect.
const (
	Folder Kind = "folder"
	Image  Kind = "image"
	Server Kind = "server"
)

// Files are protos that belong together.
type Files struct {
	// All are the files that were asked for, and then those that they import, each part sorted by path.
	All []protoreflect.FileDescriptor
	// Kind says where they come from.
	Kind Kind
	// Undescribed are the services that a server lists and has no description of.
	Undescribed []protoreflect.FullName

	own   map[string]bool
	paths map[string]string
}

// Own is the number of files that were asked for; of a server, that it has.
func (f *Files) Own() int { return len(f.own) }

// IsOwn reports whether a file was asked for; the others are only imported. The name is that of the import.
func (f *Files) IsOwn(name string) bool { return f.own[name] }

// Path is where a file is; its name where only that is known.
func (f *Files) Path(name string) string { return cmp.Or(f.paths[name], name) }

// Open reads a folder of protos, or an image. Imports are looked for in the folder, then in the folders of imports, and then
// among the files that this program carries: remedy/v1 and google/protobuf, and some of what protos commonly import.
func Open(ctx context.Context, path string, imports ...string) (*Files, error) {
	info, err := os.Stat(path)
	switch {
	case path == "":
		return nil, errors.New("the name is empty: give a folder of .proto files, or an image")
	case err != nil:
		return nil, err //nolint:wrapcheck // it names the path
	case info.IsDir():
		return folder(ctx, path, imports)
	case filepath.Ext(path) == ".proto":
		return nil, fmt.Errorf("%s is one proto: give the folder that its imports begin in", path)
	default:
		return image(path)
	}
}

// newFiles sorts files and completes them with what they import.
func newFiles(kind Kind, own []protoreflect.FileDescriptor) *Files {
	f := &Files{Kind: kind, own: make(map[string]bool), paths: make(map[string]string)}
	for _, file := range own {
		f.own[file.Path()] = true
	}
	seen := make(map[string]bool)
	var add func(protoreflect.FileDescriptor)
	add = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] || file.IsPlaceholder() {
			return
		}
		seen[file.Path()] = true
		f.All = append(f.All, file)
		for i := range file.Imports().Len() {
			add(file.Imports().Get(i).FileDescriptor)
		}
	}
	for _, file := range own {
		add(file)
	}
	slices.SortFunc(f.All, func(a, b protoreflect.FileDescriptor) int {
		if x, y := f.own[a.Path()], f.own[b.Path()]; x != y {
			if x {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Path(), b.Path())
	})
	return f
}
