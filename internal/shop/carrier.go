package shop

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
)

// Carrier is a carrier of parcels, beyond the boundary of the shop. It notes every request in a book, a file, so that effects
// are counted also where the process of the shop ends in their midst. Any number of processes may share a book. It is safe for
// concurrent use.
type Carrier struct {
	book string
	hold func(ctx context.Context, r Request)
	mu   sync.Mutex
}

// NewCarrier returns the carrier whose book is a file, which is made when it is first needed.
func NewCarrier(book string) *Carrier { return &Carrier{book: book} }

// Hold has hold called with each request that is in the book, before the carrier answers it: somebody may want to end the
// process just then. Set it before the first request. The default, and nil, answers at once.
func (c *Carrier) Hold(hold func(ctx context.Context, r Request)) { c.hold = hold }

// Request is one line of the book: what the carrier was asked for.
type Request struct {
	OperationID, OperationKey, Tool, Parcel string
}

// lineLength is that of every line of a book, its end included: no line crosses a page, between which a write is cut off where the
// process is killed. It has room for the longest names.
const lineLength = 256

// post notes a request, synced to the disk. One write of one line: a process that is killed leaves all of it or nothing.
func (c *Carrier) post(r Request) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(c.book, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("the book of the carrier: %w", err)
	}
	_, err = fmt.Fprintf(f, "%-*s\n", lineLength-1, strings.Join([]string{r.OperationID, r.OperationKey, r.Tool, r.Parcel}, " "))
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("the book of the carrier: %w", err)
	}
	return nil
}

// Requests returns what the carrier was asked for, in order.
func (c *Carrier) Requests() (requests []Request, err error) {
	f, err := os.Open(c.book)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the book of the carrier: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(strings.TrimRight(lines.Text(), " "), " ")
		if len(fields) != 4 { //nolint:mnd // those of a Request
			return nil, fmt.Errorf("the book of the carrier: line %d is damaged", len(requests)+1)
		}
		requests = append(requests, Request{OperationID: fields[0], OperationKey: fields[1], Tool: fields[2], Parcel: fields[3]})
	}
	return requests, lines.Err()
}

// posted reports whether there was a request of an operation.
func (c *Carrier) posted(operationID string) (bool, error) {
	requests, err := c.Requests()
	for _, r := range requests {
		if r.OperationID == operationID {
			return true, nil
		}
	}
	return false, err
}
