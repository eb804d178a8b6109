package plain_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/plain"
)

// What this package shows is only worth something if it knows nothing of ours.
func TestImportsNothingOfOurs(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if strings.HasPrefix(path, "github.com/remedyrpc/") && !strings.HasSuffix(path, "/internal/plain") {
			t.Errorf("it imports %s", path)
		}
	}
}

func packed(t *testing.T, m proto.Message) *anypb.Any {
	t.Helper()
	detail, err := anypb.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return detail
}

func TestOf(t *testing.T) {
	t.Parallel()
	v := plain.Of(&spb.Status{Code: 8, Message: "m", Details: []*anypb.Any{
		packed(t, &errdetails.ErrorInfo{Reason: "R", Domain: "d", Metadata: map[string]string{"b": "2", "a": "1"}}),
		packed(t, &errdetails.BadRequest{FieldViolations: []*errdetails.BadRequest_FieldViolation{
			{Field: "items[0].name", Description: "is required", LocalizedMessage: &errdetails.LocalizedMessage{Locale: "de"}},
		}}),
		packed(t, &errdetails.RetryInfo{RetryDelay: durationpb.New(1500e6)}),
		packed(t, &errdetails.RetryInfo{RetryDelay: &durationpb.Duration{Seconds: 1 << 60}}),
		{TypeUrl: "type.googleapis.com/google.rpc.Help", Value: []byte{0xff}},
		{TypeUrl: "type.googleapis.com/shop.v1.SlotStale", Value: []byte("abc")},
		{TypeUrl: "nothing"},
	}})
	if v.Status != "RESOURCE_EXHAUSTED" || v.Number != 8 || v.Message != "m" || len(v.ErrorInfos()) != 1 {
		t.Errorf("got %+v", v)
	}
	var got []string
	for _, d := range v.Details {
		got = append(got, d.Type+" "+d.Problem)
		for _, line := range d.Lines() {
			got = append(got, line.Path+"="+line.Value)
		}
	}
	want := []string{
		"google.rpc.ErrorInfo ", "reason=R", "domain=d", "metadata.a=1", "metadata.b=2",
		"google.rpc.BadRequest ", "fieldViolations[0].field=items[0].name", "fieldViolations[0].description=is required",
		"fieldViolations[0].localizedMessage.locale=de",
		"google.rpc.RetryInfo ", "retryDelay=1.5s",
		"google.rpc.RetryInfo it holds an impossible value",
		"google.rpc.Help its bytes cannot be read",
		"shop.v1.SlotStale ",
		"nothing ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
