package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/parse"
	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
)

// samples are statuses by the name of their golden file.
func samples(tb testing.TB) map[string]*spb.Status {
	tb.Helper()
	paymentStale := errs.MustDefine("payment_source_stale", errs.AfterRepair,
		errs.Headline("The source account changed after authorization."),
		errs.Steps(
			errs.CallTool("list_payment_accounts", "Refresh the source account state."),
			errs.CallTool("prepare_payment_authorization", "Create a replacement authorization."),
			errs.RetrySameOperation("send_payment", "Retry with the replacement authorization."),
		),
		errs.Preserve("operationId", "amount", "receiverId"), errs.Update("authorizationId"))
	foreign := func(code codes.Code, message string, details ...protoadapt.MessageV1) *spb.Status {
		st, err := status.New(code, message).WithDetails(details...)
		if err != nil {
			tb.Fatal(err)
		}
		return st.Proto()
	}
	unlinked := errs.ToStatus(paymentStale.New()).Proto()
	unlinked.Details = append(unlinked.Details,
		&anypb.Any{TypeUrl: "type.googleapis.com/bank.v1.AccountMoved", Value: []byte("\n\x03abc")},
		&anypb.Any{TypeUrl: "type.googleapis.com/google.rpc.RetryInfo", Value: []byte("\xff\xff")},
		&anypb.Any{TypeUrl: "no type\x1b[2J"})
	return map[string]*spb.Status{
		"plan": errs.ToStatus(errs.WithInfo(
			paymentStale.New(errs.Detail("account", "a-1"), errs.Detail("balance", 3)),
			errs.Info{Tool: "send_payment", OperationKey: "k-1", OperationID: "op-1", RunID: "run-1", Effect: errs.EffectNone},
		)).Proto(),
		"issues": errs.ToStatus(&errs.ValidationError{Subject: "cancel_order", Issues: []errs.Issue{
			{Path: "/orderId", Keyword: "required", Message: "is required"},
			{Path: "/items/0/count", Keyword: "minimum", Message: "must be at least 1"},
		}}).Proto(),
		"unknown_outcome": errs.ToStatus(&errs.OutcomeUnknownError{Tool: "cancel_order", OperationKey: "k-2", OperationID: "op-2"}).Proto(),
		"confirmation": errs.ToStatus(&errs.ConfirmationError{
			Tool: "delete_account", OperationKey: "k-3", Reason: errs.ConfirmationRequired, ConfirmationID: "c-1",
			ExpiresAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		}).Proto(),
		"causes": errs.ToStatus(&errs.ServiceError{
			Code: errs.CodeOverloaded, RetryAfter: 1500 * time.Millisecond, Cause: errors.Join(
				&errs.ProviderError{Provider: "acme", Limit: &errs.ProviderLimit{Kind: errs.LimitOverload}, Cause: &errs.AuthError{
					Auth: errs.AuthFailure{Kind: errs.AuthBusy, Source: errs.AuthProvider, Provider: "acme"},
				}},
				&errs.BudgetExceededError{Limit: errs.BudgetTokens, LimitValue: 1000, ActualValue: 1200, RunID: "run-1"},
			),
		}).Proto(),
		"internal": errs.ToStatus(errs.WithInfo(&errs.ServiceError{Code: errs.CodeInternal}, errs.Info{ErrorID: "e-1"})).Proto(),
		"unlinked": unlinked,
		"foreign":  foreign(codes.Unavailable, "connection refused"),
		"foreign_info": foreign(codes.ResourceExhausted, "slow down",
			&errdetails.ErrorInfo{Reason: "RATE_LIMITED", Domain: "example.com", Metadata: map[string]string{"b": "2", "a": "1"}},
			&errdetails.RetryInfo{RetryDelay: durationpb.New(2 * time.Second)}),
		"foreign_code": {Code: 99, Message: "from \x1b[31mthe future\x1b[0m\u202e\u009b"},
	}
}

// bytesOf is the serialized status.
func bytesOf(t *testing.T, st *spb.Status) []byte {
	t.Helper()
	raw, err := proto.MarshalOptions{Deterministic: true}.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestExplainGolden(t *testing.T) {
	t.Parallel()
	for name, st := range samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := base64.RawStdEncoding.EncodeToString(bytesOf(t, st))
			got := command(t, "", "explain", text)
			if got.code != exitOK || got.err != "" {
				t.Fatalf("exit %d, %s", got.code, got.err)
			}
			golden(t, "explain/"+name+".txt", got.out)
			golden(t, "explain/"+name+".json", command(t, "", "explain", "--json", text).out)
		})
	}
}

