// Package waiting tells those of a process who wait for something that it changed.
package waiting

import "sync"

// Room is where waiters are, by what they wait for. Its zero value is empty. It is safe for concurrent use.
type Room[K comparable] struct {
	mu      sync.Mutex
	waiters map[K]map[chan struct{}]struct{}
}

// Join returns what is told of every change from now on, and what ends that. Changes that come faster than they are looked at
// are told once.
func (r *Room[K]) Join(what K) (changed <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.waiters == nil {
		r.waiters = make(map[K]map[chan struct{}]struct{})
	}
	if r.waiters[what] == nil {
		r.waiters[what] = make(map[chan struct{}]struct{})
	}
	r.waiters[what][c] = struct{}{}
	return c, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiters[what], c)
		if len(r.waiters[what]) == 0 {
			delete(r.waiters, what)
		}
	}
}

// Wake tells those who wait for something.
func (r *Room[K]) Wake(what K) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.waiters[what] {
		select {
		case c <- struct{}{}:
		default: // it is told already
		}
	}
}
