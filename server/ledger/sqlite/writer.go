package sqlite

import (
	"context"
	"fmt"
	"sync/atomic"

	codes "modernc.org/sqlite/lib"

	"github.com/remedyrpc/remedy/server/ledger"
)

// groupMost is how many moves share a commit at most, so that the first of them does not wait for ever.
const groupMost = 256

// request is one move that waits for the writer.
type request struct {
	// run runs the statements of the move, within a transaction. It may run again in another one, when that of the first time
	// was rolled back.
	run  func() error
	done chan error
}

// writer is the one goroutine that writes. Whatever it has begun, it answers.
type writer struct {
	file    file
	conn    *conn
	ask     chan request // unbuffered: who is not taken from it has not begun
	stop    chan struct{}
	stopped chan struct{}

	// rows is how many operations are stored. Only the writer uses it.
	rows    int64
	broken  error
	commits atomic.Int64
}

func newWriter(f file, c *conn, rows int64) *writer {
	w := &writer{file: f, conn: c, rows: rows, ask: make(chan request), stop: make(chan struct{}), stopped: make(chan struct{})}
	go w.loop()
	return w
}

// do has the writer run something, and returns when that is committed. Where ctx ends before it began, it is not run; where it
// ends later, it is not known whether it is.
func (w *writer) do(ctx context.Context, run func() error) error {
	r := request{run: run, done: make(chan error, 1)}
	ended := ctx.Done()
	if ctx.Err() != nil {
		return notBegun(ctx) // the choice below takes any that is ready
	}
	select {
	case w.ask <- r:
	case <-ended:
		return notBegun(ctx)
	case <-w.stop:
		return errNotOpen
	}
	select {
	case err := <-r.done:
		return err
	case <-ended:
		return fmt.Errorf("%w: waiting for a commit: %w", ledger.ErrUnavailable, context.Cause(ctx))
	}
}

func notBegun(ctx context.Context) error {
	return fmt.Errorf("waiting to write to the ledger: %w", context.Cause(ctx))
}

// close waits for the group that is under way.
func (w *writer) close() {
	close(w.stop)
	<-w.stopped
}

func (w *writer) loop() {
	defer close(w.stopped)
	group := make([]request, 0, groupMost)
	for {
		select {
		case first := <-w.ask:
			group = w.write(append(group[:0], first))
			clear(group)
		case <-w.stop:
			return
		}
	}
}

// write runs a group in one transaction, and takes in who asks meanwhile. Where one fails, the transaction is rolled back and
// the others run one by one: nobody was answered yet.
func (w *writer) write(group []request) []request {
	before := w.rows
	if err := w.begin(); err != nil {
		return w.answer(group, err)
	}
	for i := 0; i < len(group); i++ {
		if err := group[i].run(); err != nil {
			w.conn.rollback()
			w.rows = before
			group[i].done <- w.file.fault("writing", err)
			group[i] = group[len(group)-1] // those after i have not run
			return w.apart(group[:len(group)-1])
		}
		if i == len(group)-1 && len(group) < groupMost {
			select {
			case next := <-w.ask:
				group = append(group, next)
			default:
			}
		}
	}
	return w.answer(group, w.commit(before))
}

// apart runs each of a group in a transaction of its own.
func (w *writer) apart(group []request) []request {
	for _, r := range group {
		before := w.rows
		err := w.begin()
		if err == nil {
			if err = r.run(); err == nil {
				err = w.commit(before)
			} else {
				w.conn.rollback()
				w.rows = before
				err = w.file.fault("writing", err)
			}
		}
		r.done <- err
	}
	return group
}

func (w *writer) answer(group []request, err error) []request {
	for _, r := range group {
		r.done <- err
	}
	return group
}

func (w *writer) begin() error {
	if w.broken != nil {
		return w.broken
	}
	_, err := w.conn.begin.ExecContext(context.Background(), nil)
	return w.file.fault("beginning to write", err)
}

// commit makes the transaction durable. After a sync that failed, what the disk holds is not known, and the system may have
// dropped what it could not write: nothing is written any more until the file was opened again, and so read again.
func (w *writer) commit(before int64) error {
	_, err := w.conn.commit.ExecContext(context.Background(), nil)
	if err == nil {
		w.commits.Add(1)
		return nil
	}
	w.conn.rollback()
	w.rows = before
	fault := w.file.fault("committing", err)
	if code(err) == codes.SQLITE_IOERR {
		w.broken = fault
	}
	return fault
}
