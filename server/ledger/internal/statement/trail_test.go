package statement

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/server/ledger"
)

// What is written of a trail is read as it was, whatever its notes are.
func TestTrailComesBack(t *testing.T) {
	t.Parallel()
	name := rapid.StringMatching(`[a-z0-9_-]{0,36}`)
	note := rapid.Custom(func(t *rapid.T) string { return short(rapid.String().Draw(t, "note")) })
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.Custom(func(t *rapid.T) ledger.Move {
			return ledger.Move{
				At:   moment(rapid.Int64Range(1, 1<<52).Draw(t, "at")),
				From: ledger.State(rapid.IntRange(0, 6).Draw(t, "from")), To: ledger.State(rapid.IntRange(1, 6).Draw(t, "to")),
				ID: name.Draw(t, "id"), Fence: rapid.Int64Min(1).Draw(t, "fence"), Attempt: name.Draw(t, "attempt"),
				Actor: note.Draw(t, "actor"), Note: note.Draw(t, "note"),
			}
		})).Draw(t, "trail")
		if diff := cmp.Diff(parseTrail(formatTrail(want)), want, cmp.Transformer("nil", func(m []ledger.Move) []ledger.Move {
			return append([]ledger.Move{}, m...)
		})); diff != "" && len(want) > 0 {
			t.Fatalf("-got +want\n%s", diff)
		}
	})
}

func TestTrailOfANewerVersion(t *testing.T) {
	t.Parallel()
	known := formatTrail([]ledger.Move{{At: moment(1), From: ledger.None, To: ledger.Claimed, ID: "op_1", Fence: 1, Attempt: "at_1"}})
	got := parseTrail("something else\n1|2\n1|2|3|x|a|b|\"\" \"\"\n1|2|3|4|a|b|c\n1|2|3|4|a|b|\"\" c\n" + known)
	if len(got) != 1 || got[0].ID != "op_1" {
		t.Errorf("parseTrail() = %+v; want the entry that is known", got)
	}
}

func TestNotesAreBounded(t *testing.T) {
	t.Parallel()
	got := note(strings.Repeat("é", maxNote), strings.Repeat("\x00", maxNote))
	if moves := parseTrail("1|2|3|4|a|b" + got); len(moves) != 1 || len(moves[0].Actor) > maxNote || len(moves[0].Note) > maxNote {
		t.Errorf("parseTrail() of %d bytes = %+v", len(got), moves)
	}
}
