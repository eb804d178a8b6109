package main

import (
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/term"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

func TestToolsGolden(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t)
	for name, args := range map[string][]string{
		"tools.txt":  {"tools", "--addr", addr},
		"tools.json": {"tools", "--addr", addr, "--json"},
		"tool.txt":   {"tools", "--addr", addr, "cancel_order"},
		"tool.json":  {"tools", "--addr", addr, "--json", "cancel_order"},
	} {
		got := command(t, "", args...)
		if got.code != exitOK || got.err != "" {
			t.Errorf("%s: exit %d, %s", name, got.code, got.err)
		}
		golden(t, name, got.out)
	}
}

func TestToolsFailures(t *testing.T) {
	t.Parallel()
	addr, _ := serve(t)
	for name, c := range map[string]struct {
		args []string
		code int
		want string
	}{
		"no such tool":    {[]string{"--addr", addr, "nothing"}, exitNever, "There is no tool nothing."},
		"nobody listens":  {[]string{"--addr", nobody(t)}, exitAsIs, "Check that the service runs at"},
		"no port":         {[]string{"--addr", "localhost"}, exitUsage, "missing port"},
		"TLS, unexpected": {[]string{"--addr", addr, "--tls=on"}, exitAsIs, "UNAVAILABLE"},
		"no such file":    {[]string{"--addr", addr, "--ca-file", "/does/not/exist"}, exitUsage, "--ca-file"},
		"no certificate":  {[]string{"--addr", addr, "--ca-file", "tools_test.go"}, exitUsage, "no certificate in PEM"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := command(t, "", append([]string{"tools"}, c.args...)...)
			if got.code != c.code || !strings.Contains(got.err, c.want) || got.out != "" {
				t.Errorf("exit %d, want %d and %q in:\n%s%s", got.code, c.code, c.want, got.err, got.out)
			}
		})
	}
}

func TestTLSByAddress(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]string{
		"127.0.0.1:1": "insecure", "[::1]:1": "insecure", "localhost:1": "insecure",
		"10.0.0.1:1": "tls", "example.com:443": "tls", ":1": "tls",
	} {
		creds, err := (&connection{TLS: "auto"}).credentials(addr)
		if err != nil {
			t.Fatal(err)
		}
		if got := creds.Info().SecurityProtocol; got != want {
			t.Errorf("%s: got %s, want %s", addr, got, want)
		}
	}
}

// TestToolWindow shows how much time a call has to leave, where its tool says so.
func TestToolWindow(t *testing.T) {
	t.Parallel()
	for want, window := range map[string]*durationpb.Duration{
		"": nil, "The deadline of a call has to leave at least 1m30s.": durationpb.New(90 * time.Second),
	} {
		var b strings.Builder
		toolOf(&servicev1.Tool{Name: "pay", Window: window}).text(term.NewPrinter(&b, false))
		if got := b.String(); !strings.Contains(got, want) || strings.Contains(got, "deadline") != (want != "") {
			t.Errorf("got\n%s\nwant %q", got, want)
		}
	}
}
