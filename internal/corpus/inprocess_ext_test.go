package corpus_test

import (
	"errors"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/declared"
)

func asAny(err error, target any) bool { return errors.As(err, target) }

func TestInProcess(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		message := filled(s.new()).Interface()
		cause := errors.New("a cause that stays here")
		e := s.raise(message, errs.Cause(cause))
		says(t, s, e)
		if got, ok := s.as(e); !ok || got != e {
			t.Errorf("as itself: %v, %t", got, ok)
		}
		if got, ok := errors.AsType[*errs.ToolError](e); !ok || got != e.Base() {
			t.Errorf("as a ToolError: %v, %t", got, ok)
		}
		if other := new(*errs.AbortedError); errors.As(e, other) {
			t.Error("as something else")
		}
		if !errors.Is(e, cause) || !errors.Is(errs.WithInfo(e, errs.Info{Tool: "t"}), cause) {
			t.Error("the cause is lost")
		}
		if got := messageOf(e); !proto.Equal(got, message) || got == message {
			t.Errorf("message: got %v, want a copy of %v", got, message)
		}
		proto.Reset(message)
		if proto.Equal(messageOf(e), message) && s.message.Descriptor().Fields().Len() > 0 {
			t.Error("the message was not copied")
		}
		if _, ok := s.as(errs.WithInfo(e, errs.Info{Tool: "t"})); !ok {
			t.Error("the type is lost with other infos")
		}
	})
}

// says holds what err says to the options of its message.
func says(t *testing.T, s sample, err error) {
	t.Helper()
	e, ok := errors.AsType[errs.Error](err)
	if !ok {
		t.Fatalf("%T is no typed error", err)
	}
	code := s.options.GetCode()
	if e.ErrorCode() != code || errs.CodeOf(err) != errs.Code(code) {
		t.Errorf("code: got %s and %s, want %s", e.ErrorCode(), errs.CodeOf(err), code)
	}
	if !errors.Is(err, errs.Code(code)) || errors.Is(err, errs.Code("another_code")) {
		t.Error("errors.Is with a Code is wrong")
	}
	if !errors.Is(err, errs.Sentinel{Domain: s.domain(), Code: code}) || errors.Is(err, errs.Sentinel{Domain: "other", Code: code}) {
		t.Error("errors.Is with a Sentinel is wrong")
	}
	if got := status.Code(err); got != declared.Status(s.options) || e.GRPCStatus().Code() != got {
		t.Errorf("status: got %s, want %s", got, declared.Status(s.options))
	}
	if got := e.RetryPolicy(); got != errs.RetryPolicy(s.options.GetRetry()) {
		t.Errorf("rule: got %s, want %s", got, s.options.GetRetry())
	}
	if got := errs.EffectOf(err); got != errs.Effect(s.options.GetEffect()) {
		t.Errorf("effect: got %s, want %s", got, s.options.GetEffect())
	}
	if !strings.Contains(e.Error(), " ["+code+"; ") || e.Error() != e.GRPCStatus().Message() {
		t.Errorf("message: got %q", e)
	}
	plan, repair := e.Plan(), s.options.GetRepair()
	if len(plan.Steps()) != len(repair.GetSteps()) || cmp.Diff(plan.Preserve(), repair.GetPreserve(), cmpopts.EquateEmpty()) != "" ||
		cmp.Diff(plan.Update(), repair.GetUpdate(), cmpopts.EquateEmpty()) != "" {
		t.Fatalf("plan: got %+v, want %v", plan, repair)
	}
	for i, step := range plan.All() {
		want := repair.GetSteps()[i]
		if step.Action() != errs.Action(want.GetAction()) || step.Tool() != want.GetTool() || step.Instruction() != want.GetInstruction() {
			t.Errorf("step %d: got %+v, want %v", i, step, want)
		}
	}
}

