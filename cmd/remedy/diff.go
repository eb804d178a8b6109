package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/compat"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/internal/declared"
)

// diffCommand is remedy catalog diff.
type diffCommand struct {
	Old string `arg:"" help:"Image, or folder of .proto files, that callers were built from."`
	New string `arg:"" help:"Image, or folder of .proto files, that is to take its place."`

	imports

	Format string `default:"text" enum:"text,json" help:"Form of the result: text or json."`
}

// Help says what is refused.
func (*diffCommand) Help() string {
	return `Compares what options declare, which "buf breaking" does not look at; use both.

Refused, with exit code 8, because it breaks who was built before: an error that is removed or moved to another package or
message; another code, status, retry rule, effect or discriminator of an error; a removed case of a built-in one; another effect
of a contract; a contract with effect: true that is removed; another operation_key_field. OLD has to declare something: else
nothing would be compared.

Not refused, and shown: what is new; headline, plan and doc; tool and errors of a contract; a first contract of a method, which
promised nothing before.`
}

// comparison is a comparison as --format json writes it.
type comparison struct {
	Refused  int               `json:"refused"`
	Old      counts            `json:"old"`
	New      counts            `json:"new"`
	Findings []*compat.Finding `json:"findings"`
	Gaps     []string          `json:"gaps,omitempty"`
}

// Run compares two versions.
func (c *diffCommand) Run(ctx context.Context, s *streams) error {
	oldFiles, old, err := c.load(ctx, c.Old)
	if err != nil {
		return err
	}
	newFiles, now, err := c.load(ctx, c.New)
	if err != nil {
		return err
	}
	if counted := countsOf(oldFiles, old); counted.Errors+counted.Contracts == 0 {
		return usageError{fmt.Errorf(
			"%s declares no error and no contract, so nothing would be compared: give what callers were built from", c.Old)}
	}
	result := comparison{
		Old: countsOf(oldFiles, old), New: countsOf(newFiles, now), Findings: []*compat.Finding{},
		Gaps: append(gaps(oldFiles, old), gaps(newFiles, now)...),
	}
	for _, finding := range compat.Compare(old, now) {
		files := newFiles
		if finding.Kind.OfOld() {
			files = oldFiles
			if !files.IsOwn(finding.File) {
				continue // an import that is not needed any more
			}
		}
		finding.File = files.Path(finding.File)
		if finding.Refused {
			result.Refused++
		}
		result.Findings = append(result.Findings, finding)
	}
	if err := c.write(s, &result); err != nil {
		return err
	}
	switch {
	case result.Refused > 0:
		return shownError{foundError{errors.New("changes break callers")}}
	case len(result.Gaps) > 0:
		return shownError{foundError{errors.New("the comparison has gaps, which it lists: what is missing was not compared")}}
	}
	return nil
}

func (c *diffCommand) load(ctx context.Context, path string) (*source.Files, *declared.Set, error) {
	files, err := c.open(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	return files, declared.Read(files.All), nil
}

func (c *diffCommand) write(s *streams, result *comparison) error {
	if c.Format == "json" {
		return term.JSON(s.out, result)
	}
	p := s.printer()
	for _, f := range result.Findings {
		if !f.Refused {
			continue
		}
		p.Title("Refused: " + f.Subject() + ": " + f.What)
		p.Field("at", (&declared.Problem{File: f.File, Line: f.Line, Column: f.Column}).Position())
		p.Field("why", f.Why)
		p.Field("instead", f.Instead)
	}
	if len(result.Findings) > result.Refused {
		p.Title("Also changed")
	}
	for _, f := range result.Findings {
		if !f.Refused {
			p.Item(1, f.Subject()+": "+f.What)
		}
	}
	if len(result.Gaps) > 0 {
		p.Title("What is missing")
	}
	for _, gap := range result.Gaps {
		p.Item(1, gap)
	}
	p.Title(fmt.Sprintf("%s refused, %d other.", plural(result.Refused, "change", "changes"), len(result.Findings)-result.Refused))
	p.Field("old", c.Old+": "+result.Old.String())
	p.Field("new", c.New+": "+result.New.String())
	return p.Err()
}
