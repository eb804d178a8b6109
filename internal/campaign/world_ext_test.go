//go:build crashpoint && linux

package campaign_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/shop"
)

// world is what outlives daemons: a database, the book of the carrier, and callers.
type world struct {
	folder, db, book string
	carrier          *shop.Carrier

	stopped bool          // processes are stopped, and go on
	crowd   int           // callers besides of one intent; negative is one besides, now and then
	hasty   bool          // half of the callers have little time
	insist  bool          // callers go on asking for what is over
	rest    time.Duration // of a caller after a call

	mu      sync.Mutex
	random  *rand.Rand // of the callers, who come in any order
	intents map[string]*intent
	open    []*intent // to be asked for again
	fresh   int       // how many new ones callers may begin
	choose  func(*rand.Rand) (tool, fate string)
	counts  map[string]int // of answers, and of moves
}

func newWorld(folder, db string, seed, number uint64) *world {
	w := &world{
		folder: folder, db: db, book: filepath.Join(folder, "book"), crowd: -1,
		random: rand.New(rand.NewPCG(seed, ^number)), intents: map[string]*intent{}, counts: map[string]int{},
	}
	w.carrier = shop.NewCarrier(w.book)
	return w
}

// count counts what callers were told.
func (w *world) count(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.counts[what]++
}

// start starts a daemon of this world.
func (w *world) start(l life) (*daemon, error) {
	return start(w.db, w.book, filepath.Join(w.folder, "log"), l)
}

type parcel struct {
	Parcel string `json:"parcel"`
	Fate   string `json:"fate,omitempty"`
}

type shipped struct {
	Parcel   string `json:"parcel"`
	Tracking string `json:"tracking"`
}

// dial makes a client that retries under its keys.
func (w *world) dial(addr string) (*client.Client, error) {
	return w.dialOnce(addr, client.WithLedger(), client.WithRetry(client.Retry{
		MaxAttempts: 6, InitialBackoff: 20 * time.Millisecond, MaxBackoff: 200 * time.Millisecond, MaxServerDelay: 2 * time.Second,
	}))
}

// dialOnce makes a client that does not. Its attempts are seen.
func (w *world) dialOnce(addr string, options ...client.Option) (*client.Client, error) {
	quick := backoff.Config{BaseDelay: 20 * time.Millisecond, Multiplier: 1.5, Jitter: 0.2, MaxDelay: 200 * time.Millisecond}
	return client.Dial(addr, append(options, client.WithInsecure(), client.WithDialOptions(
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: quick, MinConnectTimeout: time.Second}),
		grpc.WithChainUnaryInterceptor(w.attempt)))...)
}

// attempt shows each attempt to the intent that it is for.
func (w *world) attempt(
	ctx context.Context, method string, request, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, options ...grpc.CallOption,
) error {
	call, ok := request.(*servicev1.CallToolRequest)
	if !ok {
		return invoke(ctx, method, request, reply, conn, options...)
	}
	w.mu.Lock()
	in := w.intents[call.GetOperationKey()]
	w.mu.Unlock()
	known := in.acknowledged()
	err := invoke(ctx, method, request, reply, conn, options...)
	in.attempted(w, known, reply.(*servicev1.CallToolResponse).GetResult(), err)
	return err
}

// call calls the tool of an intent, within a time.
func (in *intent) call(ctx context.Context, c *client.Client, within time.Duration) (client.Result[shipped], error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	return client.Call[parcel, shipped](ctx, c, in.tool, parcel{Parcel: "p-" + in.key, Fate: in.fate}, client.WithOperationKey(in.key))
}

// callers call until ctx ends: each what nobody has asked for yet, or what has not been answered for good. The client of a call
// is one of those given.
func (w *world) callers(ctx context.Context, n int, clients ...*client.Client) (wait func()) {
	var callers sync.WaitGroup
	for range n {
		callers.Go(func() {
			for ctx.Err() == nil {
				in, c := w.next(clients)
				if in == nil {
					pause(ctx, 5*time.Millisecond)
					continue
				}
				_, err := in.call(ctx, c, w.haste())
				in.called(err)
				w.again(in)
				pause(ctx, w.rest)
			}
		})
	}
	return callers.Wait
}

