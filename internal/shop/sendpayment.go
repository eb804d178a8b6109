package shop

import (
	"context"
	"errors"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

var (
	paymentSourceStale = errs.MustDefine("payment_source_stale", errs.AfterRepair,
		errs.Headline("The source account changed after authorization."),
		errs.Steps(
			errs.CallTool("list_payment_accounts", "Refresh the source account state."),
			errs.CallTool("prepare_payment_authorization", "Create a replacement authorization."),
			errs.RetrySameOperation("send_payment", "Retry with the replacement authorization."),
		),
		errs.Preserve("operationId", "amount", "receiverId"),
		errs.Update("authorizationId"))
	paymentNotAuthorized = errs.MustDefine("payment_not_authorized", errs.AfterRepair,
		errs.Headline("There is no authorization for this payment."),
		errs.Steps(
			errs.CallTool("prepare_payment_authorization", "Authorize the amount and the receiver of this payment."),
			errs.RetrySameOperation("send_payment", "Retry with that authorization."),
		),
		errs.Preserve("operationId", "amount", "receiverId"),
		errs.Update("authorizationId"))
	insufficientFunds = errs.MustDefine("insufficient_funds", errs.Never,
		errs.Headline("The source account does not hold enough."))
	receiverClosed = errs.MustDefine("receiver_closed", errs.Never,
		errs.Headline("The receiver's account is closed."))
	accountBusy = errs.MustDefine("account_busy", errs.AsIs,
		errs.Headline("The source account is being settled."), errs.Status(codes.Aborted))
	bankUnreachable = errs.MustDefine("bank_unreachable", errs.AsIs,
		errs.Headline("The receiver's bank cannot be reached."), errs.Status(codes.Aborted))
)

const settlementDelay = 2 * time.Second

type sendPaymentInput struct {
	OperationID     operationID `json:"operationId"`
	AuthorizationID string      `json:"authorizationId" jsonschema:"From prepare_payment_authorization."`
	Amount          cents       `json:"amount"`
	ReceiverID      string      `json:"receiverId"`
}

type sendPaymentOutput struct {
	PaymentID  string `json:"paymentId"`
	Amount     int64  `json:"amount"`
	ReceiverID string `json:"receiverId"`
}

func sendPayment(s *Store) *server.AnyTool {
	return server.NewTool("send_payment", "Send one authorized payment.", server.Tool[sendPaymentInput, sendPaymentOutput]{
		Authorize: func(_ context.Context, op *server.Op, _ sendPaymentInput) error { return s.mayChange(op.Principal) },
		Key:       func(_ context.Context, in sendPaymentInput) string { return string(in.OperationID) },
		Execute: func(_ context.Context, op *server.Op, in sendPaymentInput) (server.Effect[sendPaymentOutput], error) {
			if err := s.payable(in); err != nil {
				return nil, err
			}
			return func(context.Context) (sendPaymentOutput, error) { return s.pay(op, in) }, nil
		},
		Recover: func(_ context.Context, op *server.Op, in sendPaymentInput) (server.Recovered[sendPaymentOutput], error) {
			_, found, err := s.arrived(op.ID, in.ReceiverID)
			if err != nil || !found {
				return server.NotFound[sendPaymentOutput](), err
			}
			return server.Committed(in.receipt(op.ID)), nil
		},
		Verify: func(_ context.Context, op *server.Op, in sendPaymentInput, _ sendPaymentOutput) (server.Verdict, error) {
			amount, found, err := s.arrived(op.ID, in.ReceiverID)
			switch {
			case err != nil:
				return "", err
			case !found || amount != int64(in.Amount):
				return server.NotVerified("another amount arrived"), nil
			default:
				return server.Verified, nil
			}
		},
		Errors: []*errs.Definition{
			paymentSourceStale, paymentNotAuthorized, insufficientFunds, receiverClosed, accountBusy, bankUnreachable,
		},
		Destructive: true,
	})
}

func (s *Store) payable(in sendPaymentInput) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paymentProblem(in)
}

// paymentProblem says what speaks against a payment.
func (s *Store) paymentProblem(in sendPaymentInput) error {
	a := s.authorizations[in.AuthorizationID]
	if a == nil || a.amount != int64(in.Amount) || a.receiver != in.ReceiverID {
		return paymentNotAuthorized.New(errs.Detail("authorizationId", in.AuthorizationID))
	}
	from := s.accounts[a.account]
	switch {
	case from.settling:
		return accountBusy.New(errs.After(settlementDelay))
	case from.version != a.version:
		return paymentSourceStale.New(errs.Detail("accountId", from.ID))
	case from.Balance < a.amount:
		return insufficientFunds.New(errs.Detail("accountId", from.ID))
	case !s.needsConfirmation(a.amount) || a.decision == approved:
		return nil
	case a.decision == declined:
		return &errs.ConfirmationError{Reason: errs.ConfirmationDeclined, ConfirmationID: a.id}
	default:
		return &errs.ConfirmationError{Reason: errs.ConfirmationRequired, ConfirmationID: a.id}
	}
}

// pay is the effect: it tells the bank, and debits what the bank may have booked. Another payment may have changed the
// account since it was looked at.
func (s *Store) pay(op *server.Op, in sendPaymentInput) (sendPaymentOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.paymentProblem(in); err != nil {
		return sendPaymentOutput{}, op.NotApplied(err)
	}
	to := s.receivers[in.ReceiverID]
	if to.Closed {
		return sendPaymentOutput{}, op.NotApplied(receiverClosed.New())
	}
	err := to.bank.transfer(op.ID, int64(in.Amount))
	if errors.Is(err, errUnreachable) {
		return sendPaymentOutput{}, op.NotApplied(bankUnreachable.New(errs.Cause(err)))
	}
	from := s.accounts[s.authorizations[in.AuthorizationID].account]
	from.Balance -= int64(in.Amount)
	from.version++
	if err != nil {
		return sendPaymentOutput{}, err
	}
	return in.receipt(op.ID), nil
}

func (in sendPaymentInput) receipt(operationID string) sendPaymentOutput {
	return sendPaymentOutput{PaymentID: operationID, Amount: int64(in.Amount), ReceiverID: in.ReceiverID}
}

// arrived reads the statement of the receiver's bank.
func (s *Store) arrived(operationID, receiverID string) (amount int64, found bool, err error) {
	s.mu.Lock()
	bank := s.receivers[receiverID].bank
	s.mu.Unlock()
	return bank.statement(operationID)
}
