package ledgertest

import (
	"errors"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testList holds what a filter lets through.
func testList(s *suite) {
	key := func(scope, tool, name string) ledger.Key {
		return ledger.Key{Tenant: "acme", Scope: scope, Tool: tool, Key: name}
	}
	claim := func(key ledger.Key, run string) ledger.Row {
		s.clock.Advance(time.Second)
		c := s.claimOf(key)
		c.RunID, c.Principal = run, "who is "+key.Scope
		return s.must(s.Claim(s.Context(), c))
	}
	a := claim(key("ada", "pay", "1"), "r1")
	b := claim(key("bob", "pay", "1"), "r1")
	c := claim(key("ada", "ship", "1"), "r2")
	d := claim(key("ada", "pay", "2"), "")
	free := claim(key("ada", "pay", "3"), "r1")
	free = s.must(s.Free(s.Context(), free.Hold(), failure()))
	b = s.must(s.Cross(s.Context(), b.Hold(), crossing()))
	d = s.must(s.Park(s.Context(), d.Hold(), "?"))
	other := s.claimOf(key("ada", "pay", "1"))
	other.Tenant = "other"
	elsewhere := s.must(s.Claim(s.Context(), other))

	type list struct {
		name   string
		filter ledger.Filter
		want   []ledger.Row
	}
	for _, test := range []*list{
		{"of a tenant", ledger.Filter{Tenant: "acme"}, []ledger.Row{d, c, b, a}},
		{"of another tenant", ledger.Filter{Tenant: "other"}, []ledger.Row{elsewhere}},
		{"of no tenant", ledger.Filter{}, nil},
		{"by scope", ledger.Filter{Tenant: "acme", Scope: "ada"}, []ledger.Row{d, c, a}},
		{"by principal", ledger.Filter{Tenant: "acme", Principal: "who is bob"}, []ledger.Row{b}},
		{"by tool", ledger.Filter{Tenant: "acme", Tool: "pay"}, []ledger.Row{d, b, a}},
		{"by key", ledger.Filter{Tenant: "acme", Key: "1"}, []ledger.Row{c, b, a}},
		{"by run", ledger.Filter{Tenant: "acme", RunID: "r1"}, []ledger.Row{b, a}},
		{"by all of them", ledger.Filter{Tenant: "acme", Scope: "ada", Tool: "pay", Key: "1", RunID: "r1"}, []ledger.Row{a}},
		{"by state", ledger.Filter{Tenant: "acme", States: []ledger.State{ledger.Unknown, ledger.Effect}}, []ledger.Row{d, b}},
		{"what is free", ledger.Filter{Tenant: "acme", States: []ledger.State{ledger.Free}}, []ledger.Row{free}},
		{
			"by run and state",
			ledger.Filter{Tenant: "acme", RunID: "r1", States: []ledger.State{ledger.Free, ledger.Claimed}},
			[]ledger.Row{free, a},
		},
	} {
		test.filter.Limit = 10
		rows, token, err := s.List(s.Context(), test.filter)
		if err != nil || token != "" {
			s.Errorf("List(%s) = token %q, %v; want none", test.name, token, err)
		}
		if diff := diffRows(rows, test.want); diff != "" {
			s.Errorf("List(%s): -got +want\n%s", test.name, diff)
		}
	}
	exact, token, err := s.List(s.Context(), ledger.Filter{Tenant: "acme", Limit: 4})
	if err != nil || len(exact) != 4 || token != "" {
		s.Errorf("List() of 4 with a limit of 4 = %d rows, token %q, %v; want no other page", len(exact), token, err)
	}
	for _, token := range []string{"x", "🙂", "AAAA", "' OR 1=1 --"} {
		_, _, err := s.List(s.Context(), ledger.Filter{Tenant: "acme", Limit: 10, Token: token})
		if !errors.Is(err, ledger.ErrToken) {
			s.Errorf("List() with the token %q = %v; want %v", token, err, ledger.ErrToken)
		}
	}
}

// testPages turns pages while rows are added and move: none that was there at the start is missed, and none comes twice.
func testPages(s *suite) {
	const n = 10
	want := make(map[string]bool)
	var rows []ledger.Row
	for i := range n {
		row := s.claimed(s.key())
		want[row.ID] = true
		rows = append(rows, row)
		if i%4 == 0 { // others have the same time, on two pages
			s.clock.Advance(time.Second)
		}
	}
	seen := make(map[string]bool)
	last := s.clock.Now().Add(time.Hour)
	filter := ledger.Filter{Tenant: "acme", Limit: 3}
	for pages := 1; ; pages++ {
		page, token, err := s.List(s.Context(), filter)
		if err != nil || len(page) > 3 || pages > 4 {
			s.Fatalf("page %d has %d rows, %v; want at most 4 of 3", pages, len(page), err)
		}
		for i := range page {
			row := &page[i]
			if seen[row.ID] || !want[row.ID] || row.CreatedAt.After(last) {
				s.Errorf("page %d has %s of %v; want what was there at first, once, and the newest first", pages, row.ID, row.CreatedAt)
			}
			seen[row.ID] = true
			last = row.CreatedAt
		}
		if token == "" {
			break
		}
		filter.Token = token
		s.clock.Advance(time.Second)
		s.claimed(s.key())
		s.must(s.Cross(s.Context(), rows[pages].Hold(), crossing()))
	}
	if len(seen) != n {
		s.Errorf("the pages have %d rows; want %d", len(seen), n)
	}
}
