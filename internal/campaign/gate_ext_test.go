//go:build crashpoint && linux

package campaign_test

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// gate is the address of a daemon that outlives it: what connects while there is none is closed.
type gate struct {
	listener net.Listener
	target   atomic.Pointer[string]
	running  sync.WaitGroup
}

func newGate() (*gate, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	g := &gate{listener: listener}
	g.running.Go(func() {
		for {
			conn, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err == nil {
				g.running.Go(func() { g.carry(conn) })
			}
		}
	})
	return g, nil
}

func (g *gate) addr() string { return g.listener.Addr().String() }

// lead says where the daemon is; empty is nowhere.
func (g *gate) lead(addr string) { g.target.Store(&addr) }

func (g *gate) carry(conn net.Conn) {
	defer conn.Close()
	target := g.target.Load()
	if target == nil || *target == "" {
		return
	}
	daemon, err := net.Dial("tcp", *target)
	if err != nil {
		return
	}
	defer daemon.Close()
	done := make(chan struct{}, 2)
	for _, pair := range [][2]net.Conn{{conn, daemon}, {daemon, conn}} {
		go func() {
			_, _ = io.Copy(pair[0], pair[1])
			done <- struct{}{}
		}()
	}
	<-done // either side is gone, and so the other
}

// close ends it once its connections have ended.
func (g *gate) close() {
	_ = g.listener.Close()
	g.running.Wait()
}
