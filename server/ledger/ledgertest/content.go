package ledgertest

import (
	"bytes"
	"errors"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger"
)

// testApart holds that the same key of another tenant, scope or tool is another operation, wherever one name ends and the
// next begins.
func testApart(s *suite) {
	keys := []ledger.Key{
		{Tenant: "a", Scope: "b", Tool: "c", Key: "d"},
		{Tenant: "A", Scope: "b", Tool: "c", Key: "d"},
		{Tenant: "a", Scope: "B", Tool: "c", Key: "d"},
		{Tenant: "a", Scope: "b", Tool: "C", Key: "d"},
		{Tenant: "a", Scope: "b", Tool: "c", Key: "D"},
		{Tenant: "a", Scope: "", Tool: "c", Key: "d"},
		{Tenant: "", Scope: "b", Tool: "c", Key: "d"},
		{Tenant: "ab", Scope: "", Tool: "c", Key: "d"},
		{Tenant: "a", Scope: "bc", Tool: "", Key: "d"},
		{Tenant: "a", Scope: "b", Tool: "cd", Key: ""},
		{Tenant: "a", Scope: "b ", Tool: "c", Key: "d"},
		{Tenant: "a", Scope: "b", Tool: "c", Key: "é"},
		{Tenant: "a", Scope: "b", Tool: "c", Key: "e\u0301"},
	}
	rows := make([]ledger.Row, len(keys))
	for i, key := range keys {
		rows[i] = s.claimed(key)
		if rows[i].Fence != 1 {
			s.Errorf("Claim(%+v) returned fence %d; want a row of its own", key, rows[i].Fence)
		}
	}
	s.must(s.Cross(s.Context(), rows[0].Hold(), crossing()))
	for i := range rows[1:] {
		s.same("Get()", s.get(keys[i+1]), rows[i+1])
	}
	hold := rows[0].Hold()
	hold.Key = keys[1]
	s.mustNot(s.Record(s.Context(), hold, receipt("{}")))

	found, err := s.Find(s.Context(), "a", rows[1].ID)
	if err != nil {
		s.Errorf("Find() = %v", err)
	}
	s.same("Find() in another tenant", found, ledger.Row{})
	found, err = s.Find(s.Context(), "A", rows[1].ID)
	if err != nil {
		s.Errorf("Find() = %v", err)
	}
	s.same("Find()", found, rows[1])
}

// testTexts holds that texts and bytes come back as they were given.
func testTexts(s *suite) {
	texts := []string{
		`'; DROP TABLE operations; --`, `"quoted" \back\slash %s %d _ * ?`, "Grüße, 世界 🙂 \u202eabc\u202c e\u0301",
		"one\r\ntwo\tthree\x1b[0m", strings.Repeat("k", 64), `{"a":[1,null]}`, "$1 :name @p ?1",
	}
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	for i, text := range texts {
		key := ledger.Key{Tenant: text, Scope: text, Tool: text, Key: texts[(i+1)%len(texts)]}
		claim := s.claimOf(key)
		claim.Version, claim.Principal, claim.RunID, claim.Input = text, text, text, every
		row := s.must(s.Claim(s.Context(), claim))
		if row.ToolVersion != text || row.Principal != text || row.RunID != text || !bytes.Equal(row.Input, every) {
			s.Errorf("Claim(%q) returned %+v; want the texts", text, row)
		}
		row = s.must(s.Cross(s.Context(), row.Hold(), ledger.Crossing{Lease: effectLease, Journal: every}))
		if !bytes.Equal(row.Journal, every) {
			s.Errorf("Cross() returned the journal %q; want every byte", row.Journal)
		}
		row = s.must(s.Park(s.Context(), row.Hold(), text))
		resolution := applied(&row, text)
		resolution.Actor, resolution.Reason = text, text
		row = s.must(s.Resolve(s.Context(), resolution))
		row = s.must(s.Judge(s.Context(), row.Hold(), ledger.Failed, text))
		last := row.Trail[len(row.Trail)-1]
		if row.VerdictReason != text || last.Actor != text || last.Note != text || string(row.Receipt.Output) != text {
			s.Errorf("a row with the text %q is %+v", text, row)
		}
		s.same("Get()", s.get(key), row)
		found, err := s.Find(s.Context(), text, row.ID)
		if err != nil {
			s.Errorf("Find() = %v", err)
		}
		s.same("Find()", found, row)
		rows, _, err := s.List(s.Context(), ledger.Filter{Tenant: text, Scope: text, Tool: text, Key: key.Key, RunID: text, Limit: 1})
		if diff := diffRows(rows, []ledger.Row{row}); err != nil || diff != "" {
			s.Errorf("List(%q) = %v: -got +want\n%s", text, err, diff)
		}
	}
	s.unkeepable("nul\x00in the middle")
	s.unkeepable("not \xff UTF-8")
	freed := s.must(s.Free(s.Context(), s.claimed(s.key()).Hold(), ledger.Failure{Code: "slot_stale", Status: every}))
	if !bytes.Equal(s.get(freed.Key).Failure.Status, every) {
		s.Errorf("Free() kept the status %q; want every byte", freed.Failure.Status)
	}
}

