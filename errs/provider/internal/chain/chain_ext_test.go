package chain_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"

	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
)

// endless unwraps to itself.
type endless struct{}

func (e endless) Error() string { return "endless" }
func (e endless) Unwrap() error { return e }

// hostile panics whatever it is asked.
type hostile struct{}

func (*hostile) Error() string { panic("no text") }
func (*hostile) Unwrap() error { panic("no cause") }
func (*hostile) Is(error) bool { panic("no match") }

// wide wraps more errors than anybody reads.
type wide struct{}

func (wide) Error() string   { return "wide" }
func (wide) Unwrap() []error { return make([]error, 1<<20) }

func TestAll(t *testing.T) {
	t.Parallel()
	var texts []string
	tree := errors.Join(fmt.Errorf("a: %w", io.EOF), nil, io.ErrClosedPipe)
	for err := range chain.All(tree) {
		texts = append(texts, err.Error())
	}
	if want := []string{tree.Error(), "a: EOF", "EOF", io.ErrClosedPipe.Error()}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
	for name, test := range map[string]struct {
		err  error
		want int
	}{
		"nil": {}, "endless": {endless{}, 64}, "hostile": {new(hostile), 1}, "wide": {wide{}, 1},
		"nil pointer": {(*fs.PathError)(nil), 1},
	} {
		count := 0
		for range chain.All(test.err) {
			count++
		}
		if count != test.want {
			t.Errorf("%s: got %d errors, want %d", name, count, test.want)
		}
	}
}

func TestAs(t *testing.T) {
	t.Parallel()
	inner := &fs.PathError{Op: "inner"}
	tree := errors.Join((*fs.PathError)(nil), new(hostile), &fs.PathError{Op: "outer", Err: inner})
	if found, ok := chain.As[*fs.PathError](tree); !ok || found.Op != "outer" {
		t.Errorf("got %v, %t", found, ok)
	}
	if found, ok := chain.As[*fs.PathError](endless{}); ok || found != nil {
		t.Errorf("got %v, %t", found, ok)
	}
}

func TestIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err, target error
		want        bool
	}{
		"nil":       {nil, io.EOF, false},
		"itself":    {io.EOF, io.EOF, true},
		"wrapped":   {fmt.Errorf("a: %w", io.EOF), io.EOF, true},
		"by method": {errors.Join(new(hostile), &fs.PathError{Err: context.Canceled}), context.Canceled, true},
		"endless":   {endless{}, io.EOF, false},
		"hostile":   {new(hostile), io.EOF, false},
	} {
		if got := chain.Is(test.err, test.target); got != test.want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{"": new(hostile), "EOF": io.EOF} {
		if got := chain.Text(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := chain.Text(nil); got != "" {
		t.Errorf("nil says %q", got)
	}
}
