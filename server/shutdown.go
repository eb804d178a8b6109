package server

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// Stopper is the part of a [google.golang.org/grpc.Server] that ends it.
type Stopper interface {
	// GracefulStop refuses new connections and calls, and waits for those that run.
	GracefulStop()
	// Stop ends everything.
	Stop()
}

// Shutdown ends a server without losing what runs: health says NOT_SERVING, the stop delay passes, new calls are refused
// with shutting_down, those that run are waited for, and so are effects whose callers are gone. When ctx ends first, g
// is stopped the hard way, and the error says how many effects were left running; their outcome is unknown.
func (s *Server) Shutdown(ctx context.Context, g Stopper) error {
	defer s.die()
	s.health.server.Shutdown()
	pause := time.NewTimer(s.config.stopDelay)
	defer pause.Stop()
	select {
	case <-pause.C:
	case <-ctx.Done():
	}
	s.refuse()
	s.health.end()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		g.GracefulStop()
	}()
	select {
	case <-stopped:
	case <-ctx.Done():
		go g.Stop() // it may wait for handlers, too
	}
	select {
	case <-s.carrying.idle():
	case <-ctx.Done():
	}
	if n := s.carrying.count(); n > 0 {
		return fmt.Errorf("stopping: %d operations were left running, and their outcome is unknown: %w", n, ctx.Err())
	}
	select {
	case <-stopped:
		return nil
	default:
		return fmt.Errorf("stopping: calls were cut off: %w", ctx.Err())
	}
}

// carrying counts the operations past their boundary.
type carrying struct {
	mu    sync.Mutex
	n     int
	empty chan struct{} // closed when n becomes zero; nil where nobody asked
}

func (c *carrying) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

func (c *carrying) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n == 0 && c.empty != nil {
		close(c.empty)
		c.empty = nil
	}
}

func (c *carrying) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// idle returns a channel that is closed when there are none.
func (c *carrying) idle() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.empty == nil {
		c.empty = make(chan struct{})
		if c.n == 0 {
			empty := c.empty
			close(empty)
			c.empty = nil
			return empty
		}
	}
	return c.empty
}
