package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// rate is how many calls a second so many callers make at once.
type rate struct {
	name    string
	callers int
	call    func(ctx context.Context) error // an error stops the run

	perSecond, allocs []float64 // of each round
}

// interleave measures groups of rates. What is compared stands in one group, and is measured close together.
func interleave(ctx context.Context, groups [][]*rate, rounds int, turn time.Duration) error {
	for round := -1; round < rounds; round++ {
		length := turn
		if round < 0 {
			length = turn / 4 // to warm up
		}
		for _, i := range rand.Perm(len(groups)) { //nolint:gosec // only an order
			for _, j := range rand.Perm(len(groups[i])) { //nolint:gosec // only an order
				r := groups[i][j]
				if err := r.round(ctx, length); err != nil {
					return fmt.Errorf("%s, %d callers: %w", r.name, r.callers, err)
				}
				if round < 0 {
					r.perSecond, r.allocs = nil, nil
				}
			}
		}
	}
	return nil
}

// round counts the calls that begin within some time, and waits for their ends.
func (r *rate) round(ctx context.Context, length time.Duration) error {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var calls atomic.Int64
	problems := make([]error, r.callers)
	var group sync.WaitGroup
	begin := time.Now()
	for caller := range r.callers {
		group.Go(func() {
			for time.Since(begin) < length && problems[caller] == nil {
				problems[caller] = r.call(ctx)
				calls.Add(1)
			}
		})
	}
	group.Wait()
	took := time.Since(begin)
	runtime.ReadMemStats(&after)
	n := float64(calls.Load())
	r.perSecond = append(r.perSecond, n/took.Seconds())
	r.allocs = append(r.allocs, float64(after.Mallocs-before.Mallocs)/n)
	return errors.Join(problems...)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// floorOf is the least that one rate is to be: times another one, or a number a second where there is no other one.
type floorOf struct {
	what  string
	of    *rate
	times *rate
	least float64 // nothing is asked for zero
}

// report says whether it was met. Rates of one round are compared with each other, and the median is of these ratios.
func (f *floorOf) report(w io.Writer) {
	line := fmt.Sprintf("  %-58s ", f.what)
	got := median(f.of.perSecond)
	unit, digits := "/s", 0
	if f.times != nil {
		ratios := make([]float64, len(f.of.perSecond))
		for i, n := range f.of.perSecond {
			ratios[i] = n / f.times.perSecond[i]
		}
		got, unit, digits = median(ratios), "x", 3
	}
	line += fmt.Sprintf("%8.*f%s", digits, got, unit)
	if f.least > 0 {
		verdict := "met"
		if got < f.least {
			verdict = "MISSED"
		}
		line += fmt.Sprintf(" (at least %v%s)  %s", f.least, unit, verdict)
	}
	_, _ = fmt.Fprintln(w, line)
}

// keys are names that were not used before, and have no order.
type keys struct{ last atomic.Int64 }

func (k *keys) next() string {
	sum := sha256.Sum256([]byte(strconv.FormatInt(k.last.Add(1), 10)))
	return hex.EncodeToString(sum[:12])
}
