package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// How often those who wait look by themselves, and how long listening rests after it failed.
const (
	lookFirst = 50 * time.Millisecond
	lookMost  = time.Second
	listenPer = time.Second
)

// topic is what a notification says of a row: no more than who waits for it can recognize. The statements compute the same.
func topic(key ledger.Key) string {
	sum := sha256.Sum256([]byte(key.Tenant + "|" + key.Scope + "|" + key.Tool + "|" + key.Key))
	return hex.EncodeToString(sum[:])
}

// Wait implements ledger.Ledger. It says in the row that somebody waits, for as long as it does, and looks by itself after
// 50 ms and ever later, up to a second: a notification only makes it look earlier.
func (l *Ledger) Wait(ctx context.Context, key ledger.Key, version int64) error {
	_, end, err := database{l}.begin(ctx)
	if err != nil {
		return err
	}
	l.listening.Do(func() { l.background.Go(l.listen) })
	end()
	changed, leave := l.waiters.Join(topic(key))
	defer leave()
	await := statement.Of(key)
	var marked time.Time
	pause := lookFirst
	for {
		row, err := l.Get(ctx, key)
		if err != nil || row.Version != version {
			return err
		}
		if version != 0 && time.Since(marked) >= awaited/2 {
			// Where this fails, nobody is told, and the pauses below are how the change is found.
			_, _ = database{l}.Change(ctx, l.await, await)
			marked = time.Now()
			continue // what changed before the mark told nobody
		}
		timer := time.NewTimer(pause)
		select {
		case <-changed:
		case <-timer.C:
			pause = min(2*pause, lookMost)
		case <-l.open.Done():
			err = errNotOpen
		case <-ctx.Done():
			err = ctx.Err()
		}
		timer.Stop()
		if err != nil {
			return err
		}
	}
}

// listen wakes those who wait, until the ledger is closed.
func (l *Ledger) listen() {
	for l.open.Err() == nil {
		_ = l.listenOnce() // where that fails, who waits looks by itself
		select {
		case <-time.After(listenPer):
		case <-l.open.Done():
		}
	}
}

func (l *Ledger) listenOnce() (err error) {
	c, err := pgx.ConnectConfig(l.open, l.pool.Config().ConnConfig)
	if err != nil {
		return err //nolint:wrapcheck // nobody reads it
	}
	defer func() { err = errors.Join(err, c.Close(context.WithoutCancel(l.open))) }()
	if _, err := c.Exec(l.open, "LISTEN "+pgx.Identifier{l.channel}.Sanitize()); err != nil {
		return err //nolint:wrapcheck // nobody reads it
	}
	for {
		n, err := c.WaitForNotification(l.open)
		if err != nil {
			return err //nolint:wrapcheck // nobody reads it
		}
		l.waiters.Wake(n.Payload)
	}
}
