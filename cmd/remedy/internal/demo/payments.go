package demo

import (
	"context"
	"errors"
	"fmt"

	"github.com/remedyrpc/remedy/errs"
)

const account = "acc_main"

// payment authorizes a payment and returns the call that sends it.
func payment(ctx context.Context, s *stage, name, receiver string, cents int) (*Call, error) {
	prepare := &Call{
		Tool: "prepare_payment_authorization", Key: name + ".authorization",
		Input: fields{"sourceAccountId": account, "receiverId": receiver, "amount": cents},
	}
	if err := s.call(ctx, prepare); err != nil {
		return nil, err
	}
	return &Call{Tool: "send_payment", Input: fields{
		"operationId": name, "authorizationId": prepare.Output["authorizationId"], "amount": cents, "receiverId": receiver,
	}}, nil
}

func paymentSourceStale() scene {
	return scene{
		code: "payment_source_stale", principal: customer,
		why: "money arrived on the account after the payment had been authorized",
		prepare: func(ctx context.Context, s *stage, name string) (*Call, error) {
			call, err := payment(ctx, s, name, "rcv_acme", 120_00)
			s.shop.Deposit(account, 1)
			return call, err
		},
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.ToolError](err)
			return ok && e.Code == "payment_source_stale" && len(e.Plan().Steps()) == 3
		},
		helper: func(tool string, failed *Call) *Call {
			if tool != "prepare_payment_authorization" {
				return &Call{Tool: tool, Input: fields{}}
			}
			return &Call{Tool: tool, Key: "demo-replacement", Input: fields{
				"sourceAccountId": account, "receiverId": failed.Input["receiverId"], "amount": failed.Input["amount"],
			}}
		},
		repaired: func(output fields) (fields, error) {
			return fields{"authorizationId": output["authorizationId"]}, nil
		},
	}
}

func confirmationDeclined() scene {
	return scene{
		code: errs.CodeConfirmationDeclined, principal: customer,
		why: "a payment of 6,000.00 needs a confirmation, and the user declined it",
		prepare: func(ctx context.Context, s *stage, name string) (*Call, error) {
			call, err := payment(ctx, s, name, "rcv_acme", 6_000_00)
			if err != nil {
				return nil, err
			}
			s.shop.Decide(fmt.Sprint(call.Input["authorizationId"]), false)
			return call, nil
		},
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.ConfirmationError](err)
			return ok && e.Reason == errs.ConfirmationDeclined
		},
	}
}

func verificationFailed() scene {
	return scene{
		code: errs.CodeVerificationFailed, principal: customer,
		why: "the bank kept a fee, so that another amount arrived than was sent",
		prepare: func(ctx context.Context, s *stage, name string) (*Call, error) {
			return payment(ctx, s, name, "rcv_umbrella", 100_00)
		},
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.VerificationError](err)
			return ok && e.Reason == "not_verified" && errs.EffectOf(err) == errs.EffectApplied
		},
		reconcile: func(ctx context.Context, s *stage, failed *Call, step string) ([]*Call, string, error) {
			booked := s.shop.Bank("umbrella").Payments()
			again := &Call{Step: step, Tool: failed.Tool, Input: failed.Input, Key: failed.Key}
			err := s.call(ctx, again)
			if errs.CodeOf(err) != errs.CodeVerificationFailed {
				return []*Call{again}, "", fmt.Errorf("the operation is settled otherwise: %w", err)
			}
			found := "the payment was sent, and sending it again sent nothing; what is short of it is a case for people"
			return []*Call{again}, found, unchanged(booked, s.shop.Bank("umbrella").Payments())
		},
	}
}

func outcomeUnknown() scene {
	const bank = "initech"
	return scene{
		code: errs.CodeOutcomeUnknown, principal: customer,
		why: "the line to the bank dropped before it answered, and its statements could not be read",
		prepare: func(ctx context.Context, s *stage, name string) (*Call, error) {
			return payment(ctx, s, name, "rcv_initech", 250_00)
		},
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.OutcomeUnknownError](err)
			return ok && !e.Inferred && e.OperationID != "" && errs.EffectOf(err) == errs.EffectUnknown
		},
		reconcile: func(ctx context.Context, s *stage, failed *Call, step string) ([]*Call, string, error) {
			booked := s.shop.Bank(bank).Payments()
			s.shop.Bank(bank).OpenStatements()
			again := &Call{Step: step, Tool: failed.Tool, Input: failed.Input, Key: failed.Key}
			if err := s.call(ctx, again); err != nil {
				return []*Call{again}, "", err
			}
			found := "the bank's statements could be read again: it had booked the payment, once, and nothing was sent twice"
			return []*Call{again}, found, unchanged(booked, s.shop.Bank(bank).Payments())
		},
	}
}

func unchanged(before, after int) error {
	if before != after {
		return fmt.Errorf("the bank booked %d payments more", after-before)
	}
	return nil
}
