package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
)

// Explain says of every status of the conformance corpus what every client says of it.
func TestExplainAgreesWithTheCorpus(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../client/conformance/testdata/vectors/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there is no corpus: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var corpus struct {
			Vectors []struct {
				Name   string          `json:"name"`
				Status string          `json:"status"`
				Call   json.RawMessage `json:"call"` // the expectation is of a call, not of its status alone
				Expect struct {
					Class    string `json:"class"`
					GRPCCode int32  `json:"grpcCode"`
					Code     string `json:"code"`
					Domain   string `json:"domain"`
					Retry    string `json:"retry"`
					Message  string `json:"message"`
					Info     struct {
						Effect string `json:"effect"`
					} `json:"info"`
				} `json:"expect"`
			} `json:"vectors"`
		}
		if err := json.Unmarshal(text, &corpus); err != nil {
			t.Fatal(err)
		}
		for _, v := range corpus.Vectors {
			if v.Call != nil {
				continue
			}
			got := command(t, "", "explain", "--json", v.Status)
			if got.code == exitUsage && v.Expect.Class == "Foreign" {
				continue // bytes that are no status
			}
			var r report.Report
			if err := json.Unmarshal([]byte(got.out), &r); err != nil {
				t.Errorf("%s: exit %d, %s", v.Name, got.code, got.err)
				continue
			}
			want := v.Expect
			kind := ""
			if want.Class != "Foreign" {
				kind = "*errs." + want.Class
			}
			if r.Type != kind || r.Plain.Number != want.GRPCCode || r.Code != want.Code || r.Domain != want.Domain ||
				r.Retry != want.Retry || r.Effect != want.Info.Effect || r.Message != want.Message {
				t.Errorf("%s: got %s\nwant %+v", v.Name, got.out, want)
			}
		}
	}
}
