package shop

import (
	"errors"
	"sync"
)

// Line is how well a bank can be reached.
type Line int

const (
	// LineGood carries instructions and answers.
	LineGood Line = iota
	// LineLosesAnswers carries instructions and drops the answers.
	LineLosesAnswers
	// LineDown carries nothing; no instruction leaves.
	LineDown
)

// Bank is the bank of a receiver: a system of somebody else's, beyond the boundary of the shop.
type Bank struct {
	name string

	mu         sync.Mutex
	line       Line
	fee        int64 // cents, taken from what arrives
	statements bool
	booked     map[string]int64 // what arrived, by the reference of the instruction
}

// NewBank returns a bank that keeps fee cents of every payment, and whose statements can be read.
func NewBank(name string, line Line, fee int64) *Bank {
	return &Bank{name: name, line: line, fee: fee, statements: true, booked: make(map[string]int64)}
}

// SetLine changes how well the bank can be reached.
func (b *Bank) SetLine(line Line) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.line = line
}

// CloseStatements makes the statements unreadable, and returns the bank.
func (b *Bank) CloseStatements() *Bank {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statements = false
	return b
}

// OpenStatements makes the statements readable.
func (b *Bank) OpenStatements() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.statements = true
}

// Payments returns how many payments the bank has booked.
func (b *Bank) Payments() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.booked)
}

var (
	errUnreachable    = errors.New("the line to the bank is down")
	errAnswerLost     = errors.New("the line to the bank dropped before it answered")
	errStatementsShut = errors.New("the statements of the bank cannot be read")
)

// transfer books an amount under a reference.
func (b *Bank) transfer(reference string, amount int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.line == LineDown {
		return errUnreachable
	}
	b.booked[reference] = amount - b.fee
	if b.line == LineLosesAnswers {
		return errAnswerLost
	}
	return nil
}

// statement returns what was booked under a reference, and whether anything was.
func (b *Bank) statement(reference string) (amount int64, found bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.statements {
		return 0, false, errStatementsShut
	}
	amount, found = b.booked[reference]
	return amount, found, nil
}
