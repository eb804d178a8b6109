package ledgertest

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/remedyrpc/remedy/server/ledger"
)

// The times of the suite.
const (
	lease       = 10 * time.Second
	effectLease = 40 * time.Second
	lookLease   = 15 * time.Second
	every       = 5 * time.Second
)

// suite is one test with its store, seen through one handle.
type suite struct {
	*testing.T
	ledger.Ledger

	store   Store
	clock   *Clock
	names   atomic.Int64
	restart func() *suite // on another store
}

// name is one that was not used before.
func (s *suite) name(kind string) string { return fmt.Sprintf("%s%d", kind, s.names.Add(1)) }

// key is one that was not used before.
func (s *suite) key() ledger.Key {
	return ledger.Key{Tenant: "acme", Scope: "ada", Tool: "cancel_order", Key: s.name("key")}
}

// another is a second handle on the store.
func (s *suite) another() ledger.Ledger {
	s.Helper()
	if !s.store.Shared {
		return s.Ledger
	}
	return open(s.T, s.store)
}

// reopen closes the handle and opens another one. Where the store is not durable, it does nothing.
func (s *suite) reopen() {
	s.Helper()
	if !s.store.Durable {
		return
	}
	if err := s.Close(); err != nil {
		s.Fatalf("Close() = %v", err)
	}
	s.Ledger = open(s.T, s.store)
}

func digest(text string) ledger.Digest { return sha256.Sum256([]byte(text)) }

func (s *suite) claimOf(key ledger.Key) ledger.Claim {
	return ledger.Claim{
		Key: key, ID: s.name("op_"), Attempt: s.name("at_"), Sent: digest("a"), Prepared: digest("prepared"),
		Version: "v1", Principal: "ada", RunID: "run1", Input: []byte(`{"order":7}`), Lease: lease,
	}
}

func crossing() ledger.Crossing {
	return ledger.Crossing{Lease: effectLease, Journal: []byte(`{"ref":1}`)}
}

func receipt(output string) ledger.Receipt {
	return ledger.Receipt{Output: []byte(output), Size: int64(len(output)), Hash: sha256.Sum256([]byte(output))}
}

func failure() ledger.Failure { return ledger.Failure{Code: "slot_stale", Status: []byte{8, 9, 0}} }

// must takes what a move returned, which has to have been made.
func (s *suite) must(row ledger.Row, ok bool, err error) ledger.Row {
	s.Helper()
	if err != nil || !ok {
		s.Fatalf("a move returned %v, %v of %+v; want true", ok, err, row)
	}
	return row
}

// mustNot takes what a move returned, which may not have been made.
func (s *suite) mustNot(row ledger.Row, ok bool, err error) ledger.Row {
	s.Helper()
	if err != nil || ok {
		s.Fatalf("a move returned %v, %v of %+v; want false", ok, err, row)
	}
	return row
}

func (s *suite) get(key ledger.Key) ledger.Row {
	s.Helper()
	row, err := s.Get(s.Context(), key)
	if err != nil {
		s.Fatalf("Get(%+v) = %v", key, err)
	}
	return row
}

func (s *suite) claimed(key ledger.Key) ledger.Row {
	s.Helper()
	return s.must(s.Claim(s.Context(), s.claimOf(key)))
}

func (s *suite) crossed(key ledger.Key) ledger.Row {
	s.Helper()
	row := s.claimed(key)
	return s.must(s.Cross(s.Context(), row.Hold(), crossing()))
}

func (s *suite) recovered(key ledger.Key) ledger.Row {
	s.Helper()
	s.crossed(key)
	s.clock.Advance(effectLease)
	return s.must(s.Recover(s.Context(), s.recoveryOf(key)))
}

func (s *suite) recoveryOf(key ledger.Key) ledger.Recovery {
	return ledger.Recovery{Key: key, Attempt: s.name("at_"), Lease: lookLease, Every: every}
}

func (s *suite) redone(key ledger.Key) ledger.Row {
	s.Helper()
	return s.must(s.Redo(s.Context(), s.recovered(key).Hold(), lease))
}

func (s *suite) done(key ledger.Key) ledger.Row {
	s.Helper()
	return s.must(s.Record(s.Context(), s.crossed(key).Hold(), receipt(`{"ok":true}`)))
}

func (s *suite) unknown(key ledger.Key) ledger.Row {
	s.Helper()
	return s.must(s.Park(s.Context(), s.crossed(key).Hold(), "nobody knows"))
}

func (s *suite) closed(key ledger.Key) ledger.Row {
	s.Helper()
	row := s.unknown(key)
	s.clock.Advance(effectLease)
	return s.must(s.Resolve(s.Context(), notApplied(&row)))
}

func applied(row *ledger.Row, output string) ledger.Resolution {
	return ledger.Resolution{
		Tenant: row.Tenant, ID: row.ID, Applied: true, Output: []byte(output), Actor: "olga", Reason: "seen upstream",
	}
}

func notApplied(row *ledger.Row) ledger.Resolution {
	return ledger.Resolution{Tenant: row.Tenant, ID: row.ID, Actor: "olga", Reason: "not there"}
}

// same compares rows in all fields.
func (s *suite) same(what string, got, want ledger.Row) {
	s.Helper()
	if diff := diffRows(got, want); diff != "" {
		s.Errorf("%s: -got +want\n%s", what, diff)
	}
}

func diffRows(got, want any) string {
	if reflect.DeepEqual(got, want) { // which most are, and it is much faster
		return ""
	}
	return cmp.Diff(got, want, cmpopts.EquateEmpty())
}
