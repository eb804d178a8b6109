package server

import (
	"errors"
	"fmt"
	"slices"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/ledger"
)

// Op is the operation that a hook works on. A test of a hook may make one by hand.
type Op struct {
	// ID is the server's name for the operation, at most 36 characters. It is the same in Execute, the effect, Recover and
	// Verify, and makes a good key for whatever the effect calls. Empty in Authorize and in tools that only read.
	ID string
	// Key is the operation key: the caller's, or what Key of the tool returned. Empty in tools that only read.
	Key string
	// Attempt numbers the tries at an operation; it only ever grows. Zero in Authorize and in tools that only read.
	Attempt int64
	// Tool is the name of the tool.
	Tool string
	// Principal and Tenant say who is calling, as package auth does; empty where nobody was asked.
	Principal, Tenant string
	// Journaled is what Journal kept, in Recover; nil where it kept nothing.
	Journaled []byte

	journal  []byte
	crossed  bool      // it is too late for a note
	reporter *reporter // nil where nobody is told
}

// Journal keeps a note, at most 4 KiB, with the crossing, for Recover to find in Journaled: a number that the other system
// gave, say. It is for Execute; a later note takes the place of an earlier one. It fails where the note is too long, and
// past the boundary, where it would be lost.
func (o *Op) Journal(note []byte) error {
	if o.crossed {
		return errors.New("the operation is past its boundary: keep the note in Execute")
	}
	if len(note) > ledger.MaxJournal {
		return fmt.Errorf("the note has %d bytes, at most %d are kept", len(note), ledger.MaxJournal)
	}
	o.journal = slices.Clone(note)
	return nil
}

// NotApplied says, as the error of an effect, that it provably did nothing and never will, for instance because the
// connection was refused. err is what the caller gets, and the key may be used again.
//
// Past the boundary no status leaves that something on the way might answer with a retry. So a typed error that would be
// UNAVAILABLE is sent as ABORTED where it is a ToolError, and as the cause of a not_applied error otherwise.
func (o *Op) NotApplied(err error) error {
	if err == nil {
		err = errors.New("not applied")
	}
	return &notAppliedError{op: o, err: sound("the effect", err)}
}

type notAppliedError struct {
	op  *Op
	err error
}

func (e *notAppliedError) Error() string { return "not applied: " + errs.Message(e.err) }
func (e *notAppliedError) Unwrap() error { return e.err }

// notApplied returns what an effect states not to have applied, nil where it states nothing. A statement that is joined
// with other errors is none: one of them may say the opposite.
func notApplied(err error, op *Op) error {
	for err != nil {
		if e, ok := err.(*notAppliedError); ok && e.op == op { //nolint:errorlint // joins are not looked into
			return e.err
		}
		err = errors.Unwrap(err)
	}
	return nil
}
