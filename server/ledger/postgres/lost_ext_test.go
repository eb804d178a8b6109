package postgres_test

import (
	"context"
	"errors"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/postgres"
)

// path is an operation through its moves; each is asked for again with the same arguments. A statement that arrives late, when
// the same one was made already on another connection, finds that its guard is gone: no row comes back to a state under the
// fence that it had there.
type path []struct {
	name string
	move func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error)
	want ledger.State
}

func hold(key ledger.Key, fence int64) ledger.Hold {
	return ledger.Hold{Key: key, ID: "op_" + key.Key, Fence: fence}
}

func claimOf(key ledger.Key, immediate *ledger.Crossing) ledger.Claim {
	return ledger.Claim{Key: key, ID: "op_" + key.Key, Attempt: "at_" + key.Key, Lease: time.Minute, Immediate: immediate}
}

func moves() path {
	return path{
		{"claim", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Claim(ctx, claimOf(key, nil))
		}, ledger.Claimed},
		{"cross", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Cross(ctx, hold(key, 1), ledger.Crossing{Lease: time.Minute})
		}, ledger.Effect},
		{"redo", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Redo(ctx, hold(key, 1), time.Minute)
		}, ledger.Claimed},
		{"cross again", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Cross(ctx, hold(key, 2), ledger.Crossing{Lease: time.Minute})
		}, ledger.Effect},
		{"park", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Park(ctx, hold(key, 2), "nobody knows")
		}, ledger.Unknown},
		{"recover", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Recover(ctx, ledger.Recovery{Key: key, Attempt: "at_look", Lease: time.Minute})
		}, ledger.Unknown},
		{"record", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Record(ctx, hold(key, 3), ledger.Receipt{Output: []byte("{}")})
		}, ledger.Done},
		{"judge", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Judge(ctx, hold(key, 3), ledger.OK, "")
		}, ledger.Done},
		{"purge", func(ctx context.Context, l ledger.Ledger, key ledger.Key) (ledger.Row, bool, error) {
			return l.Purge(ctx, key.Tenant, "op_"+key.Key)
		}, ledger.Done},
	}
}

// Wherever the connection of a move is cut, its error says that nobody knows, and asked again it is made, once.
func TestLostConnections(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	through, proxied := newProxy(t, dsn)
	schema := newSchema(t, dsn)
	l := open(t, proxied, postgres.WithSchema(schema))
	defer l.Close()
	for point := range 12 {
		key := ledger.Key{Tenant: "acme", Tool: "pay", Key: strconv.Itoa(point)}
		for _, step := range moves() {
			lose(t, through, l, point, func() (ledger.Row, bool, error) { return step.move(t.Context(), l, key) })
			var row ledger.Row
			var ok bool
			err := errors.New("not asked")
			for asked := 0; err != nil && asked < 20; asked++ { // what was pooled may be cut, too
				row, ok, err = step.move(t.Context(), l, key)
			}
			if err != nil || !ok || row.State != step.want {
				t.Fatalf("point %d: %s asked again = %v, %v, %v; want %v", point, step.name, row.State, ok, err, step.want)
			}
		}
		row, err := l.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(row.Trail), 6; got != want || row.Crossings != 2 || row.Fence != 3 {
			t.Errorf("point %d: %d moves, %d crossings, fence %d; want that each was made once: %+v",
				point, got, row.Crossings, row.Fence, row.Trail)
		}
	}
}

// lose makes a move whose connection is cut at a point: before, with or after one of the first pieces of what is sent and
// answered.
func lose(t *testing.T, through *proxy, l ledger.Ledger, point int, move func() (ledger.Row, bool, error)) {
	t.Helper()
	var pieces atomic.Int64
	through.on(func(toServer bool, _ []byte) verdict {
		if toServer == (point%4 < 2) && pieces.Add(1) == int64(point/4)+1 {
			return []verdict{drop, passCut}[point%2]
		}
		return pass
	})
	defer through.on(nil)
	if _, ok, err := move(); err != nil && !errors.Is(err, ledger.ErrUnavailable) || err != nil && ok {
		t.Errorf("point %d: %v, %v; want ErrUnavailable", point, ok, err)
	}
}

// A server that does not answer at all is as unknown as one that is gone.
func TestSilence(t *testing.T) {
	t.Parallel()
	dsn := server(t)
	through, proxied := newProxy(t, dsn)
	l := open(t, proxied, postgres.WithSchema(newSchema(t, dsn)))
	defer l.Close()
	key := ledger.Key{Tenant: "acme", Tool: "pay", Key: "silent"}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	through.on(func(toServer bool, _ []byte) verdict {
		if !toServer {
			cancel()
			<-over // the answer never comes
			return drop
		}
		return pass
	})
	_, ok, err := l.Claim(ctx, claimOf(key, nil))
	if ok || !errors.Is(err, context.Canceled) || !errors.Is(err, ledger.ErrUnavailable) {
		t.Errorf("Claim() = %v, %v; want that ctx ended, and that it is not known", ok, err)
	}
	through.on(nil)
	close(over)
	if row, ok, err := l.Claim(t.Context(), claimOf(key, nil)); !ok || row.Fence != 1 {
		t.Errorf("Claim() again = %v, %v, %v; want it made once", row, ok, err)
	}
}
