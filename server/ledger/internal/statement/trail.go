package statement

import (
	"strconv"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// maxNote is how much the trail keeps of an actor, and of a note, in bytes.
const maxNote = 1024

// note is the end of an entry of the trail, which names no column.
func note(actor, text string) string {
	if actor == "" && text == "" {
		return "|\"\" \"\"\n"
	}
	return "|" + strconv.Quote(short(actor)) + " " + strconv.Quote(short(text)) + "\n"
}

// formatTrail writes a trail as the statements do.
func formatTrail(moves []ledger.Move) string {
	var b strings.Builder
	for i := range moves {
		m := &moves[i]
		for _, number := range []int64{m.At.UnixMicro(), int64(m.From), int64(m.To), m.Fence} {
			b.WriteString(strconv.FormatInt(number, 10))
			b.WriteByte('|')
		}
		b.WriteString(m.ID)
		b.WriteByte('|')
		b.WriteString(m.Attempt)
		b.WriteString(note(m.Actor, m.Note))
	}
	return b.String()
}

func short(s string) string {
	s = keepable(s)
	if len(s) > maxNote {
		s = strings.ToValidUTF8(s[:maxNote], "")
	}
	return s
}

// parseTrail reads what the statements wrote. An entry that it does not understand is left out: it is of a newer version.
func parseTrail(text string) []ledger.Move {
	var moves []ledger.Move
	for line := range strings.Lines(text) {
		if m, ok := parseMove(strings.TrimSuffix(line, "\n")); ok {
			moves = append(moves, m)
		}
	}
	return moves
}

func parseMove(line string) (ledger.Move, bool) {
	fields := strings.SplitN(line, "|", 7)
	if len(fields) != 7 {
		return ledger.Move{}, false
	}
	var numbers [4]int64
	for i := range numbers {
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return ledger.Move{}, false
		}
		numbers[i] = n
	}
	quoted, err := strconv.QuotedPrefix(fields[6])
	if err != nil {
		return ledger.Move{}, false
	}
	actor, err := strconv.Unquote(quoted)
	if err != nil {
		return ledger.Move{}, false
	}
	text, err := strconv.Unquote(strings.TrimPrefix(fields[6][len(quoted):], " "))
	if err != nil {
		return ledger.Move{}, false
	}
	return ledger.Move{
		At: moment(numbers[0]), From: ledger.State(numbers[1]), To: ledger.State(numbers[2]), //nolint:gosec // as stored
		Fence: numbers[3], ID: fields[4], Attempt: fields[5], Actor: actor, Note: text,
	}, true
}

// moment is a stored time: microseconds, and zero for none.
func moment(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// keepable makes a text one that every database keeps as it is, as package rules does.
func keepable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}