// unkeepable uses a text that not every database keeps: as a name it is refused, elsewhere it is replaced.
func (s *suite) unkeepable(text string) {
	s.Helper()
	for i, change := range []func(c *ledger.Claim){
		func(c *ledger.Claim) { c.Tenant = text }, func(c *ledger.Claim) { c.Scope = text },
		func(c *ledger.Claim) { c.Tool = text }, func(c *ledger.Claim) { c.Key.Key = text },
		func(c *ledger.Claim) { c.ID = text }, func(c *ledger.Claim) { c.Attempt = text },
		func(c *ledger.Claim) { c.Version = text }, func(c *ledger.Claim) { c.Principal = text },
		func(c *ledger.Claim) { c.RunID = text },
	} {
		claim := s.claimOf(s.key())
		change(&claim)
		if _, ok, err := s.Claim(s.Context(), claim); ok || !errors.Is(err, ledger.ErrName) {
			s.Errorf("Claim() with %q as name %d = %v, %v; want %v", text, i, ok, err, ledger.ErrName)
		}
	}
	want := strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
	row := s.must(s.Park(s.Context(), s.crossed(s.key()).Hold(), text))
	if row = s.get(row.Key); row.Reason != want || row.Trail[len(row.Trail)-1].Note != want {
		s.Errorf("Park(%q) left %+v; want the reason %q", text, row, want)
	}
	resolution := applied(&row, "{}")
	resolution.Actor, resolution.Reason = text, text
	row = s.must(s.Resolve(s.Context(), resolution))
	row = s.must(s.Judge(s.Context(), row.Hold(), ledger.Failed, text))
	last := row.Trail[len(row.Trail)-1]
	if row.VerdictReason != want || last.Actor != want || last.Note != want {
		s.Errorf("the row is %+v; want the text %q", row, want)
	}
	s.must(s.Judge(s.Context(), row.Hold(), ledger.Failed, text))
	row = s.must(s.Free(s.Context(), s.claimed(s.key()).Hold(), ledger.Failure{Code: text}))
	if row.Failure.Code != want {
		s.Errorf("Free(%q) returned the code %q; want %q", text, row.Failure.Code, want)
	}
}

// testLarge holds what is as large as it may be.
func testLarge(s *suite) {
	output := `"` + strings.Repeat("0123456789abcde\n", 1<<16) + `"` // 1 MiB and the quotes
	row := s.claimed(s.key())
	journal := bytes.Repeat([]byte{0xfe}, ledger.MaxJournal)
	row = s.must(s.Cross(s.Context(), row.Hold(), ledger.Crossing{Lease: effectLease, Journal: journal}))
	row = s.must(s.Record(s.Context(), row.Hold(), receipt(output)))
	got := s.get(row.Key)
	if string(got.Receipt.Output) != output || got.Receipt.Size != int64(len(output)) || len(got.Journal) != ledger.MaxJournal {
		s.Errorf("the row has an output of %d bytes and a journal of %d; want %d and %d",
			len(got.Receipt.Output), len(got.Journal), len(output), ledger.MaxJournal)
	}
	rows, _, err := s.List(s.Context(), ledger.Filter{Tenant: row.Tenant, Limit: 5})
	if err != nil || len(rows) != 1 || rows[0].Receipt.Hash != row.Receipt.Hash {
		s.Errorf("List() = %d rows, %v; want the one", len(rows), err)
	}
}

// testCopies holds that a store keeps nothing of its callers', and they nothing of its.
func testCopies(s *suite) {
	scribble := func(all ...[]byte) {
		for _, b := range all {
			for i := range b {
				b[i] = '!'
			}
		}
	}
	input, journal, output, status := []byte("input"), []byte("journal"), []byte("output"), []byte("status")
	claim := s.claimOf(s.key())
	claim.Input = input
	row := s.must(s.Claim(s.Context(), claim))
	row = s.must(s.Cross(s.Context(), row.Hold(), ledger.Crossing{Lease: effectLease, Journal: journal}))
	scribble(input, journal, row.Input, row.Journal)
	row.Trail[0].Note = "!"
	if got := s.get(row.Key); string(got.Input) != "input" || string(got.Journal) != "journal" || got.Trail[0].Note != "" {
		s.Errorf("the row is %+v; want it as it was given", got)
	}
	row = s.must(s.Record(s.Context(), row.Hold(), ledger.Receipt{Output: output}))
	scribble(output, row.Receipt.Output)
	got := s.get(row.Key)
	scribble(got.Receipt.Output)
	if got := s.get(row.Key); string(got.Receipt.Output) != "output" {
		s.Errorf("the output is %q; want it as it was given", got.Receipt.Output)
	}
	row = s.must(s.Free(s.Context(), s.claimed(s.key()).Hold(), ledger.Failure{Status: status}))
	scribble(status, row.Failure.Status)
	if got := s.get(row.Key); string(got.Failure.Status) != "status" {
		s.Errorf("the status is %q; want it as it was given", got.Failure.Status)
	}
}

// testTrail holds that a row keeps its last moves, over operations.
func testTrail(s *suite) {
	key := s.key()
	var want []ledger.Move
	for range ledger.MaxTrail {
		s.clock.Advance(1e6)
		row := s.claimed(key)
		want = append(want, ledger.Move{
			At: s.clock.Now(), From: from(row.Fence), To: ledger.Claimed, ID: row.ID, Fence: row.Fence, Attempt: row.Attempt,
		})
		s.clock.Advance(1e6)
		s.must(s.Free(s.Context(), row.Hold(), failure()))
		want = append(want, ledger.Move{
			At: s.clock.Now(), From: ledger.Claimed, To: ledger.Free, ID: row.ID, Fence: row.Fence, Attempt: row.Attempt, Note: "slot_stale",
		})
		if diff := diffRows(s.get(key).Trail, want[max(0, len(want)-ledger.MaxTrail):]); diff != "" {
			s.Fatalf("the trail after %d moves: -got +want\n%s", len(want), diff)
		}
	}
}

func from(fence int64) ledger.State {
	if fence == 1 {
		return ledger.None
	}
	return ledger.Free
}
