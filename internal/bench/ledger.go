package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"google.golang.org/grpc"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/ledger"
)

// backend is a database to keep a ledger in. Names are those of files or schemas; nothing of them is left after the run.
type backend struct {
	title string
	// how says what bare handlers write through; bare is what is without gRPC.
	how, bare string
	open      func(ctx context.Context, name string) (ledger.Ledger, error)
	// floor opens a table without a ledger; shared says whether callers share commits, where the database leaves that to them.
	floor func(ctx context.Context, name string, t *table, shared bool) (floor, error)
	// fill copies the one operation of a ledger that is closed, and returns the keys of some of the copies.
	fill func(ctx context.Context, name string, rows int) ([]string, error)
	// plan says how an operation is found; planned says of what that is the plan.
	plan    func(ctx context.Context, name string) ([]string, error)
	planned string
	// What the Execute tool has to reach of the bare handler that does the same statements, on the ledger's table, with 32 callers
	// and with one, and in a second; zero asks for nothing.
	least, leastAlone, leastPerSecond float64
}

// ledgers measures all of them.
func ledgers(ctx context.Context, w io.Writer, s *settings) (err error) {
	folder, err := os.MkdirTemp("", "bench")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	_, _ = fmt.Fprintf(w, "\nledger: medians of %d rounds of %v; ratios are of the same round\n", s.turns, s.turn)
	d, err := newDisk(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.file.Close()) }()
	if err := d.report(ctx, w); err != nil {
		return err
	}
	if err := one(ctx, w, s, sqliteIn(folder), d); err != nil {
		return fmt.Errorf("SQLite: %w", err)
	}
	dsn := os.Getenv("REMEDY_TEST_POSTGRES")
	if dsn == "" {
		_, _ = fmt.Fprintln(w, "\nledger, PostgreSQL: left out: REMEDY_TEST_POSTGRES names no server (postgres/with-server starts one)")
		return nil
	}
	b, drop, err := postgresAt(ctx, dsn)
	if err != nil {
		return fmt.Errorf("PostgreSQL: %w", err)
	}
	return errors.Join(one(ctx, w, s, b, d), drop())
}

func one(ctx context.Context, w io.Writer, s *settings, b *backend, d *disk) error {
	ctx, cancel := context.WithTimeout(ctx, time.Hour) // a deadline, as every good caller has one
	defer cancel()
	return errors.Join(throughput(ctx, w, s, b, d), lookups(ctx, w, s, b))
}

// disk appends pages to a file and syncs each: what that takes decides how many calls there are in a second.
type disk struct{ file *os.File }

func newDisk(folder string) (*disk, error) {
	f, err := os.Create(filepath.Join(folder, "sync")) //nolint:gosec // a folder of our own
	if err != nil {
		return nil, fmt.Errorf("making a file: %w", err)
	}
	return &disk{f}, nil
}

func (d *disk) sync(context.Context) error {
	if _, err := d.file.Write(make([]byte, 4096)); err != nil {
		return fmt.Errorf("writing: %w", err)
	}
	if err := d.file.Sync(); err != nil {
		return fmt.Errorf("syncing: %w", err)
	}
	return nil
}

// report says it for 100 pages.
func (d *disk) report(ctx context.Context, w io.Writer) error {
	took := make([]time.Duration, 100)
	for i := range took {
		begin := time.Now()
		if err := d.sync(ctx); err != nil {
			return err
		}
		took[i] = time.Since(begin)
	}
	slices.Sort(took)
	_, _ = fmt.Fprintf(w, "appending 4 kB and fsync in %s: median of %d %.0f µs, slowest tenth above %.0f µs\n", os.TempDir(),
		len(took), took[len(took)/2].Seconds()*1e6, took[len(took)*9/10].Seconds()*1e6)
	return nil
}

