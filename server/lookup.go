package server

import (
	"context"
	"errors"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/server/ledger"
)

const (
	// inFlightWait is how long a call waits for an equal one that runs.
	inFlightWait = 2 * time.Second
	// inFlightDelay is how long its caller should wait before it asks again.
	inFlightDelay = time.Second
	// longestWait is how long a wait goes on before the row is read again: the lease of its owner may be out.
	longestWait = time.Second
	// maxWaiting is how many calls wait for one operation.
	maxWaiting = 64
)

// What a row means for a call.
type meaning int

const (
	mayExecute meaning = iota
	isKnown            // past the boundary, or with a receipt, and nobody works on it
	hasChanged         // it did, or may have: it is to be read again
)

// lookup answers a call whose operation is known, where its claim would not: an input that matches no schema of today claims
// nothing, and while the ledger answers no claims, what it knows is read all the same. Of any other call the claim says what is
// known, in the same step.
func (s *Server) lookup(ctx context.Context, c *call) error {
	if c.invalid == nil && !s.mute.Load() {
		return nil
	}
	return s.known(ctx, c)
}

// known answers a call whose operation is known: with its result, with a wait for it, or with a refusal. It returns without an
// answer where the call may execute. It is asked before a call that would execute is refused for another reason.
func (s *Server) known(ctx context.Context, c *call) error {
	if !c.tool.effect {
		return nil
	}
	row, err := s.get(ctx, c.name())
	if err != nil {
		return unavailable(ctx, c.tool.name, err)
	}
	return s.knownAs(ctx, c, row)
}

// knownAs does so from a row that was read.
func (s *Server) knownAs(ctx context.Context, c *call, row ledger.Row) error {
	waiting, cancel := context.WithTimeout(ctx, inFlightWait)
	defer cancel()
	place := place{of: &s.waiters}
	defer place.leave()
	for {
		c.row = row
		what, err := s.judgeRow(waiting, c, &place)
		if err == nil && what == isKnown {
			what, err = s.answerFrom(ctx, c)
		}
		if err != nil || what != hasChanged {
			return err
		}
		// Time has passed: who may see the result is asked again.
		if err := s.authorize(ctx, c); err != nil {
			if ctx.Err() != nil {
				return c.inFlight(err)
			}
			return err
		}
		switch row, err = s.get(ctx, c.name()); {
		case err == nil:
		case place.id != "": // that it waited for is what its caller has to know
			return c.inFlight(err)
		default:
			return unavailable(ctx, c.tool.name, err)
		}
	}
}

// judgeRow says what the row of a call means for it, after a wait where somebody works on it.
func (s *Server) judgeRow(waiting context.Context, c *call, place *place) (meaning, error) {
	switch row := &c.row; {
	case row.State == ledger.None:
		return mayExecute, c.invalid
	case row.State == ledger.Free:
		return mayExecute, c.freedBy(place)
	case row.Sent != c.digest:
		return mayExecute, &errs.ServiceError{Code: errs.CodeOperationConflict, Subject: c.tool.name}
	case c.invalid != nil && !pastClaim(row):
		return mayExecute, c.invalid // it has passed no version of the schema for certain
	case row.State == ledger.Claimed && !row.Leased:
		return mayExecute, nil // its owner is gone
	case row.State == ledger.Claimed, row.State == ledger.Effect && row.Leased:
		return hasChanged, s.waitFor(waiting, c, place)
	default:
		return isKnown, nil
	}
}

// pastClaim reports whether an operation is, or was, past its boundary.
func pastClaim(row *ledger.Row) bool {
	switch row.State {
	case ledger.Effect, ledger.Done, ledger.Unknown, ledger.Closed:
		return true
	case ledger.Claimed:
		return row.Crossings > 0
	default:
		return false
	}
}

// freedBy answers a call that waited for an operation with the failure that freed it; a call that did not may execute.
func (c *call) freedBy(place *place) error {
	if place.id != "" && place.id == c.row.ID {
		failure := place.failure()
		if failure == nil {
			failure = failureOf(&c.row)
		}
		if failure != nil {
			c.freed = true
			return failure
		}
	}
	c.row = ledger.Row{} // of an operation that is no more
	return c.invalid
}

// failureOf is the error that freed a row, as another process kept it; nil where other calls should not share it.
func failureOf(row *ledger.Row) error {
	var p spb.Status
	if len(row.Failure.Status) == 0 || proto.Unmarshal(row.Failure.Status, &p) != nil {
		return nil //nolint:nilerr // as the comment says
	}
	return errs.FromStatus(status.FromProto(&p))
}

