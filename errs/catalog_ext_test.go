package errs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// TestCatalogGolden pins what every error of the catalog says: a change of a word is a change that a reviewer sees.
func TestCatalogGolden(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, s := range catalogSamples() {
		info := errs.InfoOf(s.err)
		after, _ := errs.RetryAfterOf(s.err)
		fmt.Fprintf(&b, "# %s\n", s.name)
		for _, line := range [][2]any{
			{"type", fmt.Sprintf("%T", s.err)},
			{"code", s.err.ErrorCode()},
			{"status", s.err.GRPCStatus().Code()},
			{"retry", s.err.RetryPolicy()},
			{"after", after},
			{"effect", info.Effect},
			{"tool", info.Tool},
			{"key", info.OperationKey},
			{"id", info.OperationID},
			{"run", info.RunID},
		} {
			if text := fmt.Sprint(line[1]); text != "" && text != "0s" {
				fmt.Fprintf(&b, "%-8s %s\n", line[0], text)
			}
		}
		for i, step := range s.err.Plan().All() {
			fmt.Fprintf(&b, "step %d   %s %s %q\n", i+1, step.Action(), step.Tool(), step.Instruction())
		}
		for _, detail := range s.err.GRPCStatus().Proto().GetDetails() {
			fmt.Fprintf(&b, "detail   %s %s\n", detail.MessageName(), jsonOf(t, detail))
		}
		fmt.Fprintf(&b, "message  %s\n\n", s.err)
	}
	golden(t, "catalog.golden", b.String())
}

// jsonOf is a detail as JSON, without the white space that protojson varies.
func jsonOf(t *testing.T, detail *anypb.Any) string {
	t.Helper()
	m, err := detail.UnmarshalNew()
	if err != nil {
		t.Fatal(err)
	}
	text, err := protojson.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestCatalogIsTheProto compares what the errors say with the options of errors.proto, row by row, both ways.
func TestCatalogIsTheProto(t *testing.T) {
	t.Parallel()
	type row struct {
		code   string
		status codes.Code
		retry  errs.RetryPolicy
		effect errs.Effect
		plan   string
	}
	rowOf := func(o *remedyv1.ErrorOptions) row {
		r := row{
			code: o.GetCode(), status: codes.Code(o.GetStatus()), retry: errs.RetryPolicy(o.GetRetry()), effect: errs.Effect(o.GetEffect()),
		}
		for _, s := range o.GetRepair().GetSteps() {
			r.plan += fmt.Sprintf(
				"%s %s %s;",
				strings.ToLower(strings.TrimPrefix(s.GetAction().String(), "REPAIR_ACTION_")),
				s.GetTool(),
				s.GetInstruction(),
			)
		}
		return r
	}
	want := make(map[row]bool)
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	for i := range messages.Len() {
		options := messages.Get(i).Options()
		if !proto.HasExtension(options, remedyv1.E_Error) {
			continue
		}
		o := proto.GetExtension(options, remedyv1.E_Error).(*remedyv1.ErrorOptions)
		if len(o.GetCases()) == 0 {
			want[rowOf(o)] = false
		}
		for _, c := range o.GetCases() {
			want[rowOf(c.GetError())] = false
		}
	}
	for _, s := range catalogSamples() {
		got := row{
			code: s.err.ErrorCode(), status: s.err.GRPCStatus().Code(), retry: s.err.RetryPolicy(), effect: errs.EffectOf(s.err),
		}
		for _, step := range s.err.Plan().Steps() {
			got.plan += fmt.Sprintf("%s %s %s;", step.Action(), step.Tool(), step.Instruction())
		}
		if _, ok := want[got]; !ok {
			t.Errorf("%s: no row of errors.proto says %+v", s.name, got)
		}
		want[got] = true
	}
	for r, seen := range want {
		if !seen {
			t.Errorf("no sample raises %+v", r)
		}
	}
}

func TestAccessors(t *testing.T) {
	t.Parallel()
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			received := overWire(t, s.err)
			for where, err := range map[string]error{
				"in process": s.err, "wrapped": fmt.Errorf("booking: %w", s.err), "joined": errors.Join(errors.New("plain"), s.err),
				"received": received, "received, wrapped": fmt.Errorf("booking: %w", received),
				"a status": s.err.GRPCStatus().Err(), "a status, wrapped": fmt.Errorf("booking: %w", s.err.GRPCStatus().Err()),
			} {
				if got := errs.CodeOf(err); string(got) != s.err.ErrorCode() {
					t.Errorf("%s: CodeOf: got %q", where, got)
				}
				if got := errs.RetryOf(err); got != s.err.RetryPolicy() {
					t.Errorf("%s: RetryOf: got %s", where, got)
				}
				if got := errs.Retryable(err); got != (s.err.RetryPolicy() == errs.AsIs) {
					t.Errorf("%s: Retryable: got %t", where, got)
				}
				if got := errs.PlanOf(err); !got.Equal(s.err.Plan()) {
					t.Errorf("%s: PlanOf: got %v", where, got.Steps())
				}
				if got, want := errs.InfoOf(err), errs.InfoOf(s.err); got != want {
					t.Errorf("%s: InfoOf: got %+v, want %+v", where, got, want)
				}
				after, ok := errs.RetryAfterOf(err)
				if wantAfter, wantOK := errs.RetryAfterOf(s.err); after != wantAfter || ok != wantOK {
					t.Errorf("%s: RetryAfterOf: got %s, %t", where, after, ok)
				}
				if got, want := errs.IsInferred(err), errs.IsInferred(s.err); got != want {
					t.Errorf("%s: IsInferred: got %t", where, got)
				}
				if got := status.Code(err); got != s.err.GRPCStatus().Code() {
					t.Errorf("%s: status.Code: got %s", where, got)
				}
				if !errs.Equal(err, s.err) {
					t.Errorf("%s: not Equal", where)
				}
				if err := errs.Validate(err); err != nil {
					t.Errorf("%s: Validate: %v", where, err)
				}
			}
		})
	}
}

