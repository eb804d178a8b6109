package ledgertest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// Table is what every move makes of every state. A cell is the state after it and an exclamation mark where the move says
// true, or a dash where it says false; a dot stands for a row that did not change.
//
//go:embed table.txt
var table string

// start brings a row to where a move begins.
type start struct {
	name  string
	build func(s *suite, key ledger.Key)
}

func starts() []start {
	out := func(build func(*suite, ledger.Key), lease time.Duration) func(*suite, ledger.Key) {
		return func(s *suite, key ledger.Key) {
			build(s, key)
			s.clock.Advance(lease)
		}
	}
	claimed := func(s *suite, key ledger.Key) { s.claimed(key) }
	crossed := func(s *suite, key ledger.Key) { s.crossed(key) }
	recovered := func(s *suite, key ledger.Key) { s.recovered(key) }
	redone := func(s *suite, key ledger.Key) { s.redone(key) }
	return []start{
		{"none", func(*suite, ledger.Key) {}},
		{"free", func(s *suite, key ledger.Key) { s.must(s.Free(s.Context(), s.claimed(key).Hold(), failure())) }},
		{"free, swept", func(s *suite, key ledger.Key) {
			s.claimed(key)
			s.clock.Advance(lease)
			s.sweep()
		}},
		{"free, not applied", func(s *suite, key ledger.Key) { s.must(s.Free(s.Context(), s.crossed(key).Hold(), failure())) }},
		{"claimed", claimed},
		{"claimed, out", out(claimed, lease)},
		{"taken over", func(s *suite, key ledger.Key) {
			s.claimed(key)
			s.clock.Advance(lease)
			s.claimed(key)
		}},
		{"effect", crossed},
		{"effect, out", out(crossed, effectLease)},
		{"recovered", recovered},
		{"recovered, out", out(recovered, lookLease)},
		{"redone", redone},
		{"redone, out", out(redone, lease)},
		{"redone, taken", func(s *suite, key ledger.Key) {
			s.redone(key)
			s.clock.Advance(lease)
			s.claimed(key)
		}},
		{"crossed again", func(s *suite, key ledger.Key) { s.must(s.Cross(s.Context(), s.redone(key).Hold(), crossing())) }},
		{"done", func(s *suite, key ledger.Key) { s.done(key) }},
		{"done, ok", func(s *suite, key ledger.Key) { s.must(s.Judge(s.Context(), s.done(key).Hold(), ledger.OK, "")) }},
		{"unknown", func(s *suite, key ledger.Key) { s.unknown(key) }},
		{"unknown, not crossed", func(s *suite, key ledger.Key) { s.must(s.Park(s.Context(), s.claimed(key).Hold(), "it says so")) }},
		{"unknown, looked at", func(s *suite, key ledger.Key) {
			s.unknown(key)
			s.clock.Advance(effectLease)
			s.must(s.Recover(s.Context(), s.recoveryOf(key)))
		}},
		{"closed", func(s *suite, key ledger.Key) { s.closed(key) }},
		{"contradicted", func(s *suite, key ledger.Key) {
			s.must(s.Record(s.Context(), ledger.Hold{Key: key, ID: s.closed(key).ID, Fence: 1}, receipt("{}")))
		}},
	}
}

// ask is a call for a move.
type ask func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error)

// kind is a column of the table: what is asked of a row.
type kind struct {
	name string
	of   func(s *suite, row ledger.Row) ask
}

// held are the columns of a move for the owner of a row, an earlier and a later one, and the owner of another operation.
func held(name string, call func(ctx context.Context, l ledger.Ledger, hold ledger.Hold) (ledger.Row, bool, error)) []kind {
	by := func(name string, change func(*ledger.Hold)) kind {
		return kind{name: name, of: func(_ *suite, row ledger.Row) ask {
			hold := row.Hold()
			change(&hold)
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) { return call(ctx, l, hold) }
		}}
	}
	return []kind{
		by(name, func(*ledger.Hold) {}),
		by("older", func(h *ledger.Hold) { h.Fence-- }),
		by("newer", func(h *ledger.Hold) { h.Fence++ }),
		by("other", func(h *ledger.Hold) { h.ID = "op_other" }),
	}
}

func claims() []kind {
	with := func(name string, change func(claim *ledger.Claim, row *ledger.Row)) kind {
		return kind{name: name, of: func(s *suite, row ledger.Row) ask {
			claim := s.claimOf(row.Key)
			change(&claim, &row)
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) { return l.Claim(ctx, claim) }
		}}
	}
	again := func(c *ledger.Claim, row *ledger.Row) {
		if row.State != ledger.None {
			c.ID, c.Attempt = row.ID, row.Attempt
		}
	}
	at := crossing()
	return []kind{
		with("claim", func(*ledger.Claim, *ledger.Row) {}),
		with("again", again),
		with("input", func(c *ledger.Claim, _ *ledger.Row) { c.Sent = digest("b") }),
		with("now", func(c *ledger.Claim, _ *ledger.Row) { c.Immediate = &at }),
		with("again", func(c *ledger.Claim, row *ledger.Row) {
			again(c, row)
			c.Immediate = &at
		}),
	}
}

