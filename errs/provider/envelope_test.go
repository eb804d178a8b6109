package provider

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"reflect"
	"testing"
	"time"
)

// TestEnvelopes holds that what a proxy or a client wraps around an object changes nothing of what it means.
func TestEnvelopes(t *testing.T) {
	t.Parallel()
	envelopes := map[string]func([]byte) []byte{
		"array":  func(b []byte) []byte { return append(append([]byte("["), b...), ']') },
		"ndjson": func(b []byte) []byte { return append([]byte("{\"model\":\"m\",\"done\":false}\n"), b...) },
		"cut":    func(b []byte) []byte { return b[:len(b)-1] },
		"string": func(b []byte) []byte {
			quoted, err := json.Marshal(string(b))
			if err != nil {
				t.Error(err)
			}
			return quoted
		},
		"gzip": func(b []byte) []byte {
			var out bytes.Buffer
			w := gzip.NewWriter(&out)
			_, _ = w.Write(b) // a buffer has no error
			_ = w.Close()
			return out.Bytes()
		},
	}
	cases := corpus(t, "wordings.jsonl")
	for i := range cases {
		var object map[string]any
		if json.Unmarshal([]byte(cases[i].Body), &object) != nil {
			continue
		}
		body, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		failure := cases[i].failure(t)
		failure.Body = body
		if failure.Now.IsZero() {
			failure.Now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		}
		want := Classify(failure)
		for name, wrap := range envelopes {
			failure.Body = wrap(body)
			if got := Classify(failure); !reflect.DeepEqual(got, want) {
				t.Errorf("%s as %s:\n got %+v\nwant %+v", cases[i].ID, name, got, want)
			}
		}
	}
}