func TestExplainReadsEveryForm(t *testing.T) {
	t.Parallel()
	st := samples(t)["plan"]
	raw := bytesOf(t, st)
	asJSON, err := protojson.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "status.bin")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	std := base64.StdEncoding.EncodeToString(raw)
	want := command(t, "", "explain", std).out
	for name, form := range map[string]struct {
		stdin string
		args  []string
	}{
		"URL base64":       {args: []string{base64.URLEncoding.EncodeToString(raw)}},
		"raw URL base64":   {args: []string{base64.RawURLEncoding.EncodeToString(raw)}},
		"a header line":    {args: []string{"Grpc-Status-Details-Bin: " + std}},
		"lines":            {stdin: std[:40] + "\r\n" + std[40:] + "\n"},
		"a dash":           {stdin: std, args: []string{"-"}},
		"bytes on stdin":   {stdin: string(raw)},
		"bytes in a file":  {args: []string{"@" + file}},
		"forced binary":    {stdin: string(raw), args: []string{"--format=binary"}},
		"forced base64":    {stdin: std, args: []string{"--format=base64"}},
		"JSON":             {stdin: string(asJSON)},
		"forced JSON":      {stdin: string(asJSON), args: []string{"--format", "json"}},
		"code as a name":   {stdin: strings.Replace(string(asJSON), `"code":9`, `"code":"failed_precondition"`, 1)},
		"code as a string": {stdin: strings.Replace(string(asJSON), `"code":9`, `"code":"9"`, 1)},
	} {
		got := command(t, form.stdin, append([]string{"explain"}, form.args...)...)
		if got.code != exitOK {
			t.Errorf("%s: exit %d, %s", name, got.code, got.err)
		}
		if isJSON := strings.HasPrefix(form.stdin, "{"); !isJSON && got.out != want { // JSON has no size in bytes
			t.Errorf("%s: got\n%s\nwant\n%s", name, got.out, want)
		}
		if !strings.Contains(got.out, `e.Code == "payment_source_stale"`) || !strings.Contains(got.out, "3. retry_same_operation send_payment") {
			t.Errorf("%s: the error is not recognized:\n%s", name, got.out)
		}
	}
}

// The forms of other tools: protobuf's own JSON, what grpcurl prints for types it does not know, causes of unknown types.
func TestExplainJSONWithUnknownTypes(t *testing.T) {
	t.Parallel()
	got := command(t, `{
		"code": 9, "message": "m", "extra": 1,
		"details": [
			{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SLOT_STALE", "domain": "shop.v1",
				"metadata": {"retry": "never"}, "later": true},
			{"@type": "type.googleapis.com/shop.v1.SlotStale", "slot": "a"},
			{"@type": "type.googleapis.com/google.rpc.RetryInfo", "@value": "CgIIAg=="},
			{"@type": "type.googleapis.com/remedy.v1.Causes", "causes": [
				{"grpcCode": 14, "message": "below", "details": [{"@type": "type.googleapis.com/shop.v1.Other", "a": 1}]}]}
		]}`, "explain", "--json")
	if got.code != exitOK {
		t.Fatalf("exit %d, %s", got.code, got.err)
	}
	var r report.Report
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatal(err)
	}
	if r.Code != "slot_stale" || r.Domain != "shop.v1" || r.Retry != "never" || r.RetryAfter != "2s" || r.Size != 0 {
		t.Errorf("got %s", got.out)
	}
	if len(r.Unknown) != 1 || r.Unknown[0].Type != "shop.v1.SlotStale" || r.Unknown[0].Size == 0 {
		t.Errorf("unknown: got %v", r.Unknown)
	}
	if len(r.Causes) != 1 || r.Causes[0].Message != "below" || r.Causes[0].Typed {
		t.Errorf("causes: got %v", r.Causes)
	}
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	raw := bytesOf(t, samples(t)["plan"])
	full := base64.StdEncoding.EncodeToString(raw)
	for name, c := range map[string]struct {
		stdin string
		args  []string
		want  string
	}{
		"nothing":             {want: "got nothing"},
		"white space":         {stdin: " \n\t", want: "got nothing"},
		"a missing file":      {args: []string{"@/does/not/exist"}, want: "opening the input"},
		"prose":               {args: []string{"rpc error: code = Unavailable"}, want: "character 9 of it, ':', is not base64"},
		"an unknown form":     {args: []string{"--format=xml", "x"}, want: "must be one of"},
		"base64 cut short":    {args: []string{full[:len(full)-len(full)%4-3]}, want: "base64 that was cut off"},
		"bytes cut short":     {stdin: string(raw[:len(raw)-7]), want: "it was cut off"},
		"base64 of cut bytes": {args: []string{base64.StdEncoding.EncodeToString(raw[:1100])}, want: "in a detail at byte"},
		"another message":     {args: []string{"CgNmb28="}, want: "holds no code, message or detail"},
		"OK":                  {args: []string{"EgNmb28="}, want: "its code is 0, OK"},
		"no field":            {stdin: "\x08\x09\x00\x00", want: "at byte 2 there is no field"},
		"bad UTF-8":           {stdin: "\x08\x09\x12\x01\xff", want: "not valid UTF-8"},
		"JSON cut short":      {stdin: `{"code": 9, "mess`, want: "reading JSON"},
		"JSON of a number":    {stdin: `7`, args: []string{"--format=json"}, want: "reading JSON"},
		"a code of no kind":   {stdin: `{"code": "SOON"}`, want: "name of a google.rpc.Code"},
		"a code too large":    {stdin: `{"code": 1e300}`, want: "name of a google.rpc.Code"},
		"a detail of no type": {stdin: `{"code": 9, "details": [{}]}`, want: `details[0]: expected an object with "@type"`},
		"a bad detail": {
			stdin: `{"code": 9, "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": 7}]}`,
			want:  "details[0]: it is no type.googleapis.com/google.rpc.RetryInfo",
		},
		"bad base64 in it": {stdin: `{"code": 9, "details": [{"@type": "a/b.C", "@value": "!"}]}`, want: `base64 in "@value"`},
		"too much":         {stdin: strings.Repeat("A", parse.MaxBytes+10), want: "at most 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command(t, c.stdin, append([]string{"explain"}, c.args...)...)
			text := strings.ReplaceAll(got.err, "\n", " ")
			if got.code != exitUsage || got.out != "" || !strings.Contains(text, c.want) {
				t.Errorf("exit %d, want %q in:\n%s%s", got.code, c.want, got.err, got.out)
			}
			if len(got.err) > 1000 {
				t.Errorf("the complaint has %d bytes", len(got.err))
			}
		})
	}
}

