package errs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/shop/shopv1"
)

// TestJoins: the head is the most telling error, ties go depth first, the other typed errors become causes.
func TestJoins(t *testing.T) {
	t.Parallel()
	var (
		unknown  = &errs.OutcomeUnknownError{Tool: "x"}
		applied  = &errs.VerificationError{Tool: "x"}
		first    = &errs.AuthorizationError{Tool: "first"}
		second   = &errs.AbortedError{RunID: "second"}
		declared = shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "a"})
		charged  = shopv1.NewChargedTwice(nil)
		foreign  = status.Error(codes.NotFound, "no")
		plain    = errors.New("plain")
	)
	tests := []struct {
		name   string
		err    error
		head   errs.Code
		causes []errs.Code
	}{
		{"first of two", errors.Join(first, second), "authorization_denied", []errs.Code{"aborted"}},
		{"first of two, turned round", errors.Join(second, first), "aborted", []errs.Code{"authorization_denied"}},
		{"applied before others", errors.Join(first, applied), "verification_failed", []errs.Code{"authorization_denied"}},
		{"declared as applied", errors.Join(first, charged), "charged_twice", []errs.Code{"authorization_denied"}},
		{
			"unknown before applied",
			errors.Join(first, applied, unknown),
			"outcome_unknown",
			[]errs.Code{"authorization_denied", "verification_failed"},
		},
		{"others do not count", errors.Join(plain, foreign, context.Canceled, second), "aborted", nil},
		{"two verbs", fmt.Errorf("a %w, b %w", declared, first), "slot_stale", []errs.Code{"authorization_denied"}},
		{
			"depth first",
			errors.Join(fmt.Errorf("x: %w", errors.Join(second, first)), declared),
			"aborted",
			[]errs.Code{"authorization_denied", "slot_stale"},
		},
		{
			"a wrapped error is not the head",
			errors.Join(&errs.AbortedError{Cause: unknown}, first),
			"aborted",
			[]errs.Code{"outcome_unknown", "authorization_denied"},
		},
		{"declared head", errors.Join(declared, first, second), "slot_stale", []errs.Code{"authorization_denied", "aborted"}},
		{"the same twice", errors.Join(first, first, fmt.Errorf("x: %w", first)), "authorization_denied", nil},
		{"received head", errors.Join(overWire(t, declared), first), "slot_stale", []errs.Code{"authorization_denied"}},
		{
			"received head with a cause",
			errors.Join(overWire(t, &errs.AbortedError{Cause: second}), first),
			"aborted",
			[]errs.Code{"aborted", "authorization_denied"},
		},
		{"received other", errors.Join(first, overWire(t, declared)), "authorization_denied", []errs.Code{"slot_stale"}},
		{
			"statuses of ours",
			errors.Join(first.GRPCStatus().Err(), declared.GRPCStatus().Err()),
			"authorization_denied",
			[]errs.Code{"slot_stale"},
		},
		{
			"set by the boundary",
			errors.Join(first, errs.WithInfo(second, errs.Info{Effect: errs.EffectApplied})),
			"aborted",
			[]errs.Code{"authorization_denied"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := errs.Encoder{}.Encode(test.err, method, false)
			got := receive(t, out.Status)
			if errs.CodeOf(got) != test.head || errs.CodeOf(out.Err) != test.head {
				t.Errorf("head: got %s and %s, want %s", errs.CodeOf(got), errs.CodeOf(out.Err), test.head)
			}
			if causes := causesOf(t, out.Status); !slices.Equal(causes, test.causes) {
				t.Errorf("causes: got %v, want %v", causes, test.causes)
			}
			for _, code := range append(test.causes, test.head) {
				if !errors.Is(got, code) || !errors.Is(out.Err, code) {
					t.Errorf("%s does not match", code)
				}
			}
			if !errors.Is(out.Err, test.err) {
				t.Error("the join itself does not match in process")
			}
			for range 20 {
				if again := errs.ToStatus(test.err); !bytes.Equal(marshal(t, again), marshal(t, out.Status)) {
					t.Fatal("the choice is not the same every time")
				}
			}
			oneOfEach(t, out.Status)
		})
	}
}

