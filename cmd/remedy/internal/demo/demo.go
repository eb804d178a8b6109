// Package demo plays every error that a tool can end with: it starts a service in this process, calls its tools over TCP
// with package client, and shows what Go code matches, what an agent reads and what a caller sees that has never heard
// of Remedy. Where an error says how to repair the call, the demo does that and calls again.
//
// Then it tells what the ledger is for: it starts the service in processes of their own, kills them between an effect and its
// answer, and shows what an equal call gets from the next one.
package demo

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"time"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
)

// Options say what the demo runs on. The zero value is ready for use.
type Options struct {
	// Listener is what the service listens at; nil means a free port of the loopback interface.
	Listener net.Listener
	// Dial connects to it; nil means by TCP.
	Dial func(ctx context.Context, addr string) (net.Conn, error)
	// Begun is told where the service listens, before the first scene; nil tells nobody.
	Begun func(addr string)
	// Played is told of each scene when it is over; nil tells nobody.
	Played func(scene *Scene)
	// Command makes the command that starts a service in a process of its own, given its arguments; it ends with ctx. Nil means
	// this program.
	Command func(ctx context.Context, args ...string) (*exec.Cmd, error)
	// Told is told of each chapter of the story when it is over; nil tells nobody.
	Told func(chapter *Chapter)
}

// Transcript is what happened.
type Transcript struct {
	// OK says that every scene and every chapter went as it should.
	OK bool `json:"ok"`
	// Addr is where the service listened.
	Addr   string   `json:"addr"`
	Scenes []*Scene `json:"scenes"`
	// Story is what became of calls whose service was killed.
	Story []*Chapter `json:"story"`
}

// Scene is one error, and what came of it.
type Scene struct {
	// Code is the code that the scene is about, Why the reason that the shop has for it.
	Code string `json:"code"`
	Why  string `json:"why"`
	// Call is the call that fails, Principal who makes it.
	Principal string `json:"principal"`
	Call      *Call  `json:"call"`
	// Matched says that the expected Go type and values were matched.
	Matched bool `json:"matched"`
	// Error is the error; what it holds under plain was received by another client, without any of our code.
	Error *report.Report `json:"error,omitempty"`
	// Repair are the calls that the plan asked for, the last one being the retry, or what reconciling found.
	Repair []*Call `json:"repair,omitempty"`
	// Found is what the shop itself says in the end; empty where there is nothing to add.
	Found string `json:"found,omitempty"`
	// Problem says what did not go as it should; empty when everything did.
	Problem string `json:"problem,omitempty"`
}

// limit is how long the scenes may take, and each chapter.
const limit = time.Minute

// Play plays all scenes and tells the story. It fails when the service of the scenes cannot be started; what goes wrong after
// that is in the transcript.
func Play(ctx context.Context, options Options) (*Transcript, error) {
	t := &Transcript{OK: true}
	if err := t.play(ctx, options); err != nil {
		return nil, err
	}
	t.tell(ctx, options)
	return t, nil
}

func (t *Transcript) play(ctx context.Context, options Options) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s, err := start(ctx, options)
	if err != nil {
		return fmt.Errorf("starting the demo: %w", err)
	}
	defer s.stop()
	t.Addr = s.addr
	if options.Begun != nil {
		options.Begun(s.addr)
	}
	for i := range script() {
		scene := s.play(ctx, &script()[i])
		t.OK = t.OK && scene.Problem == ""
		t.Scenes = append(t.Scenes, scene)
		if options.Played != nil {
			options.Played(scene)
		}
	}
	return nil
}
