package memory

import (
	"bytes"
	"container/list"
	"slices"

	"github.com/remedyrpc/remedy/server/ledger"
)

// shelf holds rows, and knows which of them give way first.
type shelf struct {
	rows    map[ledger.Key]*entry
	ids     map[operation]ledger.Key
	free    *list.List // of keys of FREE rows, the oldest in front
	done    *list.List // of keys of rows with an output, the oldest in front
	outputs int        // bytes
}

type operation struct{ tenant, id string }

type entry struct {
	row   ledger.Row
	place *list.Element // in free or done
}

func newShelf() shelf {
	return shelf{
		rows: make(map[ledger.Key]*entry), ids: make(map[operation]ledger.Key), free: list.New(), done: list.New(),
	}
}

func (s *shelf) len() int { return len(s.rows) }

func (s *shelf) has(key ledger.Key) bool { return s.rows[key] != nil }

// get returns a row, or what is known of a key without one.
func (s *shelf) get(key ledger.Key) ledger.Row {
	if e := s.rows[key]; e != nil {
		return e.row
	}
	return ledger.Row{Key: key}
}

func (s *shelf) keyOf(tenant, id string) (ledger.Key, bool) {
	key, ok := s.ids[operation{tenant, id}]
	return key, ok
}

// put replaces the row of a key.
func (s *shelf) put(row ledger.Row) {
	e := s.rows[row.Key]
	if e == nil {
		e = &entry{}
		s.rows[row.Key] = e
	}
	if from, to := s.line(&e.row), s.line(&row); from != to {
		s.leave(from, e)
		if to != nil {
			e.place = to.PushBack(row.Key)
		}
	}
	s.outputs += len(row.Receipt.Output) - len(e.row.Receipt.Output)
	delete(s.ids, operation{e.row.Tenant, e.row.ID})
	s.ids[operation{row.Tenant, row.ID}] = row.Key
	e.row = row
}

func (s *shelf) drop(key ledger.Key) {
	e := s.rows[key]
	s.leave(s.line(&e.row), e)
	s.outputs -= len(e.row.Receipt.Output)
	delete(s.ids, operation{e.row.Tenant, e.row.ID})
	delete(s.rows, key)
}

// line is where a row waits to give way, or nil.
func (s *shelf) line(row *ledger.Row) *list.List {
	switch {
	case row.State == ledger.Free:
		return s.free
	case len(row.Receipt.Output) > 0:
		return s.done
	default:
		return nil
	}
}

func (s *shelf) leave(line *list.List, e *entry) {
	if line != nil {
		line.Remove(e.place)
		e.place = nil
	}
}

// oldestFree is the key whose operation was freed first.
func (s *shelf) oldestFree() (ledger.Key, bool) { return front(s.free) }

// oldestOutput is the row with an output that was recorded first.
func (s *shelf) oldestOutput() ledger.Row {
	key, _ := front(s.done)
	return s.get(key)
}

func front(line *list.List) (ledger.Key, bool) {
	if line.Len() == 0 {
		return ledger.Key{}, false
	}
	key, ok := line.Front().Value.(ledger.Key)
	return key, ok
}

// clone keeps the slices of a row from being shared with a caller.
func clone(row ledger.Row) ledger.Row {
	row.Input = bytes.Clone(row.Input)
	row.Journal = bytes.Clone(row.Journal)
	row.Progress = bytes.Clone(row.Progress)
	row.Receipt.Output = bytes.Clone(row.Receipt.Output)
	row.Failure.Status = bytes.Clone(row.Failure.Status)
	row.Trail = slices.Clone(row.Trail)
	return row
}