// throughput measures calls under new keys.
func throughput(ctx context.Context, w io.Writer, s *settings, b *backend, d *disk) (err error) {
	var c closers
	defer func() { err = errors.Join(err, c.close()) }()
	l, err := b.open(ctx, "ledger")
	if err != nil {
		return err
	}
	c.add(l.Close)
	floors, err := c.floors(ctx, b)
	if err != nil {
		return err
	}
	same, least, alone := floors[0], floors[1], floors[2]
	tools, err := c.tools(ctx, l)
	if err != nil {
		return err
	}
	var k keys
	through := func(conn *grpc.ClientConn, tool string) func(context.Context) error {
		return func(ctx context.Context) error { return fresh(ctx, conn, tool, k.next()) }
	}
	bare := func(do func(ctx context.Context, key string) error) func(context.Context) error {
		conn, stop, connectErr := connect(ctx, "bufconn", func(r grpc.ServiceRegistrar) {
			servicev1.RegisterToolServiceServer(r, handler{do: do})
		}, nil, nil)
		if connectErr != nil {
			err = errors.Join(err, connectErr)
			return nil
		}
		c.add(func() error { stop(); return nil })
		return through(conn, executeTool)
	}
	rows := []*row{
		{name: "Execute tool, three moves", call: through(tools, executeTool)},
		{name: "Immediate tool, two moves", call: through(tools, immediateTool)},
		{name: "bare handler, the ledger's three moves", call: bare(func(ctx context.Context, key string) error {
			return moves(ctx, l, key)
		})},
		{name: "bare handler, INSERT;UPDATE;UPDATE, the ledger's table", call: bare(func(ctx context.Context, key string) error {
			return statements(ctx, same, key, 3)
		})},
		{name: "bare handler, INSERT;UPDATE, the ledger's table", call: bare(func(ctx context.Context, key string) error {
			return statements(ctx, same, key, 2)
		})},
		{name: "bare handler, INSERT;UPDATE;UPDATE, five columns", call: bare(func(ctx context.Context, key string) error {
			return statements(ctx, least, key, 3)
		})},
		{name: "bare handler, INSERT;UPDATE, five columns", call: bare(func(ctx context.Context, key string) error {
			return statements(ctx, least, key, 2)
		})},
		{name: "no gRPC, the same, " + b.bare, call: func(ctx context.Context) error {
			return statements(ctx, alone, k.next(), 3)
		}},
	}
	if err != nil {
		return err
	}
	syncs := &rate{name: "fsync", callers: 1, call: d.sync}
	groups := [][]*rate{{syncs}}
	for _, n := range callers {
		var group []*rate
		for _, r := range rows {
			rate := &rate{name: r.name, callers: n, call: r.call}
			r.rates = append(r.rates, rate)
			group = append(group, rate)
		}
		groups = append(groups, group)
	}
	if err := interleave(ctx, groups, s.turns, s.turn); err != nil {
		return err
	}
	b.report(w, rows)
	_, _ = fmt.Fprintf(w, "  %-58s %6.0f µs\n", "fsync of 4 kB in the temporary folder, meanwhile", 1e6/median(syncs.perSecond))
	return nil
}

// callers are how many callers are measured at once; many is the one that the targets are for.
var callers = []int{1, 4, 16, 32, 64} //nolint:gochecknoglobals // a constant

const many = 3 // of callers: 32

// row is a line of the table.
type row struct {
	name  string
	call  func(ctx context.Context) error
	rates []*rate
}

func (b *backend) report(w io.Writer, rows []*row) {
	_, _ = fmt.Fprintf(w, "\nledger, %s, bufconn, calls per second by callers\n  %s\n  %-58s", b.title, b.how, "")
	for _, n := range callers {
		_, _ = fmt.Fprintf(w, " %7d", n)
	}
	_, _ = fmt.Fprintln(w)
	for _, r := range rows {
		_, _ = fmt.Fprintf(w, "  %-58s", r.name)
		for _, rate := range r.rates {
			_, _ = fmt.Fprintf(w, " %7.0f", median(rate.perSecond))
		}
		_, _ = fmt.Fprintf(w, " %7.0f allocs\n", median(r.rates[many].allocs))
	}
	execute, immediate, same := rows[0].rates, rows[1].rates, rows[2].rates
	three, two, leastThree, leastTwo := rows[3].rates, rows[4].rates, rows[5].rates, rows[6].rates
	for _, f := range []floorOf{
		{"Execute tool, 32 callers", execute[many], nil, b.leastPerSecond},
		{"Execute tool, 32 callers, to the ledger's table by hand", execute[many], three[many], b.least},
		{"Execute tool, 1 caller, to the ledger's table by hand", execute[0], three[0], b.leastAlone},
		{"Immediate tool, 32 callers, to the Execute tool", immediate[many], execute[many], 1.3},
		{"Immediate tool, 32 callers, to the ledger's table by hand", immediate[many], two[many], 0},
		{"Execute tool, 32 callers, to five columns by hand", execute[many], leastThree[many], 0},
		{"Execute tool, 1 caller, to five columns by hand", execute[0], leastThree[0], 0},
		{"Immediate tool, 32 callers, to five columns by hand", immediate[many], leastTwo[many], 0},
		{"Execute tool, 32 callers, to the ledger's moves", execute[many], same[many], 0},
		{"Execute tool, 1 caller, to the ledger's moves", execute[0], same[0], 0},
	} {
		f.report(w)
	}
}

