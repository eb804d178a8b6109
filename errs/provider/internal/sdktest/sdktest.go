// Package sdktest is a provider on the loopback interface that fails in every way a provider can, for tests that call it
// with a real SDK.
package sdktest

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Serve starts a server, which ends with the test, and returns its address.
func Serve(tb testing.TB, handler http.HandlerFunc) string {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return server.URL
}

// Nobody returns an address that nobody listens at.
func Nobody(tb testing.TB) string {
	tb.Helper()
	server := httptest.NewServer(nil)
	server.Close()
	return server.URL
}

// Answer answers with a status, headers as name and value in turn, and a body.
func Answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Stream answers well, and streams events as they are given.
func Stream(events string) http.HandlerFunc {
	return Answer(http.StatusOK, events, "Content-Type", "text/event-stream")
}

// Cut streams events and drops the connection before the stream has ended.
func Cut(events string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		Stream(events)(w, r)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// Reset resets the connection instead of an answer.
func Reset(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // or the client may be told of its own write
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a close that is not orderly
	}
	_ = conn.Close()
}

// Hang says that a call came, and answers nothing until it is given up.
func Hang(begun func()) http.HandlerFunc {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client is gone
		begun()
		<-r.Context().Done()
	}
}
