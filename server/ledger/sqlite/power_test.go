//go:build unix

package sqlite

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
)

// moment is what there was when moves had been acknowledged.
type moment struct {
	acknowledged map[string]ledger.State
	left         map[string][]byte
}

// work has callers make operations, and returns what a power cut would leave after each move that was acknowledged.
func work(t *testing.T, durability Durability) []moment {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	l, err := Open(t.Context(), path, WithDurability(durability), onDisk(t))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	var mu sync.Mutex
	var moments []moment
	states := make(map[string]ledger.State)
	acknowledged := func(row ledger.Row, ok bool, err error) ledger.Row {
		if err != nil || !ok {
			t.Errorf("a move = %v, %v, %v", row.State, ok, err)
		}
		mu.Lock()
		defer mu.Unlock()
		states[row.Key.Key] = row.State
		moments = append(moments, moment{acknowledged: maps.Clone(states), left: durable(path)})
		return row
	}
	var group sync.WaitGroup
	for caller := range 4 {
		group.Go(func() {
			for n := range 4 {
				row := acknowledged(l.Claim(t.Context(), claimOf(fmt.Sprintf("key%d.%d", caller, n))))
				row = acknowledged(l.Cross(t.Context(), row.Hold(), ledger.Crossing{Lease: 1 << 40}))
				acknowledged(l.Record(t.Context(), row.Hold(), ledger.Receipt{Output: []byte("{}")}))
			}
		})
	}
	group.Wait()
	return moments
}

// lost opens what a power cut left, and returns which acknowledged moves are not there.
func lost(t *testing.T, m moment, log []byte) (missing []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger.db")
	for suffix, content := range m.left {
		if suffix == "-wal" {
			content = log
		}
		if err := os.WriteFile(path+suffix, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := Open(t.Context(), path, WithDurability(Process)) // which changes nothing of what there is
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for key, state := range m.acknowledged {
		row, err := l.Get(t.Context(), claimOf(key).Key)
		if err != nil {
			t.Fatal(err)
		}
		if row.State < state { // a later one was not acknowledged yet
			missing = append(missing, fmt.Sprintf("%s is %v, was %v", key, row.State, state))
		}
	}
	return missing
}

func TestPowerCut(t *testing.T) {
	t.Parallel()
	moments := work(t, PowerCut)
	for i, m := range moments {
		if i%2 != 0 && i+1 < len(moments) {
			continue // it is fast enough that it runs with the others
		}
		log := m.left["-wal"]
		if missing := lost(t, m, log); len(missing) > 0 {
			t.Fatalf("after move %d: %v", i, missing)
		}
		if i+1 == len(moments) || i%16 != 0 {
			continue
		}
		// Of what was written after the sync, any part may be there as well.
		next := moments[i+1].left["-wal"]
		const header, frame = 32, 24 + 4096
		for cut := len(log); cut < len(next); cut += frame {
			for _, more := range []int{0, 1, frame / 2} {
				if missing := lost(t, m, next[:min(cut+more, len(next))]); len(missing) > 0 {
					t.Fatalf("after move %d, cut at %d+%d of %d: %v", i, cut, more, header+len(next), missing)
				}
			}
		}
	}
}

// The other durability loses moves, as its name says: so the test above can fail.
func TestPowerCutOfProcess(t *testing.T) {
	t.Parallel()
	moments := work(t, Process)
	last := moments[len(moments)-1]
	if missing := lost(t, last, last.left["-wal"]); len(missing) == 0 {
		t.Error("durability process lost nothing in a power cut")
	}
}

// After a sync that failed nothing is acknowledged any more: what the disk holds is known again when the file is opened anew.
func TestSyncFails(t *testing.T) {
	t.Parallel()
	l, path := opened(t, onDisk(t))
	if _, ok, err := l.Claim(t.Context(), claimOf("before")); !ok {
		t.Fatal(err)
	}
	failSyncs(path+"-wal", true)
	for _, key := range []string{"while", "while2"} {
		if _, ok, err := l.Claim(t.Context(), claimOf(key)); ok || !errors.Is(err, ledger.ErrUnavailable) {
			t.Errorf("Claim() while syncs fail = %v, %v; want ErrUnavailable", ok, err)
		}
	}
	failSyncs(path+"-wal", false)
	if _, ok, err := l.Claim(t.Context(), claimOf("after")); ok || err == nil || !strings.Contains(err.Error(), "look at the disk") {
		t.Errorf("Claim() after a sync failed = %v, %v; want that the file has to be opened anew", ok, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, key := range []string{"before", "while", "while2", "after"} {
		row, ok, err := l.Claim(t.Context(), claimOf(key)) // asked again
		if !ok || row.Fence != 1 {
			t.Errorf("Claim(%s) asked again = fence %d, %v, %v; want it made once", key, row.Fence, ok, err)
		}
	}
}