// waitFor waits until the row has changed or its lease may be out, for as long as the call may. Who waits holds up nobody.
func (s *Server) waitFor(waiting context.Context, c *call, place *place) error {
	if !place.enter(c.row.ID) {
		return c.inFlight(errors.New("too many calls wait for the operation"))
	}
	resume := limits.Yield(waiting)
	defer resume()
	limited, cancel := context.WithTimeout(waiting, longestWait)
	defer cancel()
	switch err := s.ledger.Wait(limited, c.name(), c.row.Version); {
	case waiting.Err() != nil:
		return c.inFlight(waiting.Err())
	case err != nil && limited.Err() == nil:
		return c.inFlight(err)
	default:
		return nil
	}
}

func (c *call) inFlight(cause error) error {
	return &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: c.row.ID, RetryAfter: inFlightDelay, Cause: cause}
}

// answerFrom answers a call from a row past the boundary that nobody works on.
func (s *Server) answerFrom(ctx context.Context, c *call) (meaning, error) {
	announce(ctx, c.row.ID)
	switch c.row.State {
	case ledger.Done:
		if dropped := c.row.Receipt.Omitted; dropped == ledger.Dropped || dropped == ledger.Purged {
			return isKnown, &errs.ServiceError{Code: errs.CodeOperationExpired, Subject: c.tool.name}
		}
		c.answered, c.replayed, c.receipt = true, true, c.row.Receipt
		return isKnown, nil
	case ledger.Closed:
		what, err := s.lookFor(ctx, c, "")
		if errs.CodeOf(err) == errs.CodeOutcomeUnknown && ctx.Err() == nil { // as a person said
			err = &errs.ServiceError{Code: errs.CodeOperationClosed, Subject: c.tool.name}
		}
		return what, err
	case ledger.Effect:
		return s.lookFor(ctx, c, "the outcome of the first call could not be found out yet")
	default:
		return s.lookFor(ctx, c, "the outcome of the first call is still unknown")
	}
}

// lookFor looks what became of an operation past its boundary, where that is allowed now, and answers from it. It never
// executes, but for a tool that dedupes on the operation id.
func (s *Server) lookFor(ctx context.Context, c *call, still string) (meaning, error) {
	w := c.work()
	switch {
	case !c.worthALook():
		return isKnown, w.outcomeUnknown(still, w.reason())
	case c.row.State == ledger.Effect && c.lost: // the next equal call looks, and may execute again
		return isKnown, c.inFlight(errors.New("the lease of the call was out"))
	}
	got, err := s.beginRecovery(ctx, c.tool, c.row.Key)
	switch {
	case err != nil:
		return isKnown, w.outcomeUnknown(still, err)
	case got.row.ID != c.row.ID, !got.ok && got.row.State != c.row.State, !got.ok && got.row.Leased:
		return hasChanged, nil
	case !got.ok: // somebody looked just now
		return isKnown, w.outcomeUnknown(still, w.reason())
	}
	c.row = got.row
	w = s.workOf(&got.row)
	if (len(got.row.Input) == 0 || c.tool.schema.HasSecrets()) && c.unreadable == nil {
		w.in, w.unfit = c.in, nil
	}
	settled := make(chan settlement, 1)
	s.carrying.begin()
	go s.carryOn(context.WithoutCancel(ctx), ctx, w, settled)
	if err := s.await(ctx, c, settled, still); err != nil {
		return isKnown, err
	}
	if c.replayed = c.answered; c.claimed {
		c.in = w.in // it is executed again, as it was
		return mayExecute, nil
	}
	return isKnown, nil
}

// worthALook reports whether something could come of a look at what became of the operation.
func (c *call) worthALook() bool {
	return c.row.State == ledger.Effect || c.tool.recover != nil || c.mayRedo()
}

// beginRecovery asks to be the one that looks what became of an operation of a tool.
func (s *Server) beginRecovery(ctx context.Context, tool *AnyTool, key ledger.Key) (moved, error) {
	recovery := ledger.Recovery{
		Key: key, Attempt: newAttempt(), Lease: tool.timeouts.recoverLease(), Every: s.config.recheckInterval,
	}
	return ask(ctx, "recover", func(ctx context.Context) (ledger.Row, bool, error) { return s.ledger.Recover(ctx, recovery) })
}