// Nothing of an input reaches the terminal but what it can show.
func TestExplainIsSafe(t *testing.T) {
	t.Parallel()
	hostile := "a\x1b]0;title\x07\u009b31m\u202eb\u2028c\r\nd"
	st, err := status.New(codes.Code(9), hostile).WithDetails(
		&errdetails.ErrorInfo{Reason: hostile, Domain: hostile, Metadata: map[string]string{hostile: hostile}},
		&errdetails.LocalizedMessage{Message: hostile})
	if err != nil {
		t.Fatal(err)
	}
	text := base64.StdEncoding.EncodeToString(bytesOf(t, st.Proto()))
	for _, args := range [][]string{{text}, {"--json", text}, {"--format=json", "{\"code\": \"" + hostile}, {"--" + hostile}, {hostile}} {
		got := command(t, "", append([]string{"explain"}, args...)...)
		if bad := unshowable(got.out + got.err); bad != "" {
			t.Errorf("%q: %q reaches the terminal", args, bad)
		}
	}
}

// unshowable returns the first character that a terminal could act on, but for the ends of lines.
func unshowable(s string) string {
	for _, r := range s {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2028' || r == utf8.RuneError) {
			return string(r)
		}
	}
	return ""
}

func FuzzExplain(f *testing.F) {
	for _, st := range samples(f) {
		raw, err := proto.Marshal(st)
		if err != nil {
			f.Fatal(err)
		}
		asJSON, err := protojson.Marshal(st)
		if err == nil {
			f.Add(asJSON)
		}
		f.Add(raw)
		f.Add(raw[:len(raw)*2/3])
		f.Add([]byte(base64.RawStdEncoding.EncodeToString(raw)))
	}
	f.Add([]byte(`{"code":"unknown","details":[{"@type":"a/b.C","@value":"AA=="}]}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		for _, format := range []parse.Format{parse.Auto, parse.Base64, parse.Binary, parse.JSON} {
			for _, asJSON := range []bool{false, true} {
				c := explainCommand{Status: "-", Format: format, JSON: asJSON}
				var out strings.Builder
				if err := c.Run(t.Context(), &streams{in: strings.NewReader(string(input)), out: &out}); err != nil {
					if exitCode(err) != exitUsage {
						t.Errorf("%s: %v", format, err)
					}
					continue
				}
				if bad := unshowable(strings.ReplaceAll(out.String(), "\ufffd", "")); bad != "" {
					t.Errorf("%s: %q reaches the terminal", format, bad)
				}
				if asJSON && !json.Valid([]byte(out.String())) {
					t.Errorf("%s: not JSON: %s", format, out.String())
				}
			}
		}
	})
}
