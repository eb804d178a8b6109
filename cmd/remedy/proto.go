package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remedyrpc/remedy/proto"
)

// protoCommand is remedy proto.
type protoCommand struct {
	Dir string `arg:"" help:"Folder that imports begin in; the files go to remedy/v1 below it."`

	Force bool `help:"Overwrite files that are different."`
}

// Help says what for.
func (*protoCommand) Help() string {
	return `Writes remedy/v1/options.proto, repair.proto and errors.proto below DIR. A file that is there and the same is left alone; one
that is different is kept, and nothing is written at all, without --force.`
}

// contractFile is one file to be written.
type contractFile struct {
	name, path string
	text       []byte
	same       bool
}

// Run writes the protos, all of them or none.
func (c *protoCommand) Run(s *streams) error {
	if c.Dir == "" {
		return usageError{errors.New("the name is empty: give the folder that imports begin in")}
	}
	files, err := c.plan()
	if err != nil {
		return err
	}
	p := s.printer()
	for _, file := range files {
		if file.same {
			p.Line(0, "unchanged "+file.path)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file.path), 0o755); err != nil {
			return fmt.Errorf("writing %s: %w", file.name, err)
		}
		if err := os.WriteFile(file.path, file.text, 0o644); err != nil {
			return fmt.Errorf("writing %s: %w", file.name, err)
		}
		p.Line(0, "wrote "+file.path)
	}
	return p.Err()
}

// plan looks at what is there before anything is written.
func (c *protoCommand) plan() ([]*contractFile, error) {
	var files []*contractFile
	err := fs.WalkDir(proto.Contract(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file := &contractFile{name: name, path: filepath.Join(c.Dir, filepath.FromSlash(name))}
		if file.text, err = fs.ReadFile(proto.Contract(), name); err != nil {
			return err //nolint:wrapcheck // it cannot be: the files are part of the program
		}
		files = append(files, file)
		return file.look(c.Force)
	})
	return files, err //nolint:wrapcheck // look says what there is to say
}

// look compares the file with what is in its place.
func (f *contractFile) look(force bool) error {
	there, err := os.ReadFile(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("comparing with what is there: %w", err)
	}
	f.same = bytes.Equal(there, f.text)
	if f.same || force {
		return nil
	}
	return fmt.Errorf("%s is there and different, so nothing was written: look at it, and add --force to overwrite it", f.path)
}
