package shop

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/remedyrpc/remedy/server"
)

// Account is an account that payments can be sent from.
type Account struct {
	// ID is its number.
	ID string
	// Name says what it is for.
	Name string
	// Balance is what is on it, in cents.
	Balance int64
}

type account struct {
	Account

	version  int64 // grows with every change
	settling bool  // the bank is closing its day
}

// Receiver is somebody that payments can be sent to.
type Receiver struct {
	// ID is its number.
	ID string
	// Bank is the name of its bank.
	Bank string
	// Closed says that its account takes nothing.
	Closed bool
}

type receiver struct {
	Receiver

	bank *Bank
}

// Deposit adds cents to an account, which changes it.
func (s *Store) Deposit(id string, cents int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[id]; a != nil {
		a.Balance += cents
		a.version++
	}
}

// BeginSettlement closes the day of an account; until EndSettlement nothing leaves it.
func (s *Store) BeginSettlement(id string) { s.settle(id, true) }

// EndSettlement opens the next day.
func (s *Store) EndSettlement(id string) { s.settle(id, false) }

func (s *Store) settle(id string, settling bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a := s.accounts[id]; a != nil {
		a.settling = settling
	}
}

type accountOutput struct {
	AccountID string `json:"accountId"`
	Name      string `json:"name"`
	Balance   int64  `json:"balance"`
	Version   int64  `json:"version"`
}

type listAccountsOutput struct {
	Accounts []accountOutput `json:"accounts"`
}

func listPaymentAccounts(s *Store) *server.AnyTool {
	return server.NewReadTool("list_payment_accounts", "List the accounts that payments can be sent from; balances are in cents.",
		func(context.Context, *server.Op, struct{}) (listAccountsOutput, error) { return s.listAccounts(), nil })
}

func (s *Store) listAccounts() listAccountsOutput {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := listAccountsOutput{Accounts: []accountOutput{}}
	for _, a := range slices.SortedFunc(maps.Values(s.accounts), func(a, b *account) int { return cmp.Compare(a.ID, b.ID) }) {
		out.Accounts = append(out.Accounts, accountOutput{AccountID: a.ID, Name: a.Name, Balance: a.Balance, Version: a.version})
	}
	return out
}
