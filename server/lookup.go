package server

import (
	"context"
	"errors"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
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

// lookup answers a call whose operation is known: with its result, with a wait for it, or with a refusal. It returns
// without an answer where the call may execute.
func (s *Server) lookup(ctx context.Context, c *call) error {
	if !c.tool.effect {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, inFlightWait)
	defer cancel()
	place := place{of: &s.waiters}
	defer place.leave()
	for {
		row, err := s.ledger.Get(ctx, c.name())
		if err != nil {
			return unavailable(c.tool.name, err)
		}
		c.row = row
		switch answer, err := s.judgeRow(waiting, c, &place); {
		case err != nil, answer == answerNone:
			return err
		case answer == answerKnown:
			return s.answerFrom(ctx, c)
		}
		// Time has passed: who may see the result is asked again.
		if err := s.authorize(ctx, c); err != nil {
			return err
		}
	}
}

// What a row means for a call.
const (
	answerNone  = iota // the call may execute
	answerKnown        // the row is past the boundary, and nobody works on it
	answerWait         // somebody did, and the row is to be read again
)

// judgeRow says what the row of a call means for it, after a wait where somebody works on it.
func (s *Server) judgeRow(waiting context.Context, c *call, place *place) (int, error) {
	switch row := &c.row; {
	case row.State == ledger.None:
		return answerNone, c.invalid
	case row.State == ledger.Free:
		return answerNone, c.freedBy(place)
	case row.Sent != c.digest:
		return answerNone, &errs.ServiceError{Code: errs.CodeOperationConflict, Subject: c.tool.name}
	case row.State == ledger.Claimed && c.invalid != nil:
		return answerNone, c.invalid // it has passed no version of the schema for certain
	case row.State == ledger.Claimed && !row.Leased:
		return answerNone, nil // its owner is gone, and did nothing
	case row.State == ledger.Claimed, row.State == ledger.Effect && row.Leased:
		return answerWait, s.waitFor(waiting, c, place)
	default:
		return answerKnown, nil
	}
}

// freedBy answers a call that waited for an operation with the failure that freed it; a call that did not may execute.
func (c *call) freedBy(place *place) error {
	row := c.row
	if place.id == "" || place.id != row.ID {
		c.row = ledger.Row{}
		return c.invalid
	}
	failure := place.failure()
	if failure == nil {
		failure = failureOf(row)
	}
	if failure == nil { // nothing that another call should share
		c.row = ledger.Row{}
		return c.invalid
	}
	c.freed = true
	return failure
}

// failureOf is the error that freed a row, as another process kept it.
func failureOf(row ledger.Row) error {
	var p spb.Status
	if len(row.Failure.Status) == 0 || proto.Unmarshal(row.Failure.Status, &p) != nil {
		return nil //nolint:nilerr // as the comment says
	}
	return errs.FromStatus(status.FromProto(&p))
}

// waitFor waits for the owner of the row, for as long as the call may.
func (s *Server) waitFor(ctx context.Context, c *call, place *place) error {
	if !place.enter(c.row.ID) {
		return c.inFlight(errors.New("too many calls wait for the operation"))
	}
	limited, cancel := context.WithTimeout(ctx, longestWait)
	defer cancel()
	err := s.ledger.Wait(limited, c.name(), c.row.Version)
	switch {
	case ctx.Err() != nil:
		return c.inFlight(ctx.Err())
	case limited.Err() != nil: // the row is read again, for its lease may be out
		return nil
	case err != nil:
		return unavailable(c.tool.name, err)
	default:
		return nil
	}
}

func (c *call) inFlight(cause error) error {
	return &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: c.row.ID, RetryAfter: inFlightDelay, Cause: cause}
}

// answerFrom answers a call from a row past the boundary that nobody works on.
func (s *Server) answerFrom(ctx context.Context, c *call) error {
	announce(ctx, c.row.ID)
	switch c.row.State {
	case ledger.Done:
		if dropped := c.row.Receipt.Omitted; dropped == ledger.Dropped || dropped == ledger.Purged {
			return &errs.ServiceError{Code: errs.CodeOperationExpired, Subject: c.tool.name}
		}
		c.answered, c.replayed, c.receipt = true, true, c.row.Receipt
		return nil
	case ledger.Effect:
		return s.lookFor(ctx, c, "the outcome of the first call could not be found out yet")
	case ledger.Closed:
		closed := &errs.ServiceError{Code: errs.CodeOperationClosed, Subject: c.tool.name}
		if c.tool.recover == nil {
			return closed
		}
		if err := s.lookFor(ctx, c, ""); err != nil && errs.CodeOf(err) == errs.CodeOutcomeUnknown {
			return closed
		} else if err != nil {
			return err
		}
		return nil
	default:
		return s.lookFor(ctx, c, "the outcome of the first call is still unknown")
	}
}

// lookFor looks what became of an operation past its boundary, where that is allowed now, and answers from it. It never
// executes, but for a tool that dedupes on the operation id.
func (s *Server) lookFor(ctx context.Context, c *call, still string) error {
	w := c.work()
	if c.tool.recover == nil && c.row.State != ledger.Effect {
		return w.outcomeUnknown(still, errors.New(c.row.Reason))
	}
	got, err := ask(ctx, "recover", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Recover(ctx, s.recovery(c.tool, c.row.Key))
	})
	switch {
	case err != nil:
		return w.outcomeUnknown(still, err)
	case !got.ok && got.row.State == ledger.Done && got.row.ID == c.row.ID:
		c.row = got.row
		return s.answerFrom(ctx, c)
	case !got.ok:
		return w.outcomeUnknown(still, errors.New(c.row.Reason))
	}
	c.row = got.row
	w = c.work()
	settled := make(chan settlement, 1)
	s.carrying.begin()
	go s.carryOn(context.WithoutCancel(ctx), ctx, w, settled)
	c.replayed = true
	if err := s.await(ctx, c, settled, still); err != nil || c.answered {
		return err
	}
	c.replayed = false // it is executed again, under the same operation id
	return nil
}

// recovery asks to look what became of an operation of a tool.
func (s *Server) recovery(tool *AnyTool, key ledger.Key) ledger.Recovery {
	return ledger.Recovery{
		Key: key, Attempt: newID("at_"), Lease: tool.timeouts.Recover + grace + margin, Every: s.config.recheckInterval,
	}
}
