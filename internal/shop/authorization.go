package shop

import (
	"context"
	"strconv"

	"google.golang.org/grpc/codes"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

var (
	accountNotFound = errs.MustDefine("account_not_found", errs.Never,
		errs.Headline("There is no such account."), errs.Status(codes.NotFound))
	receiverNotFound = errs.MustDefine("receiver_not_found", errs.Never,
		errs.Headline("There is no such receiver."), errs.Status(codes.NotFound))
)

// authorization allows one payment from an account as it was.
type authorization struct {
	id, account, receiver string
	amount, version       int64
	decision              decision
}

type decision int

const (
	undecided decision = iota
	approved
	declined
)

// Decide notes what a user decided on an authorization that needs a confirmation.
func (s *Store) Decide(authorizationID string, approve bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.authorizations[authorizationID]; a != nil {
		a.decision = declined
		if approve {
			a.decision = approved
		}
	}
}

// cents is an amount of money, the exact number of cents.
type cents int64

// JSONSchema asks for something to be paid.
func (cents) JSONSchema() string {
	return `{"type":"integer","minimum":1,"maximum":1000000000000,"description":"Amount in cents."}`
}

type authorizeInput struct {
	SourceAccountID string `json:"sourceAccountId" jsonschema:"An account from list_payment_accounts."`
	ReceiverID      string `json:"receiverId"`
	Amount          cents  `json:"amount"`
}

type authorizeOutput struct {
	AuthorizationID      string `json:"authorizationId"`
	ConfirmationRequired bool   `json:"confirmationRequired"`
}

func preparePaymentAuthorization(s *Store) *server.AnyTool {
	return server.NewTool("prepare_payment_authorization", "Authorize one payment from an account as it is now.",
		server.Tool[authorizeInput, authorizeOutput]{
			Authorize: func(_ context.Context, op *server.Op, _ authorizeInput) error { return s.mayChange(op.Principal) },
			Execute: func(_ context.Context, _ *server.Op, in authorizeInput) (server.Effect[authorizeOutput], error) {
				if err := s.known(in); err != nil {
					return nil, err
				}
				return func(context.Context) (authorizeOutput, error) { return s.authorize(in), nil }, nil
			},
			Errors: []*errs.Definition{accountNotFound, receiverNotFound},
		})
}

func (s *Store) known(in authorizeInput) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.accounts[in.SourceAccountID] == nil {
		return accountNotFound.New(errs.Detail("accountId", in.SourceAccountID))
	}
	if _, ok := s.receivers[in.ReceiverID]; !ok {
		return receiverNotFound.New(errs.Detail("receiverId", in.ReceiverID))
	}
	return nil
}

// authorize is the effect.
func (s *Store) authorize(in authorizeInput) authorizeOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &authorization{
		id: "auth_" + strconv.Itoa(len(s.authorizations)+1), account: in.SourceAccountID, receiver: in.ReceiverID,
		amount: int64(in.Amount), version: s.accounts[in.SourceAccountID].version,
	}
	s.authorizations[a.id] = a
	return authorizeOutput{AuthorizationID: a.id, ConfirmationRequired: s.needsConfirmation(a.amount)}
}

func (s *Store) needsConfirmation(amount int64) bool {
	return s.confirmFrom > 0 && amount >= s.confirmFrom
}
