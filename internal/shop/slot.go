package shop

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

type slot struct {
	id      string
	start   time.Time
	takenBy string // the operation
}

// Republish publishes the calendar again: free slots get new numbers, and the old ones mean nothing any more.
func (s *Store) Republish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	var free []time.Time
	for id, slot := range s.slots {
		if slot.takenBy == "" {
			free = append(free, slot.start)
			delete(s.slots, id)
		}
	}
	slices.SortFunc(free, time.Time.Compare)
	s.publish(free)
}

func (s *Store) publish(starts []time.Time) {
	s.edition++
	for i, start := range starts {
		id := "slot_" + strconv.Itoa(s.edition) + "_" + strconv.Itoa(i+1)
		s.slots[id] = &slot{id: id, start: start}
	}
}

func (s *Store) freeSlots() []*slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	var free []*slot
	for _, slot := range s.slots {
		if slot.takenBy == "" {
			free = append(free, slot)
		}
	}
	slices.SortFunc(free, func(a, b *slot) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.id, b.id)) })
	return free
}