func TestAccessorsOfOthers(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		nil, errors.New("plain"), status.Error(codes.NotFound, "no"), errs.Code("slot_stale"), errs.Sentinel{Domain: "a", Code: "b"},
	} {
		if code := errs.CodeOf(err); code != "" {
			t.Errorf("%v: code %q", err, code)
		}
		if errs.RetryOf(err) != errs.Never || errs.Retryable(err) || errs.PlanOf(err) != nil || errs.IsInferred(err) ||
			errs.EffectOf(err) != errs.EffectUnspecified || errs.InfoOf(err) != (errs.Info{}) {
			t.Errorf("%v: says something", err)
		}
		if after, ok := errs.RetryAfterOf(err); after != 0 || ok {
			t.Errorf("%v: after %s", err, after)
		}
	}
}

// TestEmptyIdentities: a server may leave every field out. A client still gets the type, where the type alone tells the code.
func TestEmptyIdentities(t *testing.T) {
	t.Parallel()
	for _, s := range catalogSamples() {
		p := s.err.GRPCStatus().Proto()
		p.Details[1].Value = nil
		got := errs.FromStatus(status.FromProto(p))
		options := proto.GetExtension(messageOf(t, p.GetDetails()[1]).Options(), remedyv1.E_Error).(*remedyv1.ErrorOptions)
		tells := options.GetDiscriminator() != "code" && options.GetDiscriminator() != "reason"
		if asOwn(got, s.err) != tells || errs.CodeOf(got) != errs.Code(s.err.ErrorCode()) || errs.RetryOf(got) != s.err.RetryPolicy() {
			t.Errorf("%s: got %T %v", s.name, got, got)
		}
		if _ = (errs.Encoder{}).Encode(errs.WithInfo(got, call), method, true); !errs.PlanOf(got).Equal(s.err.Plan()) {
			t.Errorf("%s: plan %v", s.name, errs.PlanOf(got).Steps())
		}
	}
}

func messageOf(t *testing.T, detail *anypb.Any) protoreflect.MessageDescriptor {
	t.Helper()
	m, err := detail.UnmarshalNew()
	if err != nil {
		t.Fatal(err)
	}
	return m.ProtoReflect().Descriptor()
}

func TestStringsOfEnums(t *testing.T) {
	t.Parallel()
	got := []string{
		errs.Never.String(), errs.AsIs.String(), errs.AfterRepair.String(), errs.RetryPolicy(0).String(), errs.RetryPolicy(99).String(),
		errs.EffectNone.String(), errs.EffectApplied.String(), errs.EffectUnknown.String(), errs.Effect(0).String(), errs.Effect(99).String(),
		errs.ActionCallTool.String(), errs.Action(0).String(), errs.Action(99).String(),
	}
	want := []string{
		"never", "as_is", "after_repair", "never", "never", "none", "applied", "unknown", "", "", "call_tool", "", "",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRetryFromBool(t *testing.T) {
	t.Parallel()
	repair := errs.NewPlan(errs.AskUser(""))
	tests := []struct {
		retryable bool
		repair    *errs.Plan
		want      errs.RetryPolicy
	}{
		{
			false,
			nil,
			errs.Never,
		},
		{false, repair, errs.Never},
		{true, nil, errs.AsIs},
		{true, errs.NewPlan(), errs.AsIs},
		{true, repair, errs.AfterRepair},
	}
	for _, test := range tests {
		if got := errs.RetryFromBool(test.retryable, test.repair); got != test.want {
			t.Errorf("%t, %d steps: got %s, want %s", test.retryable, len(test.repair.Steps()), got, test.want)
		}
	}
}
