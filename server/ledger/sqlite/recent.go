package sqlite

import (
	"sync"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/internal/statement"
)

// How many rows are remembered, and how much of an input.
const (
	recentRows  = 1024
	recentInput = 4 << 10
)

// recent remembers rows that are under way, as they were committed. It need not be right: whoever relies on one says its
// version, and an id and a version never name two rows.
type recent struct {
	mu   sync.Mutex
	rows map[ledger.Key]*ledger.Row // which nobody changes
}

// put remembers a row for its next move, or forgets it where that is not near.
func (r *recent) put(row *ledger.Row) {
	if row.State != ledger.Claimed && row.State != ledger.Effect || len(row.Input) > recentInput {
		r.mu.Lock()
		delete(r.rows, row.Key)
		r.mu.Unlock()
		return
	}
	kept := *row
	statement.Apart(&kept)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.rows == nil || len(r.rows) >= recentRows { // some of them never came back
		r.rows = make(map[ledger.Key]*ledger.Row)
	}
	r.rows[row.Key] = &kept
}

func (r *recent) get(key ledger.Key) (ledger.Row, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	row := r.rows[key]
	if row == nil {
		return ledger.Row{}, false
	}
	return *row, true
}