func recoveries() []kind {
	with := func(name string, change func(recovery *ledger.Recovery, row *ledger.Row)) kind {
		return kind{name: name, of: func(s *suite, row ledger.Row) ask {
			recovery := s.recoveryOf(row.Key)
			change(&recovery, &row)
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) { return l.Recover(ctx, recovery) }
		}}
	}
	return []kind{
		with("recover", func(*ledger.Recovery, *ledger.Row) {}),
		with("again", func(r *ledger.Recovery, row *ledger.Row) { r.Attempt = row.Attempt }),
		with("any", func(r *ledger.Recovery, _ *ledger.Row) { r.Every = 0 }),
	}
}

func upkeep() []kind {
	return []kind{
		{"applied", func(_ *suite, row ledger.Row) ask {
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) {
				return l.Resolve(ctx, applied(&row, "{}"))
			}
		}},
		{"not", func(_ *suite, row ledger.Row) ask {
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) {
				return l.Resolve(ctx, notApplied(&row))
			}
		}},
		{"sweep", func(s *suite, row ledger.Row) ask {
			sweep := ledger.Sweep{Attempt: s.name("at_"), Lease: lookLease, Limit: 1000}
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) {
				taken, err := l.Sweep(ctx, sweep)
				if err != nil {
					return ledger.Row{}, false, err
				}
				if i := slices.IndexFunc(taken, func(t ledger.Row) bool { return t.Key == row.Key }); i >= 0 {
					return taken[i], true, nil
				}
				known, err := l.Get(ctx, row.Key)
				return known, false, err
			}
		}},
		{"purge", func(_ *suite, row ledger.Row) ask {
			return func(ctx context.Context, l ledger.Ledger) (ledger.Row, bool, error) {
				return l.Purge(ctx, row.Tenant, row.ID)
			}
		}},
	}
}

func kinds() []kind {
	var all []kind
	all = append(all, claims()...)
	all = append(all, held("cross", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Cross(ctx, h, crossing())
	})...)
	all = append(all, held("free", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Free(ctx, h, failure())
	})...)
	all = append(all, held("record", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Record(ctx, h, receipt(`{"n":1}`))
	})...)
	all = append(all, held("park", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Park(ctx, h, "no idea")
	})...)
	all = append(all, held("redo", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Redo(ctx, h, lease)
	})...)
	all = append(all, held("progress", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Progress(ctx, h, []byte("half"))
	})...)
	all = append(all, held("judge", func(ctx context.Context, l ledger.Ledger, h ledger.Hold) (ledger.Row, bool, error) {
		return l.Judge(ctx, h, ledger.Failed, "not there")
	})...)
	all = append(all, recoveries()...)
	return append(all, upkeep()...)
}

// testMoves makes every move from every state, compares the rows in all fields with what the rules say and the states with
// the table, and asks again for what was true.
func testMoves(s *suite) {
	all := kinds()
	var b strings.Builder
	fmt.Fprintf(&b, "%-21s", "")
	for _, k := range all {
		fmt.Fprintf(&b, " %-*s", width(k), k.name)
	}
	for _, from := range starts() {
		fmt.Fprintf(&b, "\n%-21s", from.name)
		for _, k := range all {
			key := s.key()
			from.build(s, key)
			fmt.Fprintf(&b, " %-*s", width(k), s.try(from.name+", "+k.name, k, key))
		}
	}
	if got := trimLines(b.String()); got != table {
		s.Errorf("moves: -got +want\n%s\ngot:\n%s", diffRows(strings.Split(got, "\n"), strings.Split(table, "\n")), got)
	}
}

func width(k kind) int { return max(len(k.name), 2) }

func trimLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return b.String()
}

// try makes one move of the row of a key, and returns its cell of the table.
func (s *suite) try(what string, k kind, key ledger.Key) string {
	s.Helper()
	before := s.get(key)
	call := k.of(s, before)
	rules := newReference(s.clock)
	if before.State != ledger.None {
		rules.rows[key] = before
	}
	got, ok, err := call(s.Context(), s.Ledger)
	want, wantOK, wantErr := call(s.Context(), rules)
	s.same(what, got, want)
	if ok != wantOK || !errors.Is(err, wantErr) {
		s.Errorf("%s = %v, %v; want %v, %v", what, ok, err, wantOK, wantErr)
	}
	after, err := rules.Get(s.Context(), key)
	if err != nil {
		s.Fatal(err)
	}
	s.same(what+", and Get", s.get(key), after)
	if ok && k.name != "sweep" {
		again, ok, err := call(s.Context(), s.Ledger)
		s.same(what+", asked again", again, got)
		if !ok || err != nil {
			s.Errorf("%s, asked again = %v, %v; want true", what, ok, err)
		}
		s.same(what+", asked again, and Get", s.get(key), after)
	}
	return cell(before, after, wantOK, wantErr)
}

func cell(before, after ledger.Row, ok bool, err error) string {
	letter := "."
	if after.Version != before.Version {
		letter = strings.ToUpper(after.State.String()[:1])
		if after.State == ledger.Closed {
			letter = "X"
		}
	}
	switch {
	case err != nil:
		return letter + "e"
	case ok:
		return letter + "!"
	case letter == ".":
		return letter
	default:
		return letter + "-"
	}
}
