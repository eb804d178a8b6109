// Package seen says what a client sees of an error, as JSON for the test that ran it.
package seen

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// Slots that the server has errors for.
const (
	Stale = "stale"
	Gone  = "gone"
)

// Wait is how long a client waits for the server, at most.
const Wait = 30 * time.Second

// Error is what can be asked of an error.
type Error struct {
	Type       string   `json:"type"`
	Tool       bool     `json:"tool"` // it is an errs.ToolError, or carried by one
	Domain     string   `json:"domain"`
	Code       string   `json:"code"`
	Rule       string   `json:"rule"`
	Status     string   `json:"status"`
	Actions    []string `json:"actions,omitempty"`
	Preserve   []string `json:"preserve,omitempty"`
	Update     []string `json:"update,omitempty"`
	Message    string   `json:"message"`
	SlotID     string   `json:"slotId,omitempty"`    // what getters say
	Number     int64    `json:"number,omitempty"`    // of a field that was added
	Undeclared int      `json:"undeclared,omitzero"` // how often the contract was said not to list it
}

// Of says what err is.
func Of(err error) Error {
	e := Error{
		Type: fmt.Sprintf("%T", err), Domain: errs.InfoOf(err).Domain, Code: string(errs.CodeOf(err)), Rule: errs.RetryOf(err).String(),
		Status: status.Code(err).String(), Message: err.Error(),
	}
	_, e.Tool = errors.AsType[*errs.ToolError](err)
	plan := errs.PlanOf(err)
	for _, step := range plan.Steps() {
		e.Actions = append(e.Actions, step.Action().String())
	}
	e.Preserve, e.Update = plan.Preserve(), plan.Update()
	return e
}

// Calls are what a client sees of each of its calls, by name.
type Calls map[string]Error

// Main dials the address in the first argument, and writes what calls returns.
func Main(calls func(conn *grpc.ClientConn) (Calls, error)) {
	if err := run(os.Stdout, os.Args[1], calls); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out io.Writer, address string, calls func(conn *grpc.ClientConn) (Calls, error)) error {
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return fmt.Errorf("dialing: %w", err)
	}
	all, err := calls(conn)
	if closing := conn.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(all) //nolint:wrapcheck // there is nothing to add
}
