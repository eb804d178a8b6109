package errs_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

type point struct {
	X, Y   int
	Hidden string `json:"-"`
	Big    int64  `json:"big,omitempty"`
}

type marshaler struct{ text string }

func (m marshaler) MarshalJSON() ([]byte, error) {
	switch m.text {
	case "panic":
		panic("MarshalJSON")
	case "":
		return nil, io2error{}
	}
	return []byte(m.text), nil
}

type io2error struct{}

func (io2error) Error() string { return secret }

type weekday int8

func (w weekday) MarshalText() ([]byte, error) { return []byte("day-" + string(rune('0'+w))), nil }

// TestDetails sends every kind of value. What JSON cannot hold exactly everywhere is left out, and truncated says so.
func TestDetails(t *testing.T) {
	t.Parallel()
	circle := map[string]any{"x": 1}
	circle["self"] = circle
	type ring struct{ Next *ring }
	loop := &ring{}
	loop.Next = loop
	deep := any("bottom")
	for range 10_000 {
		deep = map[string]any{"d": deep}
	}
	deepest := any("bottom")
	for range 31 {
		deepest = []any{deepest}
	}
	left := any(nil) // nothing arrives
	const whole, cut = false, true
	tests := []struct {
		name  string
		value any
		want  any // nil for left out, unless null
		cut   bool
	}{
		{"nil", nil, "null", whole},
		{"bool", true, true, whole},
		{"string", "s", "s", whole},
		{"int", -3, -3.0, whole},
		{"int8", int8(-3), -3.0, whole},
		{"uint32", uint32(3), 3.0, whole},
		{"float32", float32(0.1), 0.1, whole},
		{"float64", 0.1, 0.1, whole},
		{"negative zero", math.Copysign(0, -1), math.Copysign(0, -1), whole},
		{"2^53-1", int64(1<<53 - 1), 9007199254740991.0, whole},
		{"2^53", int64(1 << 53), left, cut},
		{"-(2^53-1)", -(1<<53 - 1), -9007199254740991.0, whole},
		{"-2^53", -(1 << 53), left, cut},
		{"uint64", uint64(math.MaxUint64), left, cut},
		{"uint64 in range", uint64(7), 7.0, whole},
		{"2^53 as a float", float64(1 << 53), left, cut},
		{"1e300", 1e300, left, cut},
		{"1.5e15", 1.5e15, 1.5e15, whole},
		{"NaN", math.NaN(), left, cut},
		{"Inf", math.Inf(-1), left, cut},
		{"json.Number", json.Number("12"), 12.0, whole},
		{"json.Number beyond", json.Number("9007199254740993"), left, cut},
		{"json.Number huge", json.Number("1e999"), left, cut},
		{"json.Number fraction", json.Number("0.5"), 0.5, whole},
		{"json.Number text", json.Number("x"), left, cut},
		{"bytes", []byte{1, 2}, "AQI=", whole},
		{"time", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), "2026-01-02T03:04:05Z", whole},
		{"duration", time.Second, 1e9, whole},
		{"struct", point{X: 1, Y: 2, Hidden: "h"}, map[string]any{"X": 1.0, "Y": 2.0}, whole},
		{"struct with a large integer", point{Big: 1 << 60}, map[string]any{"X": 0.0, "Y": 0.0}, cut},
		{"slice", []string{"a", "<&>"}, []any{"a", "<&>"}, whole},
		{"empty slice", []int{}, []any{}, whole},
		{"empty map", map[string]int{}, map[string]any{}, whole},
		{"nil slice", []int(nil), "null", whole},
		{"nil pointer", (*point)(nil), "null", whole},
		{"pointer", &point{X: 1}, map[string]any{"X": 1.0, "Y": 0.0}, whole},
		{"raw JSON", json.RawMessage(`{"a":[1,"b"]}`), map[string]any{"a": []any{1.0, "b"}}, whole},
		{"raw JSON that is none", json.RawMessage(`{`), left, cut},
		{"text marshaler", weekday(3), "day-3", whole},
		{"marshaler", marshaler{`{"b":2}`}, map[string]any{"b": 2.0}, whole},
		{"marshaler that fails", marshaler{}, left, cut},
		{"marshaler that panics", marshaler{"panic"}, left, cut},
		{"message", durationpb.New(1500 * time.Millisecond), "1.500s", whole},
		{"Struct", must(structpb.NewStruct(map[string]any{"a": 1.0})), map[string]any{"a": 1.0}, whole},
		{"channel", make(chan int), left, cut},
		{"function", func() {}, left, cut},
		{"complex", 1i, left, cut},
		{"bad UTF-8", "a\xffb", "a\uFFFDb", whole},
		{"bad UTF-8 in a key", map[string]any{"k\xff": 1}, map[string]any{"k\uFFFD": 1.0}, whole},
		{"list with one that is left out", []any{1, math.NaN(), "x"}, []any{1.0, nil, "x"}, cut},
		{"map with one that is left out", map[string]any{"a": math.NaN(), "b": 1}, map[string]any{"b": 1.0}, cut},
		{"32 deep", deepest, nest("bottom", 31), whole},
		{"33 deep", []any{deepest}, nest(nil, 32), cut},
		{"struct in a circle", loop, left, cut},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := as[*errs.ToolError](overWire(t, slotStale.New(errs.Detail("v", test.value), errs.Detail("other", "stays"))))
			want := map[string]any{"other": "stays"}
			if test.want == "null" {
				want["v"] = nil
			} else if test.want != nil {
				want["v"] = test.want
			}
			if !reflect.DeepEqual(got.Details, want) { // cmp.Diff takes exponentially long on what is deep
				t.Errorf("got %v, want %v", got.Details, want)
			}
			if errs.InfoOf(got).Truncated != test.cut {
				t.Errorf("truncated: %t", errs.InfoOf(got).Truncated)
			}
			if got.Error() != slotStaleMessage {
				t.Errorf("details are in the message: %q", got)
			}
		})
	}
	for name, v := range map[string]any{"map in a circle": circle, "10,000 deep": deep} {
		got := as[*errs.ToolError](overWire(t, slotStale.New(errs.Detail("v", v))))
		if !errs.InfoOf(got).Truncated || got.Code != "slot_stale" {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func nest(v any, n int) any {
	for range n {
		v = []any{v}
	}
	return v
}

// TestDetailsAreBytesOfAStruct compares with what protobuf makes of the same map, and for every order of the map.
func TestDetailsAreBytesOfAStruct(t *testing.T) {
	t.Parallel()
	m := map[string]any{
		"z": "last",
		"a": 1.0,
		"m": map[string]any{"y": []any{nil, true, "s", 2.5, map[string]any{}, []any{}}, "x": strings.Repeat("long ", 60)},
		"":  false,
	}
	first := marshal(t, slotStale.New(errs.Details(m)).GRPCStatus())
	for range 50 {
		if !bytes.Equal(marshal(t, slotStale.New(errs.Details(m)).GRPCStatus()), first) {
			t.Fatal("the bytes depend on the order of the map")
		}
	}
	tool := detailOf[*remedyv1.ToolError](t, slotStale.New(errs.Details(m)).GRPCStatus())
	if diff := cmp.Diff(m, tool.GetDetails().AsMap()); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsLeftOutIsLoggedByKey: the values are for application code, not for the log.
func TestWhatIsLeftOutIsLoggedByKey(t *testing.T) {
	t.Parallel()
	_ = slotStale.New(errs.Detail("huge_detail", int64(1<<60)), errs.Detail("fine", "private")).Error()
	if got := logs.lineWith("huge_detail"); got == "" || strings.Contains(got, "private") || strings.Contains(got, "1152921504606846976") {
		t.Errorf("got %q", got)
	}
	impossible := &errs.ToolError{Code: "IMPOSSIBLE", Message: "private"}
	if got := logs.lineWith(errs.InfoOf(impossible).ErrorID); !strings.Contains(got, "code must be") || strings.Contains(got, "private") {
		t.Errorf("got %q", got)
	}
	info := detailOf[*errdetails.ErrorInfo](t, (*errs.ToolError)(nil).GRPCStatus())
	if got := logs.lineWith(info.GetMetadata()["errorId"]); !strings.Contains(got, "typed nil pointer") {
		t.Errorf("got %q", got)
	}
	if got := logs.lineWith(errs.InfoOf(errs.FromStatus(errs.ToStatus(io2error{}))).ErrorID); !strings.Contains(got, "hunter2") {
		t.Errorf("got %q", got)
	}
}

// TestLogValue: code, rule and ids, never a value.
func TestLogValue(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		var log bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&log, nil))
		logger.Error("failed", slog.Any("error", errs.WithInfo(s.err, call)))
		got := log.String()
		for _, want := range []string{
			"error.code=" + s.err.ErrorCode(), "error.retry=" + s.err.RetryPolicy().String(), "error.operationKey=key-9", "error.errorId=err-9",
			"error.status=" + s.err.GRPCStatus().Code().String(), "error.tool=cancel_order", "error.runId=run-9", "error.operationId=op-9",
		} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is missing in %s", s.name, want, got)
			}
		}
		for _, not := range []string{"s-17", "o-1", "Anna", "orders:write", "customer_request"} {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q is in %s", s.name, not, got)
			}
		}
	}
}
