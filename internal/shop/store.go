package shop

import (
	"sync"
	"time"
)

// Store is the state of the shop. It is safe for concurrent use.
type Store struct {
	now         func() time.Time
	confirmFrom int64

	mu             sync.Mutex
	orders         map[string]*order
	slots          map[string]*slot
	edition        int // of the calendar
	accounts       map[string]*account
	authorizations map[string]*authorization
	receivers      map[string]receiver
	banks          map[string]*Bank
	auditors       map[string]bool
}

// Seed is the state that a shop begins with.
type Seed struct {
	// Orders, Slots, Accounts, Banks and Receivers are what there is.
	Orders    []Order
	Slots     []time.Time
	Accounts  []Account
	Banks     []*Bank
	Receivers []Receiver
	// Auditors are principals that may read and change nothing.
	Auditors []string
	// ConfirmFrom is the amount, in cents, from which on a payment needs a confirmation; zero means that none does.
	ConfirmFrom int64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// DefaultSeed returns a shop in which everything that can happen does: ord_2 is shipped, Globex books payments and loses
// its answers, Initech lets nobody read its statements besides, Umbrella keeps a fee, Hooli is not reachable.
func DefaultSeed() Seed {
	monday := time.Date(2026, 9, 7, 9, 0, 0, 0, time.UTC)
	return Seed{
		Orders: []Order{
			{ID: "ord_1", Customer: "alice"}, {ID: "ord_2", Customer: "alice", Shipped: true}, {ID: "ord_3", Customer: "bob"},
		},
		Slots:    []time.Time{monday, monday.Add(time.Hour), monday.Add(2 * time.Hour)},
		Accounts: []Account{{ID: "acc_main", Name: "Main account", Balance: 10_000_00}, {ID: "acc_petty", Name: "Petty cash", Balance: 100_00}},
		Banks: []*Bank{
			NewBank("acme", LineGood, 0), NewBank("globex", LineLosesAnswers, 0), NewBank("initech", LineLosesAnswers, 0).CloseStatements(),
			NewBank("umbrella", LineGood, 2_50), NewBank("hooli", LineDown, 0),
		},
		Receivers: []Receiver{
			{ID: "rcv_acme", Bank: "acme"},
			{ID: "rcv_globex", Bank: "globex"},
			{ID: "rcv_initech", Bank: "initech"},
			{ID: "rcv_umbrella", Bank: "umbrella"},
			{ID: "rcv_hooli", Bank: "hooli"},
			{ID: "rcv_gone", Bank: "acme", Closed: true},
		},
		Auditors:    []string{"auditor"},
		ConfirmFrom: 5_000_00,
	}
}

// New opens a shop.
func New(seed Seed) *Store {
	s := &Store{
		now: seed.Now, confirmFrom: seed.ConfirmFrom, orders: make(map[string]*order), slots: make(map[string]*slot),
		accounts: make(map[string]*account), authorizations: make(map[string]*authorization), receivers: make(map[string]receiver),
		banks: make(map[string]*Bank), auditors: make(map[string]bool),
	}
	if s.now == nil {
		s.now = time.Now
	}
	for _, o := range seed.Orders {
		s.orders[o.ID] = &order{Order: o}
	}
	for _, a := range seed.Accounts {
		s.accounts[a.ID] = &account{Account: a, version: 1}
	}
	for _, b := range seed.Banks {
		s.banks[b.name] = b
	}
	for _, r := range seed.Receivers {
		s.receivers[r.ID] = receiver{Receiver: r, bank: s.banks[r.Bank]}
	}
	for _, name := range seed.Auditors {
		s.auditors[name] = true
	}
	s.publish(seed.Slots)
	return s
}

// Bank returns the bank of a name, nil where there is none.
func (s *Store) Bank(name string) *Bank {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.banks[name]
}
