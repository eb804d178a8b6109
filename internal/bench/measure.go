package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"
)

// scenario is one thing to measure.
type scenario struct {
	name string
	call func() error // an error stops the run: it means that the scenario does not do what it says

	took   []time.Duration
	allocs []float64
}

// batch is how many operations are timed together: one for calls, many for what takes less than a microsecond.
func measure(scenarios []*scenario, rounds, calls, batch int) error {
	for _, s := range scenarios {
		for range calls {
			if err := s.call(); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	for range rounds {
		for _, i := range rand.Perm(len(scenarios)) { //nolint:gosec // only an order
			if err := scenarios[i].round(calls, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *scenario) round(calls, batch int) error {
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		start := time.Now()
		for range batch {
			if err := s.call(); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
		s.took = append(s.took, time.Since(start))
	}
	runtime.ReadMemStats(&after)
	s.allocs = append(s.allocs, float64(after.Mallocs-before.Mallocs)/float64(calls*batch))
	return nil
}

func (s *scenario) median(batch int) time.Duration {
	slices.Sort(s.took)
	return s.took[len(s.took)/2] / time.Duration(batch)
}

func (s *scenario) allocsPerCall() float64 {
	slices.Sort(s.allocs)
	return s.allocs[len(s.allocs)/2]
}

// target compares two scenarios; a negative bound is not checked.
type target struct {
	what          string
	of, floor     *scenario
	ratio, allocs float64 // at most; allocs above the floor's
}

func report(w io.Writer, title string, scenarios []*scenario, targets []target, batch int) {
	_, _ = fmt.Fprintf(w, "\n%s\n", title)
	for _, s := range scenarios {
		_, _ = fmt.Fprintf(w, "  %-58s %10.2f µs %7.1f allocs\n", s.name, float64(s.median(batch).Nanoseconds())/1e3, s.allocsPerCall())
	}
	for _, t := range targets {
		ratio := float64(t.of.median(batch)) / float64(t.floor.median(batch))
		extra := t.of.allocsPerCall() - t.floor.allocsPerCall()
		line := fmt.Sprintf("  %-58s %6.3fx", t.what, ratio)
		met := true
		if t.ratio >= 0 {
			line += fmt.Sprintf(" (at most %.2fx)", t.ratio)
			met = met && ratio <= t.ratio
		}
		line += fmt.Sprintf("  %+.1f allocs", extra)
		if t.allocs >= 0 {
			line += fmt.Sprintf(" (at most %+.0f)", t.allocs)
			met = met && extra < t.allocs+0.5
		}
		verdict := "met"
		if !met {
			verdict = "MISSED"
		}
		_, _ = fmt.Fprintln(w, line+"  "+verdict)
	}
}
