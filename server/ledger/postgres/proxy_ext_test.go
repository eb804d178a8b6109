package postgres_test

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
)

// proxy stands between a ledger and its server, and cuts connections as it is told to.
type proxy struct {
	listener net.Listener
	target   string

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	cut   func(toServer bool, message []byte) verdict
}

// verdict is what becomes of bytes, and of their connection.
type verdict int

const (
	pass    verdict = iota
	drop            // they never arrive, and the connection is cut
	passCut         // they arrive, and the connection is cut
)

// newProxy returns a proxy to the server of a DSN, and the DSN of the way through it.
func newProxy(t *testing.T, dsn string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: u.Host, conns: make(map[net.Conn]struct{})}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() { p.serve(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.cutAll()
		group.Wait()
	})
	u.Host = listener.Addr().String()
	return p, u.String()
}

// on sets what is done with what goes through from now on; nil passes all.
func (p *proxy) on(cut func(toServer bool, message []byte) verdict) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = cut
}

func (p *proxy) cutAll() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
}

func (p *proxy) serve(client net.Conn) {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		client.Close()
		return
	}
	p.mu.Lock()
	p.conns[client], p.conns[server] = struct{}{}, struct{}{}
	p.mu.Unlock()
	var group sync.WaitGroup
	group.Go(func() { p.pipe(server, client, true) })
	group.Go(func() { p.pipe(client, server, false) })
	group.Wait()
	p.mu.Lock()
	delete(p.conns, client)
	delete(p.conns, server)
	p.mu.Unlock()
}

func (p *proxy) pipe(to, from net.Conn, toServer bool) {
	defer to.Close()
	defer from.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.mu.Lock()
			cut := p.cut
			p.mu.Unlock()
			v := pass
			if cut != nil {
				v = cut(toServer, buffer[:n])
			}
			if v == drop {
				return
			}
			if _, err := to.Write(buffer[:n]); err != nil || v == passCut {
				return
			}
		}
		if errors.Is(err, io.EOF) || err != nil {
			return
		}
	}
}
