package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/memory"
)

func TestOutputs(t *testing.T) {
	t.Parallel()
	type text struct {
		Text string `json:"text"`
	}
	verified := 0
	tool := server.NewTool("t", "Writes much.", server.Tool[in, text]{
		Immediate: func(_ context.Context, _ *server.Op, in in) (text, error) {
			return text{strings.Repeat("x", int(in.N))}, nil
		},
		Verify: func(context.Context, *server.Op, in, text) (server.Verdict, error) {
			verified++
			return server.Verified, nil
		},
	})
	srv := newServer(t, []*server.AnyTool{tool})
	const most = 1<<20 - len(`{"text":""}`)
	for n, omitted := range map[int]bool{most: false, most + 1: true} {
		verified = 0
		input := fmt.Sprintf(`{"id":"a","n":%d}`, n)
		for i, replayed := range []bool{false, true} {
			r, err := call(t.Context(), srv, strconv.Itoa(n), input)
			if err != nil || r.OutputOmitted != omitted || (len(r.Output) == 0) != omitted || r.Replayed != replayed || r.FirstCompletedAt.IsZero() {
				t.Errorf("%d bytes, call %d: got omitted %v, replayed %v, %v", n, i, r.OutputOmitted, r.Replayed, err)
			}
		}
		if want := map[bool]int{false: 2, true: 1}[omitted]; verified != want {
			t.Errorf("%d bytes: verified %d times, want %d", n, verified, want)
		}
	}
	// So many bytes of outputs are kept, then the oldest ones go.
	srv = newServer(t, []*server.AnyTool{tool}, server.WithLedger(memory.New(memory.WithMaxOutputs(4<<20))))
	first, err := call(t.Context(), srv, "first", `{"id":"a","n":1000000}`)
	if err != nil || first.OutputOmitted {
		t.Fatal(err)
	}
	for i := range 5 {
		if _, err := call(t.Context(), srv, fmt.Sprint("many", i), `{"id":"a","n":1000000}`); err != nil {
			t.Fatal(err)
		}
	}
	_, err = call(t.Context(), srv, "first", `{"id":"a","n":1000000}`)
	if saidBy(err) != (said{errs.CodeOperationExpired, errs.EffectApplied}) || errs.InfoOf(err).OperationID != first.OperationID {
		t.Errorf("got %v", err)
	}
}

func TestUnwritableOutput(t *testing.T) {
	t.Parallel()
	type bad struct {
		F func() `json:"f"`
	}
	effects := 0
	tool := server.NewTool("t", "Returns a function.", server.Tool[in, bad]{
		Immediate: func(context.Context, *server.Op, in) (bad, error) { effects++; return bad{}, nil },
	})
	var log bytes.Buffer
	srv := newServer(t, []*server.AnyTool{tool}, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	for _, replayed := range []bool{false, true} {
		r, err := call(t.Context(), srv, "k", `{"id":"a"}`)
		if err != nil || !r.OutputOmitted || r.Replayed != replayed || effects != 1 {
			t.Errorf("got %+v, %v after %d effects", r, err, effects)
		}
	}
	if !strings.Contains(log.String(), "level=ERROR") || !strings.Contains(log.String(), "func()") {
		t.Errorf("the log is %s", log.String())
	}
}

func TestUnsendableOutputs(t *testing.T) {
	t.Parallel()
	outputs := map[string]struct {
		out   any
		level string
	}{
		"not UTF-8":               {json.RawMessage("\"\xff\""), "ERROR"},
		"not UTF-8, in a name":    {map[string]json.RawMessage{"a": json.RawMessage("{\"\xff\":1}")}, "ERROR"},
		"not a number":            {math.NaN(), "ERROR"},
		"larger than 1 MiB":       {strings.Repeat("x", 1<<20), "WARN"},
		"larger than any message": {strings.Repeat("x", 8<<20), "WARN"},
	}
	type value struct {
		Value any `json:"value"`
	}
	for name, test := range outputs {
		for _, reads := range []bool{true, false} {
			var log bytes.Buffer
			tool := server.NewReadTool("t", "Reads.", func(context.Context, *server.Op, in) (value, error) { return value{test.out}, nil })
			if !reads {
				tool = server.NewTool("t", "Writes.", server.Tool[in, value]{
					Immediate: func(context.Context, *server.Op, in) (value, error) { return value{test.out}, nil },
				})
			}
			client, _ := serve(t, newServer(t, []*server.AnyTool{tool}, server.WithLogger(slog.New(slog.NewTextHandler(&log, nil)))))
			for _, replayed := range []bool{false, true} {
				response, err := client.CallTool(t.Context(), request("k", `{"id":"a"}`))
				r := response.GetResult()
				if reads && (saidBy(err) != said{errs.CodeInternal, errs.EffectNone} || errs.InfoOf(err).ErrorID == "") {
					t.Errorf("%s, a read: got %v, %v", name, r, err)
				}
				if !reads && (err != nil || !r.GetOutputOmitted() || r.GetReplayed() != replayed || r.GetOperationId() == "") {
					t.Errorf("%s, an effect: got %v, %v", name, r, err)
				}
			}
			if level := map[bool]string{true: "ERROR", false: test.level}[reads]; !strings.Contains(log.String(), "level="+level) {
				t.Errorf("%s, reads %v: the log is %s", name, reads, log.String())
			}
		}
	}
}
