package source

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	_ "buf.build/gen/go/bufbuild/protovalidate/protocolbuffers/go/buf/validate" // found where it is imported
	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/reporter"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	_ "github.com/remedyrpc/remedy/gen/remedy/v1" // found where it is imported
)

// Bounds of a folder. The largest public collections of protos are well below them.
const (
	maxProto  = 8 << 20 // bytes
	maxProtos = 20_000
)

// tree is a folder of protos, and where the rest of what they import is.
type tree struct {
	dir     string
	imports []string
	own     map[string]string // where the files of the folder are, by the names that imports have for them

	mu       sync.Mutex              // the compiler works on several files at once, and on some of them after it has given up
	paths    map[string]string       // where the files are that were read
	below    map[string]bool         // the folders in the folder that imports seem to begin in
	problems []reporter.ErrorWithPos // what the compiler refuses
}

func folder(ctx context.Context, dir string, imports []string) (*Files, error) {
	t := &tree{dir: dir, imports: imports, own: make(map[string]string), paths: make(map[string]string), below: make(map[string]bool)}
	for _, each := range imports {
		if info, err := os.Stat(each); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--import: %q is no folder: give the one that imports begin in", each)
		}
	}
	if err := t.walk(); err != nil {
		return nil, err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(protocompile.ResolverFunc(t.find)),
		SourceInfoMode: protocompile.SourceInfoStandard | protocompile.SourceInfoExtraOptionLocations,
		Reporter:       reporter.NewReporter(t.refuse, nil),
	}
	var names []string
	for name := range t.own {
		names = append(names, name)
	}
	slices.Sort(names)
	compiled, err := compiler.Compile(ctx, names...)
	if err != nil {
		return nil, t.explain(err)
	}
	own := make([]protoreflect.FileDescriptor, len(compiled))
	for i, file := range compiled {
		own[i] = file
	}
	f := newFiles(Folder, own)
	f.paths = t.paths
	return f, nil
}

// walk finds the files of the folder. Links to folders are not followed, so that a loop of them does no harm.
func (t *tree) walk() error {
	err := fs.WalkDir(os.DirFS(t.dir), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".proto":
			return nil
		}
		file := filepath.Join(t.dir, filepath.FromSlash(name))
		if name, err = t.name(name); err != nil {
			return err
		}
		if other := t.own[name]; other != "" {
			return fmt.Errorf("%s and %s are both %q to an import: check their folders apart", other, file, name)
		}
		t.own[name] = file
		if len(t.own) > maxProtos {
			return fmt.Errorf("more than %d protos: give a folder further down", maxProtos)
		}
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("looking for protos in %s: %w", t.dir, err)
	case len(t.own) == 0:
		return fmt.Errorf("%s holds no .proto file (folders whose names begin with a dot, and links to folders, are left out): "+
			"give the folder that the protos are in", t.dir)
	}
	return nil
}

// name is what an import calls a file of the folder: its path below the innermost --import around it, else below the folder.
func (t *tree) name(below string) (string, error) {
	full, err := filepath.Abs(filepath.Join(t.dir, filepath.FromSlash(below)))
	if err != nil {
		return "", err //nolint:wrapcheck // it is about the working directory
	}
	name := below
	for _, each := range t.imports {
		root, err := filepath.Abs(each)
		if err != nil {
			return "", err //nolint:wrapcheck // it is about the working directory
		}
		relative, err := filepath.Rel(root, full)
		if err == nil && filepath.IsLocal(relative) && (name == below || len(relative) < len(name)) {
			name = filepath.ToSlash(relative)
		}
	}
	return name, nil
}

