package main

import (
	"context"
	"errors"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/source"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	"github.com/remedyrpc/remedy/internal/declared"
	"github.com/remedyrpc/remedy/internal/generate"
)

// lintCommand is remedy lint.
type lintCommand struct {
	Path *string `arg:"" help:"Folder of .proto files, or an image (FileDescriptorSet, buf image; .json and .gz too)." optional:""`

	protos

	ExternalTools []string `help:"Tool that plans may name although no contract has it; may be repeated." placeholder:"NAME"`

	Format string `default:"text" enum:"text,json" help:"Form of the result: text or json."`
}

// Help says what is checked.
func (*lintCommand) Help() string {
	return `Finds in the errors and contracts that protos declare what protoc-gen-remedy refuses, names that Go could not have among
it, each with its place and what to write instead, and exits with code 8 when there is something. Of a service that is asked
by reflection, places are not known. Protos that declare nothing are not fine: they are taken for the wrong folder.`
}

// linted is what was found, as --format json writes it.
type linted struct {
	counts

	Problems []*declared.Problem `json:"problems"`
	Gaps     []string            `json:"gaps,omitempty"`
	Notes    []string            `json:"notes,omitempty"`
}

// Run checks what protos declare.
func (c *lintCommand) Run(ctx context.Context, s *streams) error {
	files, err := c.read(ctx, c.Path)
	if err != nil {
		return err
	}
	set := declared.Read(files.All)
	result := linted{
		counts: countsOf(files, set), Problems: []*declared.Problem{}, Gaps: gaps(files, set), Notes: notes(files, set),
	}
	for _, e := range set.Errors {
		if e.IsBuiltin() && files.IsOwn(e.Message.ParentFile().Path()) {
			result.Errors-- // a copy of the contract, which is not checked
		}
	}
	if result.Errors+result.Contracts == 0 {
		return nothing(files, set, c.name(c.Path))
	}
	// What is only imported is checked by whoever owns it, with all that belongs to it.
	problems := set.Check(declared.WithExternalTools(c.ExternalTools...), declared.WithFiles(files.IsOwn))
	inGo, err := generate.Lint(files.All, files.IsOwn)
	if err != nil {
		return usageError{err}
	}
	for _, problem := range declared.Sort(append(problems, inGo...)) {
		problem.File = files.Path(problem.File)
		result.Problems = append(result.Problems, problem)
	}
	if err := c.write(s, &result); err != nil {
		return err
	}
	switch {
	case len(result.Problems) > 0:
		return shownError{foundError{errors.New("problems were found")}}
	case len(result.Gaps) > 0:
		return shownError{foundError{errors.New("the protos have gaps: what is missing was not checked")}}
	}
	return nil
}

func (c *lintCommand) write(s *streams, result *linted) error {
	if c.Format == "json" {
		return term.JSON(s.out, result)
	}
	p := s.printer()
	for _, problem := range result.Problems {
		p.Code(0, problem.String()) // one line each, for editors
	}
	for _, gap := range result.Gaps {
		p.Item(0, "missing: "+gap)
	}
	for _, note := range result.Notes {
		p.Item(0, "note: "+note)
	}
	p.Line(0, plural(len(result.Problems), "problem", "problems")+" in "+result.String()+".")
	return p.Err()
}

// counts says how much was looked at.
type counts struct {
	Files     int `json:"files"`
	Errors    int `json:"errors"`
	Contracts int `json:"contracts"`
}

func countsOf(files *source.Files, set *declared.Set) counts {
	c := counts{Files: files.Own()}
	for _, e := range set.Errors {
		if files.IsOwn(e.Message.ParentFile().Path()) {
			c.Errors++
		}
	}
	for _, m := range set.Methods {
		if m.Contract != nil && files.IsOwn(m.Method.ParentFile().Path()) {
			c.Contracts++
		}
	}
	return c
}

func (c counts) String() string {
	return plural(c.Files, "file", "files") + " with " + plural(c.Errors, "error", "errors") + " and " +
		plural(c.Contracts, "contract", "contracts")
}