// oneOfEach holds every status of ours to one ErrorInfo and no repeated type.
func oneOfEach(t *testing.T, st *status.Status) {
	t.Helper()
	list := names(st)
	if list[0] != "ErrorInfo" {
		t.Errorf("the first detail is %s", list[0])
	}
	slices.Sort(list)
	if len(slices.Compact(list)) != len(st.Details()) {
		t.Errorf("a type is repeated: %v", names(st))
	}
	if info := detailOf[*errdetails.ErrorInfo](t, st); info.GetReason() == "" || info.GetDomain() == "" {
		t.Errorf("ErrorInfo: %v", info)
	}
}

// causesOf returns the codes of the causes of a status, depth first.
func causesOf(t *testing.T, st *status.Status) []errs.Code {
	t.Helper()
	var list []errs.Code
	var walk func(nodes []*remedyv1.Cause)
	walk = func(nodes []*remedyv1.Cause) {
		for _, node := range nodes {
			for _, detail := range node.GetDetails() {
				var info errdetails.ErrorInfo
				if detail.UnmarshalTo(&info) == nil {
					list = append(list, errs.Code(strings.ToLower(info.GetReason())))
				}
			}
			walk(node.GetCauses())
		}
	}
	for _, detail := range st.Details() {
		if m, ok := detail.(*remedyv1.Causes); ok {
			walk(m.GetCauses())
		}
	}
	return list
}

// TestCausesAreATree keeps the shape: at most eight nodes, at most three deep.
func TestCausesAreATree(t *testing.T) {
	t.Parallel()
	chain := func(n int) error {
		var err error
		for i := n; i > 0; i-- {
			err = &errs.AbortedError{RunID: fmt.Sprintf("level-%d", i), Cause: err}
		}
		return err
	}
	top := func(cause error) *errs.AuthorizationError { return &errs.AuthorizationError{Tool: "top", Cause: cause} }
	got := overWire(t, top(chain(5)))
	depth := 0
	for err := errors.Unwrap(got); err != nil; err = errors.Unwrap(err) {
		depth++
		if e, ok := errors.AsType[*errs.AbortedError](err); !ok || e.RunID != fmt.Sprintf("level-%d", depth) {
			t.Errorf("depth %d: got %v", depth, err)
		}
	}
	if depth != 3 {
		t.Errorf("depth: got %d, want 3", depth)
	}
	var many []error
	for i := range 20 {
		many = append(many, &errs.AbortedError{RunID: fmt.Sprintf("n-%d", i)})
	}
	st := (errs.Encoder{Limit: errs.MaxLimit}).Encode(top(errors.Join(many...)), method, false).Status
	if n := len(causesOf(t, st)); n != 8 {
		t.Errorf("causes: got %d, want 8", n)
	}
	if cost(st) > errs.MaxLimit-256 {
		t.Errorf("%d bytes", cost(st))
	}
	wrapped := top(
		fmt.Errorf(
			"plain text: %w",
			errors.Join(errors.New("plain"), fmt.Errorf("more: %w", chain(1)), status.Error(codes.NotFound, "foreign")),
		),
	)
	st = errs.ToStatus(wrapped)
	if got := causesOf(t, st); !slices.Equal(got, []errs.Code{"aborted"}) {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"plain", "more:", "foreign"} {
		if bytes.Contains(marshal(t, st), []byte(text)) {
			t.Errorf("%q leaves", text)
		}
	}
	// Causes are matched by type, and send theirs on.
	hop := overWire(t, overWire(t, top(shopv1.NewSlotStale(&shopv1.SlotStale{SlotId: "deep"}, errs.Cause(chain(1))))))
	if e, ok := errors.AsType[*shopv1.SlotStaleError](hop); !ok || e.GetSlotId() != "deep" {
		t.Errorf("got %v", hop)
	}
	if !errors.Is(hop, errs.CodeAborted) {
		t.Error("the cause of the cause is lost")
	}
}

// TestErrorsThatCauseEachOther come to an end.
func TestErrorsThatCauseEachOther(t *testing.T) {
	t.Parallel()
	a, b := &errs.AuthorizationError{Tool: "a"}, &errs.AbortedError{RunID: "b"}
	a.Cause, b.Cause = b, a
	if got := causesOf(t, errs.ToStatus(a)); !slices.Equal(got, []errs.Code{"aborted"}) {
		t.Errorf("a: got %v", got)
	}
	if got := causesOf(t, errs.ToStatus(errors.Join(b, a))); !slices.Equal(got, []errs.Code{"authorization_denied"}) {
		t.Errorf("b: got %v", got)
	}
	self := &errs.AbortedError{}
	self.Cause = fmt.Errorf("self: %w", self)
	if got := causesOf(t, self.GRPCStatus()); got != nil {
		t.Errorf("self: got %v", got)
	}
}

