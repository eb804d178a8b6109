package neversent

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// Record holds what is known of the attempts of one call. It is safe for concurrent use.
type Record struct {
	method string
	parent *Record // of a call that this one is an attempt of

	mu    sync.Mutex
	begun bool       // an attempt began
	left  bool       // an attempt may have reached a server
	live  []*attempt // attempts that have not ended; one, unless a call is made several times at once
	last  error      // what the last attempt to end ended with
}

type recordKey struct{}

// Watch returns a context for one call of a method, named /package.Service/Method, and the record of its attempts. Calls
// of other methods made with that context, such as one that fetches a token, are not part of the record. Calls of the
// same method are, wherever they go: what a nested Watch sees enters the outer record too.
func Watch(ctx context.Context, method string) (context.Context, *Record) {
	r := &Record{method: method}
	if outer, ok := ctx.Value(recordKey{}).(*Record); ok && outer.method == method {
		r.parent = outer
	}
	return context.WithValue(ctx, recordKey{}, r), r
}

// Proves reports whether err, the error of the watched call, ended a call of which nothing was sent. It needs three
// things: an attempt was seen to begin; every attempt ended without having sent its message (or its headers, where the
// client may stream); and err is what the last attempt ended with. Transparent retries and those of a retryPolicy are
// attempts. A nil error proves nothing.
//
// Nothing is seen, so nothing is proven, of a call that failed before its first attempt: an expired context, a resolver
// that never answered, metadata that is not valid. Nor is anything proven when the context ends between two attempts.
func (r *Record) Proves(err error) bool {
	if r == nil || err == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.begun && len(r.live) == 0 && !r.left && r.last != nil && errors.Is(err, r.last)
}

// begin notes that a began. The attempts of one call follow each other, so an earlier one of the same call is over: grpc
// 1.85 begins one attempt too many, and never ends it, when it retries before there was a stream (withRetry in stream.go).
func (r *Record) begin(a *attempt) {
	for ; r != nil; r = r.parent {
		r.mu.Lock()
		r.begun = true
		r.live = slices.DeleteFunc(r.live, func(other *attempt) bool { return other.call == a.call })
		r.live = append(r.live, a)
		r.mu.Unlock()
	}
}

// leave notes that an attempt may have reached a server.
func (r *Record) leave() {
	for ; r != nil; r = r.parent {
		r.mu.Lock()
		r.left = true
		r.mu.Unlock()
	}
}

// end notes that a ended with err.
func (r *Record) end(a *attempt, err error) {
	for ; r != nil; r = r.parent {
		r.mu.Lock()
		r.live = slices.DeleteFunc(r.live, func(other *attempt) bool { return other == a })
		r.last = err
		r.mu.Unlock()
	}
}
