package provider

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// hostile are bodies that try to cost time, memory or sense.
func hostile() []string {
	nested := `"x"`
	for range 6 {
		quoted, err := json.Marshal(`{"error":{"message":` + nested + `}}`)
		if err != nil {
			return nil
		}
		nested = string(quoted)
	}
	return []string{
		"", " ", "\x00", "\xff\xfe", "{", "[", `"`, `\`, "(", "{{", `{"`, `{"a`, `{"a":`, `{"error":`, "{}", "[]", "null",
		strings.Repeat("{", 4096), strings.Repeat("[", 4096), strings.Repeat(`{"error":`, 2048), strings.Repeat(`[{"error":[`, 1024),
		strings.Repeat(`"`, 4097), strings.Repeat(`\`, 4096), strings.Repeat(`\"`, 4096), strings.Repeat("'", 4095), nested,
		strings.Repeat("data: {\"error\":{\"message\":\"Overloaded\"}}\n\n", 512), strings.Repeat("Error code: 400 - ", 512),
		strings.Repeat("<", 4096), strings.Repeat("<title>", 512), "<title></title", "<h1",
		"<html><title>" + strings.Repeat("İ", 99) + "</title>",
		strings.Repeat("İ", 99) + "<html>", strings.Repeat("https://", 512), "a://", "://",
		strings.Repeat("maximum context length is 1 tokens ", 256), strings.Repeat("try again in 1", 512),
		"try again in 1" + strings.Repeat("0", 400) + "s",
		`{"error":{"code":99999999999999999999999,"retry_after":1e999,"resets_at":-1}}`, `{"resets_in_seconds":"NaN"}`, `{"\ud800":"\udfff\u12"}`,
		"\x1f\x8b\x08", "\x1f\x8b\x08\x00\x00\x00\x00\x00", ":exception-type", ":exception-type\x07\xff\xff", ":exception-type\x07\x00\x03abc",
		"{A:b C:", "{Error:{Message:a b Type:c} Code:", "map[a:b c:map[", "X{a=b c, d=", "{A:B:C:D", "%{a => ", strings.Repeat("{A:b ", 1024),
		"{A: " + strings.Repeat("b", 4096) + strings.Repeat(":", 4096), strings.Repeat("map[a:", 1024), "\x1b[", "\x1b[31", "█",
		"Some(Some(Some(", "A(B{c:d(", "b'", `b"{\"message\":`, "é", "上下文", "\u202e", "prompt is too long",
	}
}

// FuzzClassify holds what is true of any failure: it is classified at once and always alike, by the words of the API, and
// neither a spent quota nor a credential is worth a retry by anybody's hint.
func FuzzClassify(f *testing.F) {
	for i, body := range hostile() {
		f.Add("openai", (i*97)%600, []byte(body), "Retry-After", body, i%2 == 0)
	}
	f.Add("openai", 503, []byte("{}"), "Retry-After", "1", false)
	cases := corpus(f, "failures.jsonl")
	for i := range cases {
		f.Add(cases[i].Provider, cases[i].Status, []byte(cases[i].Body), "X-Should-Retry", "true", cases[i].Endpoint != "")
	}
	now := time.Unix(1_700_000_000, 0)
	f.Fuzz(func(t *testing.T, provider string, status int, body []byte, name, value string, token bool) {
		failure := Failure{
			Provider: provider, Status: status, Body: body, Header: http.Header{name: {value}}, Token: token, Now: now,
		}
		got := Classify(failure)
		if again := Classify(failure); !reflect.DeepEqual(got, again) {
			t.Fatalf("classified as %+v, then as %+v", got, again)
		}
		requireSound(t, got, now)
		err := ToTypedError(got, provider, errs.Code("x"))
		if again := Classify(Failure{Err: err}); !again.same(got) {
			t.Fatalf("%+v read back as %+v", got, again)
		}
	})
}

// requireSound checks what is true of any classification.
func requireSound(t *testing.T, c Classified, now time.Time) {
	t.Helper()
	switch c.Kind {
	case KindContextExceeded, KindToolPairing, KindAborted:
		if c.Retryable != nil || c.Limit != nil || c.Auth != nil {
			t.Errorf("a %s carries what only a provider_error does: %+v", c.Kind, c)
		}
	case KindProviderError:
	default:
		t.Errorf("kind %q", c.Kind)
	}
	if len(c.ProviderCode) > maxCode || c.ProviderCode != codeName(c.ProviderCode) {
		t.Errorf("a code is %q", c.ProviderCode)
	}
	if c.Auth != nil && c.Limit != nil {
		t.Error("a credential and a limit at once")
	}
	again := c.Kind == KindProviderError && c.Limit == nil && c.Retryable != nil && *c.Retryable
	if c.RetryAfter < 0 || c.RetryAfter > 0 && c.Auth == nil && !again {
		t.Errorf("wait of %v, of %+v", c.RetryAfter, c)
	}
	if l := c.Limit; l != nil {
		if l.RetryAfter < 0 || l.RetryAfter%time.Millisecond != 0 || !l.ResetsAt.IsZero() && !l.ResetsAt.After(now) {
			t.Errorf("limit %+v", l)
		}
		switch l.Kind {
		case errs.LimitQuota:
			if c.Retryable == nil || *c.Retryable {
				t.Error("a spent quota is retryable")
			}
		case errs.LimitRate, errs.LimitOverload:
		default:
			t.Errorf("limit of kind %q", l.Kind)
		}
	}
}

// FuzzMatchesContextExceeded holds that matching is a function of the message, whatever a client writes before it.
func FuzzMatchesContextExceeded(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	cases := append(corpus(f, "failures.jsonl"), corpus(f, "lookalikes.jsonl")...)
	for i := range cases {
		f.Add(cases[i].Body)
	}
	f.Fuzz(func(t *testing.T, message string) {
		got := MatchesContextExceeded(message)
		if again := MatchesContextExceeded(message); got != again {
			t.Fatalf("matches: %v, then %v", got, again)
		}
		if len(message) > 1<<10 { // longer texts lose their middle
			return
		}
		long := strings.Repeat("x", 64<<10) + " "
		for _, prefix := range []string{"400 ", "Error code: 400 - ", "stream disconnected before completion: ", long} {
			if got && !MatchesContextExceeded(prefix+message) {
				t.Errorf("%q no longer matches after %.40q", message, prefix)
			}
		}
		quoted, err := json.Marshal(strings.ToValidUTF8(message, ""))
		if err != nil {
			t.Fatal(err)
		}
		if got != MatchesContextExceeded(string(bytes.TrimSpace(quoted))) && plainText(message) {
			t.Errorf("%q matches: %v, quoted it does not", message, got)
		}
	})
}

// plainText reports whether JSON quotes a text without changing what fold makes of it.
func plainText(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`\<>&`, r) }) < 0
}

// FuzzUnwrap holds that whatever is read from a body stays within its bounds.
func FuzzUnwrap(f *testing.F) {
	for _, body := range hostile() {
		f.Add([]byte(body))
	}
	cases := corpus(f, "failures.jsonl")
	for i := range cases {
		f.Add([]byte(cases[i].Body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		v := look(&Failure{Body: body})
		if len(v.text) > 3*maxText || v.size > maxText+maxText/4 {
			t.Errorf("text of %d bytes, of parts of %d", len(v.text), v.size)
		}
		l := loose{in: string(body)}
		for l.at < len(l.in) {
			before := l.at
			l.value(0)
			if l.at <= before || l.at > len(l.in) {
				t.Fatalf("reading went from %d to %d of %d", before, l.at, len(l.in))
			}
		}
		if text := fold(string(body)); fold(text) != text && plainText(text) && !strings.Contains(text, "://") {
			t.Errorf("folding %q twice gives %q", text, fold(text))
		}
	})
}

// FuzzDelay holds that no hint makes a wait of nothing, of less, or one that a Duration cannot hold.
func FuzzDelay(f *testing.F) {
	for _, value := range []string{
		"1", "0", "-1", "inf", "nan", "1e308", "99999999999999999999999999", "1.5", "Fri, 29 Sep 2023 16:26:57 GMT",
		"Fri, 29 Sep 1000 16:26:57 GMT", "2023-09-29T16:26:57Z", "1696004797", "1696004797000", "6m0s", "1m26.4s", "174ms", "5 days 22 hours",
		"OOm", "0x1p-2", "1_000", "+5", " 5 ", "5s", "9223372036854775807", "9223372036854", "9223372036", "9223372037",
	} {
		f.Add(value)
	}
	now := time.Date(2023, 9, 29, 16, 26, 37, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value string) {
		for _, failure := range []Failure{
			{Status: 429, Header: http.Header{"Retry-After": {value}}},
			{Status: 429, Header: http.Header{"Retry-After-Ms": {value}}},
			{Status: 429, Header: http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {value}}},
			{Status: 429, Body: []byte("Please try again in " + value)},
			{Status: 429, Body: []byte("limit resets at " + value)},
			{Status: 429, Body: []byte(`{"error":{"message":"x","retry_after":"` + value + `","resets_at":"` + value + `"}}`)},
		} {
			failure.Now = now
			c := Classify(failure)
			if c.Limit == nil && c.Kind == KindProviderError && c.Auth == nil {
				t.Errorf("%s %s: no limit", failure.Header, failure.Body)
			}
			requireSound(t, c, now)
		}
	})
}

// TestHostile classifies every hostile body, and a bomb of gzip.
func TestHostile(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	for range 256 {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, body := range append(hostile(), bomb.String()) {
		requireSound(t, Classify(Failure{Body: []byte(body), InStream: true}), time.Now())
		if Classify(Failure{Status: 529, Body: []byte(body)}).Kind == KindContextExceeded {
			t.Errorf("a status of 529 is an exceeded context: %.80q", body)
		}
	}
}