// TestGetters compares every getter of the error with the one of the message; there is one for each field and no other.
func TestGetters(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		message := filled(s.new()).Interface()
		for _, e := range []errs.Declared{s.raise(message), s.null()} {
			have, want := reflect.ValueOf(e), reflect.ValueOf(messageOf(e))
			getters := 0
			for i := range have.NumMethod() {
				name := have.Type().Method(i).Name
				if !strings.HasPrefix(name, "Get") {
					continue
				}
				getters++
				method := want.MethodByName(name)
				if !method.IsValid() || method.Type() != have.Method(i).Type() {
					t.Errorf("%s is not the getter of the message", name)
					continue
				}
				got, want := have.Method(i).Call(nil)[0].Interface(), method.Call(nil)[0].Interface()
				if diff := cmp.Diff(want, got, protocmp.Transform(), cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
			if fields := s.message.Descriptor().Fields().Len(); getters != fields {
				t.Errorf("%d getters for %d fields", getters, fields)
			}
		}
	})
}

func TestHeadline(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		for name, message := range map[string]proto.Message{
			"filled": filled(s.new()).Interface(), "empty": s.new().Interface(), "nil": s.message.Interface(),
		} {
			want := headlineOf(s.options, message.ProtoReflect())
			e := s.raise(message)
			if got := string(e.Base().Message); got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
			if name == "nil" && messageOf(e) == nil {
				t.Error("a nil message is not an empty one")
			}
		}
	})
}

// TestNilError asks a nil pointer everything: it says internal, and nothing panics.
func TestNilError(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		e := s.null()
		if e.GRPCStatus().Code() != codes.Internal || errs.ToStatus(e).Code() != codes.Internal {
			t.Errorf("status: got %s", e.GRPCStatus())
		}
		if e.ErrorCode() != "internal" || e.RetryPolicy() != errs.Never || e.Plan() != nil || e.Base() != nil || e.Error() == "" {
			t.Errorf("got %v", e)
		}
		if errors.Unwrap(e) != nil || errors.Is(e, errs.Code(s.options.GetCode())) {
			t.Error("a nil pointer is the error")
		}
		if m := messageOf(e); m.ProtoReflect().IsValid() {
			t.Errorf("message: got %v", m)
		}
		base := s.raise(s.message.Interface()).Base()
		if got, ok := s.as(e.WithBase(base)); !ok || got.Base() != base {
			t.Errorf("with another base: got %v", got)
		}
		if got := logged(t, e); got["code"] != "internal" {
			t.Errorf("logged: %v", got)
		}
	})
}

// TestLogValue: code, rule and ids, and no value of a field.
func TestLogValue(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		got := logged(t, s.raise(filled(s.new()).Interface(), errs.Detail("key", "value")))
		want := map[string]string{
			"code": s.options.GetCode(), "retry": errs.RetryPolicy(s.options.GetRetry()).String(),
			"status": declared.Status(s.options).String(), "domain": s.domain(),
		}
		if effect := errs.Effect(s.options.GetEffect()).String(); effect != "" {
			want["effect"] = effect
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	})
}

func logged(t *testing.T, e errs.Declared) map[string]string {
	t.Helper()
	attrs := make(map[string]string)
	for _, attr := range e.(slog.LogValuer).LogValue().Group() {
		if attr.Key != "errorId" {
			attrs[attr.Key] = attr.Value.String()
		}
	}
	return attrs
}

// TestAnotherCode: a message carries no error that has the code of another one.
func TestAnotherCode(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		message := s.new().Interface()
		for _, base := range []*errs.ToolError{nil, {}, {Code: "another_code"}} {
			if got := carried(message, base); got != nil {
				t.Errorf("around %v: got %v", base, got)
			}
		}
		base := s.raise(message).Base()
		if _, ok := s.as(carried(message, base)); !ok {
			t.Error("around its own: got nothing")
		}
	})
}

// TestSameNameAndCode: what differs in nothing but the package is another error.
func TestSameNameAndCode(t *testing.T) {
	t.Parallel()
	for _, a := range samples() {
		received := overWire(t, a.raise(a.new().Interface()))
		for _, b := range samples() {
			if _, ok := b.as(received); ok != (a.name() == b.name()) {
				t.Errorf("%s is a %s: %t", a.name(), b.name(), ok)
			}
		}
	}
}
