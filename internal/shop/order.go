package shop

import "time"

// Order is an order of a customer.
type Order struct {
	// ID is its number.
	ID string
	// Customer is the principal whose order it is.
	Customer string
	// Shipped says that it has left the house.
	Shipped bool
}

type order struct {
	Order

	cancelledBy string // the operation
	cancelledAt time.Time
	reopened    bool // after it was cancelled
}

// Reopen takes a cancellation back.
func (s *Store) Reopen(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.orders[id]; o != nil && o.cancelledBy != "" {
		o.reopened = true
	}
}

// open reports whether the order can be cancelled.
func (o *order) open() bool { return !o.Shipped && (o.cancelledBy == "" || o.reopened) }