// callTimeout is the time of a call of somebody who has time.
const callTimeout = 4 * time.Second

// haste is the time of a call of somebody.
func (w *world) haste() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hasty && w.random.IntN(2) == 0 {
		return time.Duration(1+w.random.IntN(25)) * time.Millisecond
	}
	return callTimeout
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// next chooses what to call for; nil is nothing.
func (w *world) next(clients []*client.Client) (*intent, *client.Client) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := clients[w.random.IntN(len(clients))]
	if w.fresh > 0 && (len(w.open) == 0 || w.random.IntN(4) > 0) {
		w.fresh--
		tool, fate := w.choose(w.random)
		n := len(w.intents)
		in := &intent{number: n, key: fmt.Sprintf("k%d", n), tool: tool, fate: fate, none: map[string]bool{}}
		w.intents[in.key] = in
		besides := w.crowd
		if besides < 0 {
			besides = one(w.random, 0, 0, 0, 0, 1)
		}
		in.shared = besides > 0
		for range besides {
			w.open = append(w.open, in)
		}
		return in, c
	}
	if len(w.open) == 0 {
		return nil, nil
	}
	i := w.random.IntN(len(w.open))
	in := w.open[i]
	w.open = slices.Delete(w.open, i, i+1)
	return in, c
}

// again puts an intent back that is not over.
func (w *world) again(in *intent) {
	if in.isOver() && !w.insist {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, in)
}

// focus says what callers begin from now on.
func (w *world) focus(fresh int, choose func(*rand.Rand) (tool, fate string)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh, w.choose = fresh, choose
}

// more lets callers begin another one.
func (w *world) more() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh++
}

// all are the intents, in order of their keys.
func (w *world) all() []*intent {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.SortedFunc(maps.Values(w.intents), func(a, b *intent) int { return cmp.Compare(a.number, b.number) })
}

// settle waits until every operation has ended, with nobody calling, and returns how long that took.
func settle(ctx context.Context, c *client.Client, within time.Duration) (time.Duration, error) {
	begun := time.Now()
	for {
		left := 0
		for _, err := range c.Operations(ctx, client.OperationFilter{States: []servicev1.OperationState{stateClaimed, stateEffect}}) {
			if err != nil {
				return 0, fmt.Errorf("listing: %w", err)
			}
			left++
		}
		took := time.Since(begun)
		switch {
		case left == 0:
			return took, nil
		case took > within:
			return took, fmt.Errorf("%d operations have not ended within %v", left, within)
		}
		pause(ctx, 50*time.Millisecond)
	}
}

// short is a state in lower case.
func short(state servicev1.OperationState) string {
	return strings.ToLower(strings.Replace(strings.TrimPrefix(state.String(), "OPERATION_STATE_"), "UNSPECIFIED", "none", 1))
}

// audit checks every intent against the ledger and the carrier, calls for it once more, and returns what is wrong.
func (w *world) audit(ctx context.Context, c *client.Client) (reports []string, states map[string]int) {
	requests, err := w.carrier.Requests()
	if err != nil {
		return []string{err.Error()}, nil
	}
	states = map[string]int{}
	rows := map[*intent]*servicev1.Operation{}
	for _, in := range w.all() {
		operation, err := c.Operation(ctx, client.OperationKey(in.tool, in.key))
		if err != nil && !errors.Is(err, errs.CodeOperationNotFound) {
			reports = append(reports, fmt.Sprintf("%v: reading its operation: %v", in, err))
			continue
		}
		rows[in] = operation
		states[short(operation.GetState())]++
		for _, m := range operation.GetTrail() {
			w.count(short(m.GetFrom()) + "→" + short(m.GetTo()))
		}
		mine := in.of(requests)
		in.effects(mine)
		in.settled(operation, mine, w.stopped)
		result, err := in.call(ctx, c, callTimeout)
		in.answered(operation, mine, result, err)
	}
	if requests, err = w.carrier.Requests(); err != nil {
		return append(reports, err.Error()), states
	}
	for _, in := range w.all() {
		mine := in.of(requests)
		in.effects(mine)
		if report := in.report(rows[in], mine); report != "" {
			reports = append(reports, report)
		}
	}
	return reports, states
}
