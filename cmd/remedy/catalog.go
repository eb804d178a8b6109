package main

import (
	"fmt"
	"io"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/catalog"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// catalogCommand is remedy catalog.
type catalogCommand struct {
	Format string `default:"text" enum:"text,json,markdown" help:"Form of the list: text, json or markdown."`
}

// Run writes the catalog, in the order of errors.proto.
func (c *catalogCommand) Run(s *streams) error {
	rows := catalog.Rows()
	switch c.Format {
	case "json":
		return term.JSON(s.out, rows)
	case "markdown":
		if _, err := io.WriteString(s.out, catalog.Markdown(rows)); err != nil {
			return fmt.Errorf("writing the catalog: %w", err)
		}
		return nil
	default:
		p := s.printer()
		catalog.Text(p, rows)
		return p.Err()
	}
}
