package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/catalog"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/internal/declared"
)

// catalogCommand is remedy catalog.
type catalogCommand struct {
	List listCommand `cmd:"" default:"withargs" help:"List errors: those of Remedy, or all that protos or a running service declare."`

	Diff diffCommand `cmd:"" help:"Refuse what breaks callers of declared errors, between two versions of protos."`
}

// listCommand is remedy catalog, and remedy catalog list.
type listCommand struct {
	Proto *string `help:"Folder of .proto files, or an image (FileDescriptorSet, buf image; .json and .gz too)." placeholder:"PATH"`

	protos

	Format string `default:"text" enum:"text,json,markdown" help:"Form of the list: text, json or markdown."`
}

// Help says more.
func (*listCommand) Help() string {
	return `Without --proto and --addr, the errors that Remedy itself has; with one of them, the errors and contracts that protos declare,
those of imports included. "list" may be left out. "remedy catalog diff OLD NEW" compares two versions.

In a folder, what begins with a dot and links to folders are left out; imports are looked for in it, in --import, and among what
remedy carries (remedy/v1, google/protobuf, buf/validate).

By reflection, what no service imports and no contract lists cannot be seen, and some servers drop options. Where that seems to
be so, the list says it under "What is missing" (gaps in JSON), and the exit code is 8.

In JSON, the errors of Remedy are an array, and those of protos an object {errors, methods, gaps, notes}.`
}

// Run writes the catalog. That of Remedy itself is in the order of errors.proto.
func (c *listCommand) Run(ctx context.Context, s *streams) error {
	if c.Proto == nil && c.Addr == nil {
		rows := catalog.Rows()
		return c.write(s, rows, func(p *term.Printer) { catalog.Text(p, rows) }, func() string { return catalog.Markdown(rows) })
	}
	files, err := c.read(ctx, c.Proto)
	if err != nil {
		return err
	}
	set := declared.Read(files.All)
	listing := catalog.Of(set, files.Path)
	if len(listing.Errors)+len(listing.Methods) == 0 {
		return nothing(files, set, c.name(c.Proto))
	}
	listing.Gaps, listing.Notes = gaps(files, set), notes(files, set)
	if err := c.write(s, listing, listing.Text, listing.Markdown); err != nil {
		return err
	}
	if len(listing.Gaps) > 0 {
		return foundError{errors.New("the catalog has gaps, which it lists: do not take it for all there is")}
	}
	return nil
}

func (c *listCommand) write(s *streams, value any, text func(*term.Printer), markdown func() string) error {
	switch c.Format {
	case "json":
		return term.JSON(s.out, value)
	case "markdown":
		if _, err := io.WriteString(s.out, markdown()); err != nil {
			return fmt.Errorf("writing the catalog: %w", err)
		}
		return nil
	default:
		p := s.printer()
		text(p)
		return p.Err()
	}
}
