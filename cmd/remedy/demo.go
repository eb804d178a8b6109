package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/demo"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
)

// demoCommand is remedy demo.
type demoCommand struct {
	JSON bool `help:"Write JSON, for programs."`
}

// Help is shown by remedy demo --help.
func (c *demoCommand) Help() string {
	return "The demo starts a service with a sample shop on a free port of this host, brings about every error that a tool can " +
		"end with, and shows what Go code matches, what an agent reads and what a caller without our types sees. Where an " +
		"error has a plan, the demo follows it. It fails when anything is not as it should be."
}

// errDemo is a demo that went wrong, which it has written.
var errDemo = errors.New("the demo did not go as it should")

// Run plays the demo.
func (c *demoCommand) Run(ctx context.Context, s *streams) error {
	return playDemo(ctx, s, demo.Options{}, c.JSON)
}

func playDemo(ctx context.Context, s *streams, options demo.Options, asJSON bool) error {
	p := s.printer()
	if !asJSON {
		played := 0
		options.Begun = func(addr string) {
			p.Line(0, "A service with a sample shop listens at "+addr+".")
		}
		options.Played = func(scene *demo.Scene) {
			played++
			scene.Text(p, played)
		}
	}
	transcript, err := demo.Play(ctx, options)
	if err != nil {
		return err
	}
	if asJSON {
		err = term.JSON(s.out, transcript)
	} else {
		conclude(p, transcript)
		err = p.Err()
	}
	if err == nil && !transcript.OK {
		return errDemo
	}
	return err
}

// conclude writes how many of the errors went as they should.
func conclude(p *term.Printer, t *demo.Transcript) {
	good := 0
	for _, scene := range t.Scenes {
		if scene.Problem == "" {
			good++
		}
	}
	p.Gap()
	if t.OK {
		p.Good(fmt.Sprintf("All %d errors were matched by type, and every plan led where it should.", good))
		return
	}
	p.Bad(fmt.Sprintf("Only %d of %d errors went as they should.", good, len(t.Scenes)))
}
