package statement

import (
	"fmt"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
)

// record is a row as it is stored: numbers, texts and bytes only, which every driver knows.
type record struct {
	key                                                            ledger.Key
	state, version, fence, crossings                               int64
	id, attempt                                                    string
	sent, prepared                                                 []byte
	toolVersion, principal, runID                                  string
	input, journal, progress                                       []byte
	leaseUntil, actsUntil, createdAt, crossedAt, movedAt, lookedAt int64
	output, hash                                                   []byte
	omitted, size, completedAt, verdict                            int64
	verdictReason, reason, failureCode                             string
	failureStatus                                                  []byte
	contradicted                                                   int64
	trail                                                          string
	now                                                            int64
}

// columns are those of a row, with where each goes; the time of the store comes after them.
//
//nolint:gochecknoglobals // a constant that Go cannot write as such
var columns = []struct {
	name string
	at   func(*record) any
}{
	{"tenant", func(r *record) any { return &r.key.Tenant }},
	{"scope", func(r *record) any { return &r.key.Scope }},
	{"tool", func(r *record) any { return &r.key.Tool }},
	{"key", func(r *record) any { return &r.key.Key }},
	{"state", func(r *record) any { return &r.state }},
	{"version", func(r *record) any { return &r.version }},
	{"id", func(r *record) any { return &r.id }},
	{"attempt", func(r *record) any { return &r.attempt }},
	{"fence", func(r *record) any { return &r.fence }},
	{"crossings", func(r *record) any { return &r.crossings }},
	{"sent", func(r *record) any { return &r.sent }},
	{"prepared", func(r *record) any { return &r.prepared }},
	{"tool_version", func(r *record) any { return &r.toolVersion }},
	{"principal", func(r *record) any { return &r.principal }},
	{"run_id", func(r *record) any { return &r.runID }},
	{"input", func(r *record) any { return &r.input }},
	{"journal", func(r *record) any { return &r.journal }},
	{"progress", func(r *record) any { return &r.progress }},
	{"lease_until", func(r *record) any { return &r.leaseUntil }},
	{"acts_until", func(r *record) any { return &r.actsUntil }},
	{"created_at", func(r *record) any { return &r.createdAt }},
	{"crossed_at", func(r *record) any { return &r.crossedAt }},
	{"moved_at", func(r *record) any { return &r.movedAt }},
	{"looked_at", func(r *record) any { return &r.lookedAt }},
	{"output", func(r *record) any { return &r.output }},
	{"omitted", func(r *record) any { return &r.omitted }},
	{"size", func(r *record) any { return &r.size }},
	{"hash", func(r *record) any { return &r.hash }},
	{"completed_at", func(r *record) any { return &r.completedAt }},
	{"verdict", func(r *record) any { return &r.verdict }},
	{"verdict_reason", func(r *record) any { return &r.verdictReason }},
	{"reason", func(r *record) any { return &r.reason }},
	{"failure_code", func(r *record) any { return &r.failureCode }},
	{"failure_status", func(r *record) any { return &r.failureStatus }},
	{"contradicted", func(r *record) any { return &r.contradicted }},
	{"trail", func(r *record) any { return &r.trail }},
}

// selection is the columns as SQL.
//
//nolint:gochecknoglobals // computed once from columns
var selection = func() string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.name
	}
	return strings.Join(names, ", ")
}()

// Seen is a row, and the time of the store at which it was seen.
type Seen struct {
	ledger.Row

	Now time.Time
}

// Scan reads one row that a statement of this package returned. Each of the places that scan gets is a *int64, *string or
// *[]byte; more are those of [Dialect.Returning].
func Scan(scan func(places ...any) error, more ...any) (Seen, error) {
	var r record
	places := make([]any, 0, len(columns)+1+len(more))
	for _, c := range columns {
		places = append(places, c.at(&r))
	}
	if err := scan(append(append(places, &r.now), more...)...); err != nil {
		return Seen{}, fmt.Errorf("reading a row: %w", err)
	}
	return r.seen(), nil
}

func (r *record) seen() Seen {
	row := ledger.Row{
		Key: r.key, State: ledger.State(r.state), Version: r.version, //nolint:gosec // as stored
		ID: r.id, Attempt: r.attempt, Fence: r.fence, Crossings: int(r.crossings),
		ToolVersion: r.toolVersion, Principal: r.principal, RunID: r.runID,
		Input: filled(r.input), Journal: filled(r.journal), Progress: filled(r.progress),
		Leased: r.now < r.leaseUntil, LeaseUntil: moment(r.leaseUntil), ActsUntil: moment(r.actsUntil),
		CreatedAt: moment(r.createdAt), CrossedAt: moment(r.crossedAt), MovedAt: moment(r.movedAt), LookedAt: moment(r.lookedAt),
		Receipt: ledger.Receipt{
			Output: filled(r.output), Omitted: ledger.Omitted(r.omitted), //nolint:gosec // as stored
			Size: r.size, CompletedAt: moment(r.completedAt),
		},
		Verdict: ledger.Verdict(r.verdict), VerdictReason: r.verdictReason, //nolint:gosec // as stored
		Reason: r.reason, Failure: ledger.Failure{Code: r.failureCode, Status: filled(r.failureStatus)},
		Contradicted: r.contradicted != 0, Trail: parseTrail(r.trail),
	}
	copy(row.Sent[:], r.sent)
	copy(row.Prepared[:], r.prepared)
	copy(row.Receipt.Hash[:], r.hash)
	return Seen{Row: row, Now: time.UnixMicro(r.now).UTC()}
}

// filled is nil for nothing, as the databases do not all tell nothing from null.
func filled(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}
