package ledgertest

import (
	"sync"
	"time"
)

// Clock is a time that passes only by [Clock.Advance], in whole milliseconds, so that a store may keep it no finer. It is
// safe for concurrent use.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock makes a clock that stands at some time.
func NewClock() *Clock { return &Clock{now: time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)} }

// Now is the time, in UTC.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d.Truncate(time.Millisecond))
}
