package sqlite

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
)

// hold has the writer busy until the returned function is called.
func hold(t *testing.T, l *Ledger) (release func()) {
	t.Helper()
	begun, end := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		var once sync.Once
		done <- l.writer.do(context.WithoutCancel(t.Context()), func() error {
			once.Do(func() { close(begun) })
			<-end
			return nil
		})
	}()
	<-begun
	return func() {
		close(end)
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// queued starts so many claims, and returns when all of them wait for the writer.
func queued(t *testing.T, l *Ledger, n int, claim func(i int) error) (finish func() []error) {
	t.Helper()
	errs := make([]error, n)
	var ready, group sync.WaitGroup
	ready.Add(n)
	for i := range n {
		group.Go(func() {
			ready.Done()
			errs[i] = claim(i)
		})
	}
	ready.Wait()
	return func() []error {
		group.Wait()
		return errs
	}
}

func TestMovesShareCommits(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	const n = 100
	before := l.writer.commits.Load()
	release := hold(t, l)
	finish := queued(t, l, n, func(i int) error {
		_, ok, err := l.Claim(t.Context(), claimOf(strconv.Itoa(i)))
		if err == nil && !ok {
			err = errors.New("not claimed")
		}
		return err
	})
	release()
	for _, err := range finish() {
		if err != nil {
			t.Error(err)
		}
	}
	if got := l.writer.commits.Load() - before; got > n/2 {
		t.Errorf("%d claims that waited took %d commits", n, got)
	}
}

func TestOneFailsAlone(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	failure := errors.New("bad statement")
	release := hold(t, l)
	finish := queued(t, l, 20, func(i int) error {
		if i == 7 {
			return l.writer.do(t.Context(), func() error {
				// It had written something already.
				if err := l.writer.conn.exec(t.Context(), "UPDATE operations SET reason = 'not rolled back'"); err != nil {
					t.Error(err)
				}
				return failure
			})
		}
		_, ok, err := l.Claim(t.Context(), claimOf(strconv.Itoa(i)))
		if !ok {
			t.Errorf("claim %d is not made", i)
		}
		return err
	})
	release()
	for i, err := range finish() {
		if (i == 7) != errors.Is(err, failure) {
			t.Errorf("move %d: %v", i, err)
		}
		row, err := l.Get(t.Context(), claimOf(strconv.Itoa(i)).Key)
		if err != nil {
			t.Fatal(err)
		}
		if want := map[bool]ledger.State{true: ledger.None, false: ledger.Claimed}[i == 7]; row.State != want || row.Reason != "" {
			t.Errorf("operation %d is %v with reason %q; want %v", i, row.State, row.Reason, want)
		}
	}
}

func TestWhoLeavesBeforeIsNotWritten(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	release := hold(t, l)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err := l.Claim(ctx, claimOf("1"))
	if !errors.Is(err, context.Canceled) || errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Claim() = %v; want that nothing was begun", err)
	}
	release()
	if row, err := l.Get(t.Context(), claimOf("1").Key); err != nil || row.State != ledger.None {
		t.Errorf("Get() = %v, %v; want none", row.State, err)
	}
}

func TestWhoLeavesLaterDoesNotKnow(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	ctx, cancel := context.WithCancel(t.Context())
	end := make(chan struct{})
	err := l.writer.do(ctx, func() error {
		cancel()
		<-end
		return nil
	})
	close(end)
	if !errors.Is(err, context.Canceled) || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("do() = %v; want both that ctx ended, and that it is not known", err)
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	l, _ := opened(t, func(o *options) { o.maxPages = 40 })
	var full error
	made := 0
	for i := 0; full == nil && i < 1000; i++ {
		var ok bool
		if _, ok, full = l.Claim(t.Context(), claimOf(strconv.Itoa(i))); ok {
			made++
		}
	}
	if !errors.Is(full, ledger.ErrUnavailable) || !strings.Contains(full.Error(), "free space on its disk") {
		t.Fatalf("Claim() = %v; want that there is no room", full)
	}
	// What was acknowledged is there, and goes on as far as there is room.
	for i := range made {
		row, err := l.Get(t.Context(), claimOf(strconv.Itoa(i)).Key)
		if err != nil || row.State != ledger.Claimed {
			t.Fatalf("operation %d is %v, %v", i, row.State, err)
		}
	}
	freed := 0
	for i := range made {
		row, err := l.Get(t.Context(), claimOf(strconv.Itoa(i)).Key)
		if err != nil {
			t.Fatal(err)
		}
		_, ok, err := l.Free(t.Context(), row.Hold(), ledger.Failure{})
		switch {
		case ok:
			freed++
		case !errors.Is(err, ledger.ErrUnavailable):
			t.Errorf("Free() = %v, %v; want that there is no room", ok, err)
		}
	}
	if freed == 0 {
		t.Error("none could be freed, though that needs hardly any room")
	}
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	l, path := opened(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	l, err := Open(t.Context(), path)
	if err == nil { // root may write what nobody may: take the right away otherwise
		if err = l.writer.conn.exec(t.Context(), "PRAGMA query_only = 1"); err != nil {
			t.Fatal(err)
		}
		_, _, err = l.Claim(t.Context(), claimOf("1"))
		l.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "the right to write it") {
		t.Errorf("Open() or Claim() = %v; want that it cannot be written", err)
	}
}

func TestLockedByAnotherProgram(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	if err := l.writer.conn.exec(t.Context(), "PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	other, err := connect(t.Context(), l.file, &l.options)
	if err != nil {
		t.Fatal(err)
	}
	defer other.raw.Close()
	if err := other.exec(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := l.Claim(t.Context(), claimOf("1")); !errors.Is(err, ledger.ErrUnavailable) ||
		!strings.Contains(err.Error(), "locked by another program") {
		t.Errorf("Claim() = %v; want that it is locked", err)
	}
	if err := other.exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := l.Claim(t.Context(), claimOf("1")); !ok {
		t.Errorf("Claim() = %v, %v; want that it is free again", ok, err)
	}
}

func TestAfterClose(t *testing.T) {
	t.Parallel()
	l, _ := opened(t)
	waits := make(chan error, 1)
	go func() { waits <- l.Wait(context.WithoutCancel(t.Context()), claimOf("1").Key, 0) }()
	if err := errors.Join(l.Close(), l.Close()); err != nil {
		t.Fatal(err)
	}
	_, _, claimErr := l.Claim(t.Context(), claimOf("1"))
	_, getErr := l.Get(t.Context(), claimOf("1").Key)
	_, emptyErr := l.Empty(t.Context())
	for _, err := range []error{claimErr, getErr, emptyErr, <-waits} {
		if !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("after Close: %v; want ErrUnavailable", err)
		}
	}
}
