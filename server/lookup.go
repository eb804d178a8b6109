package server

import (
	"context"
	"errors"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

const (
	// inFlightWait is how long a call waits for an equal one that runs.
	inFlightWait = 2 * time.Second
	// inFlightDelay is how long its caller should wait before it asks again.
	inFlightDelay = time.Second
)

// lookup answers a call whose operation is known: with its result, with a wait for it, or with a refusal.
func (s *Server) lookup(ctx context.Context, c *call) error {
	if !c.tool.effect {
		return nil
	}
	waiting, cancel := context.WithTimeout(ctx, inFlightWait)
	defer cancel()
	for {
		known, err := s.ledger.look(ctx, c.opKey())
		if err != nil {
			return err
		}
		if known.state == stateNone {
			return nil
		}
		if known.digest != c.digest {
			return &errs.ServiceError{Code: errs.CodeOperationConflict, Subject: c.tool.name}
		}
		c.attempt = known.attempt
		switch known.state {
		case stateDone:
			announce(ctx, known.id)
			c.answered, c.replayed, c.receipt = true, true, known.receipt
			return nil
		case stateUnknown:
			announce(ctx, known.id)
			return s.lookAgain(ctx, c, known)
		case stateNone, stateClaimed, stateEffect:
		}
		if err := s.waitFor(waiting, c, known); err != nil {
			return err
		}
		// Time has passed: who may see the result is asked again.
		if err := s.authorize(ctx, c); err != nil {
			return err
		}
	}
}

func (c *call) opKey() opKey {
	return opKey{tenant: c.caller.Tenant, principal: c.caller.Principal, tool: c.tool.name, key: c.key}
}

// waitFor waits for a running operation, for as long as the call may, and returns the failure that ended it.
func (s *Server) waitFor(ctx context.Context, c *call, running row) error {
	failure, err := s.ledger.wait(ctx, running)
	switch {
	case err != nil:
		return &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: running.id, RetryAfter: inFlightDelay, Cause: err}
	case failure != nil:
		c.attempt, c.freed = running.attempt, true
		return failure
	default:
		c.attempt = attempt{}
		return nil
	}
}

// lookAgain answers a call whose operation nobody knows the outcome of. It never executes.
func (s *Server) lookAgain(ctx context.Context, c *call, known row) error {
	const still = "the outcome of the first call is still unknown"
	w := c.work()
	if c.tool.recover == nil {
		return w.outcomeUnknown(still, known.cause)
	}
	if allowed, err := s.ledger.recheck(ctx, known.key); err != nil || !allowed {
		return w.outcomeUnknown(still, errors.Join(known.cause, err))
	}
	settled := make(chan settlement, 1)
	s.carrying.begin()
	go s.carryOn(context.WithoutCancel(ctx), w, known.cause, settled)
	c.replayed = true
	return s.await(ctx, c, settled, still)
}
