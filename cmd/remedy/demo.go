package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

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
		"error has a plan, the demo follows it.\n\n" +
		"Then it starts the service in a process of its own, on an SQLite file in a temporary folder, kills it after an effect " +
		"and before the answer, starts it again, and makes the same call under the same key: the effect took place once, and " +
		"the call gets its result, by itself or after an operator has looked. Nothing is left behind.\n\n" +
		"It takes a few seconds, needs nothing else installed, and fails when anything is not as it should be."
}

// errDemo is a demo that went wrong, which it has written.
var errDemo = errors.New("the demo did not go as it should")

// Run plays the demo.
func (c *demoCommand) Run(ctx context.Context, s *streams) error {
	// What would end this process at once would leave a folder behind. A pipe that nobody reads any more is an error of the
	// writer then; that of a connection to a killed process is one, too, and nothing to end for.
	ends := []os.Signal{syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	defer stop()
	pipes := make(chan os.Signal, 1)
	signal.Notify(pipes, syscall.SIGPIPE)
	defer signal.Stop(pipes)
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
		options.Told = func(chapter *demo.Chapter) {
			played++
			chapter.Text(p, played)
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

// conclude writes how much of it went as it should.
func conclude(p *term.Printer, t *demo.Transcript) {
	good, told := 0, 0
	for _, scene := range t.Scenes {
		if scene.Problem == "" {
			good++
		}
	}
	for _, chapter := range t.Story {
		if chapter.Problem == "" {
			told++
		}
	}
	p.Gap()
	if good == len(t.Scenes) {
		p.Good(fmt.Sprintf("All %d errors were matched by type, and every plan led where it should.", good))
	} else {
		p.Bad(fmt.Sprintf("Only %d of %d errors went as they should.", good, len(t.Scenes)))
	}
	if told == len(t.Story) {
		p.Good(fmt.Sprintf("The service was killed after %d effects: each took place once, and its key got its result.", told))
	} else {
		p.Bad(fmt.Sprintf("Only %d of %d kills of the service ended as they should.", told, len(t.Story)))
	}
}
