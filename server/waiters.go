package server

import "sync"

// waiters are the calls of this process that wait for the operation of an equal one, by operation id. They share its
// failure as the very error it was.
type waiters struct {
	mu  sync.Mutex
	ids map[string]*crowd
}

// crowd waits for one operation.
type crowd struct {
	waiting int
	failure error
}

// place is that of one call among the waiters; the zero value waits for nothing.
type place struct {
	of *waiters
	id string
}

// enter waits for the operation id, and for no other any more; it reports false where too many do.
func (p *place) enter(id string) bool {
	if p.id == id {
		return true
	}
	p.leave()
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.of.ids == nil {
		p.of.ids = make(map[string]*crowd)
	}
	c := p.of.ids[id]
	if c == nil {
		c = new(crowd)
		p.of.ids[id] = c
	}
	if c.waiting == maxWaiting {
		return false
	}
	c.waiting++
	p.id = id
	return true
}

// leave waits no more.
func (p *place) leave() {
	if p.id == "" {
		return
	}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if c := p.of.ids[p.id]; c.waiting == 1 {
		delete(p.of.ids, p.id)
	} else {
		c.waiting--
	}
	p.id = ""
}

// failure is the error that freed the operation which this call waits for; nil where it is not known here.
func (p *place) failure() error {
	if p.id == "" {
		return nil
	}
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	return p.of.ids[p.id].failure
}

// fail notes the error that is about to free an operation, for those who wait for it.
func (w *waiters) fail(id string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c := w.ids[id]; c != nil {
		c.failure = err
	}
}