// find is asked for every file and every import. Nothing outside the folders is read, whatever an import says.
func (t *tree) find(name string) (protocompile.SearchResult, error) {
	if file := t.own[name]; file != "" {
		return t.read(name, file)
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return protocompile.SearchResult{}, errors.New("an import is a relative path without .. in it")
	}
	for _, root := range slices.Concat([]string{t.dir}, t.imports) {
		file := filepath.Join(root, filepath.FromSlash(name))
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			return t.read(name, file)
		}
	}
	t.lookBelow(name)
	if strings.HasPrefix(name, "google/protobuf/") {
		return protocompile.SearchResult{}, protoregistry.NotFound // where protocompile has its own
	}
	linked, err := protoregistry.GlobalFiles.FindFileByPath(name)
	if err != nil {
		return protocompile.SearchResult{}, errors.New("it is not there: add --import with the folder that this path begins in, " +
			"or give an image, which has its imports, as `buf build -o image.binpb` makes it")
	}
	return protocompile.SearchResult{Proto: protodesc.ToFileDescriptorProto(linked)}, nil
}

// lookBelow looks for a file that an import would mean if the import began further down.
func (t *tree) lookBelow(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, file := range t.own {
		if root, ok := strings.CutSuffix(filepath.ToSlash(file), "/"+name); ok {
			t.below[root] = true
		}
	}
}

func (t *tree) read(name, file string) (protocompile.SearchResult, error) {
	t.mu.Lock()
	t.paths[name] = file
	t.mu.Unlock()
	info, err := os.Stat(file)
	if err != nil {
		return protocompile.SearchResult{}, err //nolint:wrapcheck // it names the file
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait
		return protocompile.SearchResult{}, fmt.Errorf("%s is no file", file)
	}
	text, err := readFile(file, maxProto)
	if err != nil {
		return protocompile.SearchResult{}, err
	}
	if !utf8.Valid(text) { // the compiler panics on some of it
		return protocompile.SearchResult{}, fmt.Errorf("%s is no proto: it is not UTF-8", file)
	}
	return protocompile.SearchResult{Source: bytes.NewReader(text)}, nil
}

// readFile reads a file of at most so many bytes.
func readFile(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err //nolint:wrapcheck // it names the file
	}
	defer f.Close() //nolint:errcheck // nothing was written
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return nil, err //nolint:wrapcheck // it names the file
	case int64(len(text)) > most:
		return nil, fmt.Errorf("%s has more than %d bytes: leave it out, or split it", file, most)
	}
	return text, nil
}

// refuse is told of one problem at a time.
func (t *tree) refuse(err reporter.ErrorWithPos) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.problems = append(t.problems, err)
	return nil // go on
}

// explain says where the first problem is, and how many there are: the compiler finds them in any order.
func (t *tree) explain(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	found := slices.Clone(t.problems)
	if failed, ok := errors.AsType[protocompile.PanicError](err); ok {
		return fmt.Errorf("%s: the compiler gives up on it (%v): look for what is no proto in it", t.path(failed.File), failed.Value)
	}
	if placed, ok := errors.AsType[reporter.ErrorWithPos](err); ok && len(found) == 0 {
		found = append(found, placed) // an import that is not there
	}
	if len(found) == 0 {
		return fmt.Errorf("compiling the protos of %s: %w", t.dir, err)
	}
	slices.SortStableFunc(found, func(a, b reporter.ErrorWithPos) int {
		x, y := a.GetPosition(), b.GetPosition()
		if x.Filename != y.Filename {
			return strings.Compare(x.Filename, y.Filename)
		}
		return x.Offset - y.Offset
	})
	first, more := found[0], ""
	if len(found) > 1 {
		more = fmt.Sprintf(" (and %d more)", len(found)-1)
	}
	if roots := slices.Sorted(maps.Keys(t.below)); len(roots) > 0 {
		more += "; imports seem to begin in " + strings.Join(roots, " and ") + ": check each of these folders by itself, or add --import for it"
	}
	if strings.Contains(first.Unwrap().Error(), "edition value") {
		more += "; buf may know it: give the image that `buf build -o image.binpb` makes"
	}
	at := first.GetPosition()
	return fmt.Errorf("%s:%d:%d: %w%s", t.path(at.Filename), at.Line, at.Col, first.Unwrap(), more)
}

func (t *tree) path(name string) string { return cmp.Or(t.paths[name], name) }