func TestTranslatedErrorsAreNoCauses(t *testing.T) {
	t.Parallel()
	upstream := errs.Received(shopv1.NewSlotStale(nil).GRPCStatus().Err(), errs.Translate, errs.Translate)
	for _, err := range []error{
		slotStale.New(errs.Cause(upstream)), errors.Join(slotStale.New(), upstream),
		slotStale.New(errs.Cause(&errs.AbortedError{Cause: upstream})),
	} {
		out := errs.Encoder{}.Encode(err, method, false)
		if slices.Contains(causesOf(t, out.Status), "slot_stale") {
			t.Error("it travels as a cause")
		}
		if !is[*shopv1.SlotStaleError](out.Err) {
			t.Error("it does not match in process")
		}
	}
}

func TestReceived(t *testing.T) {
	t.Parallel()
	if errs.Received(nil, errs.Translate, errs.Translate) != nil {
		t.Error("nil is not nil")
	}
	plain := errors.New("plain")
	wrapped := fmt.Errorf("own: %w", status.Error(codes.NotFound, "no"))
	built := slotStale.New()
	for _, err := range []error{plain, context.Canceled, wrapped, built, fmt.Errorf("x: %w", built)} {
		if got := errs.Received(err, errs.Translate, errs.Translate); got != err { //nolint:errorlint // exactly this value
			t.Errorf("%v: got %T, want the same value", err, got)
		}
	}
	if out := (errs.Encoder{}).Encode(built, method, false); errs.CodeOf(out.Err) != "slot_stale" {
		t.Error("an error that was built here is translated")
	}
	foreign := errs.Received(status.Error(codes.NotFound, "no"), 0, errs.Passthrough)
	if again := errs.Received(foreign, 0, errs.Translate); again != foreign { //nolint:errorlint // exactly this value
		t.Error("marking twice")
	}
	if !errors.Is(foreign, status.Error(codes.NotFound, "no")) || status.Code(foreign) != codes.NotFound ||
		foreign.Error() != "rpc error: code = NotFound desc = no" {
		t.Errorf("got %v", foreign)
	}
	// The mark is a copy: whoever else holds the error does not see it.
	shared := overWire(t, shopv1.NewSlotStale(nil))
	marked := errs.Received(shared, errs.Translate, errs.Translate)
	if out := (errs.Encoder{}).Encode(shared, method, false); errs.CodeOf(out.Err) != "slot_stale" {
		t.Error("the shared error was marked")
	}
	out := (errs.Encoder{}).Encode(marked, method, false)
	if errs.CodeOf(out.Err) != errs.CodeInternal || !is[*shopv1.SlotStaleError](marked) {
		t.Error("the copy was not marked")
	}
	if again := errs.Received(marked, errs.Passthrough, errs.Passthrough); again != marked { //nolint:errorlint // exactly this value
		t.Error("a mark was changed")
	}
}

func TestEqual(t *testing.T) {
	t.Parallel()
	list := samples()
	for i, a := range list {
		for j, b := range list {
			if got := errs.Equal(a.err, b.err); got != (i == j) {
				t.Errorf("%s and %s: %t", a.name, b.name, got)
			}
		}
	}
	if !errs.Equal(nil, nil) || errs.Equal(nil, slotStale.New()) || errs.Equal(errors.New("x"), errors.New("x")) ||
		errs.Equal(status.Error(codes.NotFound, "x"), slotStale.New()) {
		t.Error("errors of others")
	}
	a := slotStale.New()
	if !errs.Equal(a, errs.WithInfo(a, errs.Info{OperationKey: "k", ErrorID: "e"})) ||
		!errs.Equal(a, slotStale.New(errs.Cause(&errs.AbortedError{}))) {
		t.Error("what an error says of its call, and its causes, count")
	}
	if errs.Equal(a, errs.WithInfo(a, errs.Info{Effect: errs.EffectApplied})) || errs.Equal(a, slotStale.New(errs.Detail("a", 1))) {
		t.Error("effect and details do not count")
	}
}