// lookups measures whether calls take longer among many operations: the same key again, and new ones.
func lookups(ctx context.Context, w io.Writer, s *settings, b *backend) (err error) {
	var c closers
	defer func() { err = errors.Join(err, c.close()) }()
	sizes := []int{1_000, 100_000}
	if s.million {
		sizes = append(sizes, 1_000_000)
	}
	var k keys
	var replays, news []*rate
	var plan []string
	for _, size := range sizes {
		name := fmt.Sprintf("rows%d", size)
		if err := seed(ctx, b, name); err != nil {
			return err
		}
		stored, err := b.fill(ctx, name, size)
		if err != nil {
			return fmt.Errorf("storing %d operations: %w", size, err)
		}
		if plan, err = b.plan(ctx, name); err != nil {
			return fmt.Errorf("asking for the plan: %w", err)
		}
		l, err := b.open(ctx, name)
		if err != nil {
			return err
		}
		c.add(l.Close)
		conn, err := c.tools(ctx, l)
		if err != nil {
			return err
		}
		next := 0 // of one caller
		replays = append(replays, &rate{
			name: fmt.Sprintf("replay, 1 caller, %d stored", size), callers: 1,
			call: func(ctx context.Context) error {
				next++
				return again(ctx, conn, immediateTool, stored[next%len(stored)])
			},
		})
		news = append(news, &rate{
			name: fmt.Sprintf("new call, 32 callers, %d stored", size), callers: callers[many],
			call: func(ctx context.Context) error { return fresh(ctx, conn, immediateTool, "new"+k.next()) },
		})
	}
	if err := interleave(ctx, [][]*rate{replays, news}, s.turns, s.turn); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, "\nledger, %s, lookups by an Immediate tool, calls per second\n", b.title)
	for _, rates := range [][]*rate{replays, news} {
		for i, r := range rates {
			(&floorOf{r.name, r, nil, 0}).report(w)
			if i > 0 {
				(&floorOf{fmt.Sprintf("  to that of %d", sizes[0]), r, rates[0], flat}).report(w)
			}
		}
	}
	_, _ = fmt.Fprintf(w, "  plans of %s, %d stored\n", b.planned, sizes[len(sizes)-1])
	for _, line := range plan {
		_, _ = fmt.Fprintln(w, "    "+line)
	}
	return nil
}

// flat is what a lookup among many has to reach of one among few: a scan would take a hundred times as long.
const flat = 0.8

// seed makes a ledger with one operation of a tool.
func seed(ctx context.Context, b *backend, name string) (err error) {
	var c closers
	defer func() { err = errors.Join(err, c.close()) }()
	l, err := b.open(ctx, name)
	if err != nil {
		return err
	}
	c.add(l.Close)
	conn, err := c.tools(ctx, l)
	if err != nil {
		return err
	}
	return fresh(ctx, conn, immediateTool, "the-one")
}

// closers are called from the last to the first.
type closers struct{ all []func() error }

func (c *closers) add(f func() error) { c.all = append(c.all, f) }

func (c *closers) close() error {
	var errs []error
	for _, f := range slices.Backward(c.all) {
		errs = append(errs, f())
	}
	return errors.Join(errs...)
}

// floors opens what handlers by hand write to: the ledger's table, the least, and that without a shared commit.
func (c *closers) floors(ctx context.Context, b *backend) (floors [3]floor, err error) {
	tables := [3]*table{&ledgersTable, &leastTable, &leastTable}
	for i, name := range []string{"same", "least", "alone"} {
		if floors[i], err = b.floor(ctx, name, tables[i], name != "alone"); err != nil {
			return floors, err
		}
		c.add(floors[i].close)
	}
	return floors, nil
}
