package authored_test

import (
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/internal/authored"
)

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", authored.MaxName)
	tests := []struct {
		in          string
		tool, field bool
	}{
		{"", false, false},
		{"cancel_order", true, true},
		{"/shop.v1.Shop/Cancel-2", true, false},
		{"$.items.0", false, true},
		{"a-b", true, true},
		{long, true, true},
		{long + "n", false, false},
		{"a b", false, false},
		{"größe", false, false},
		{"a\x00", false, false},
	}
	for _, test := range tests {
		if got := authored.IsTool(test.in); got != test.tool {
			t.Errorf("IsTool(%q): got %t, want %t", test.in, got, test.tool)
		}
		if got := authored.IsField(test.in); got != test.field {
			t.Errorf("IsField(%q): got %t, want %t", test.in, got, test.field)
		}
	}
}

func TestCodes(t *testing.T) {
	t.Parallel()
	long := "a" + strings.Repeat("_", authored.MaxCode-2) + "9"
	for in, want := range map[string]bool{
		"": false, "ab": false, "abc": true, "a_1": true, "1ab": false, "_ab": false, "ab_": false, "aBc": false, "a-b": false,
		"äbc": false, long: true, long + "9": false,
	} {
		if got := authored.IsCode(in); got != want {
			t.Errorf("IsCode(%q): got %t, want %t", in, got, want)
		}
		if upper := strings.ToUpper(in); in != "aBc" && authored.IsReason(upper) != want {
			t.Errorf("IsReason(%q): got %t, want %t", upper, !want, want)
		}
		if in != "" && authored.IsReason(in) {
			t.Errorf("IsReason(%q)", in)
		}
	}
}

func TestLowerSnake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "A": "a", "Get": "get", "GetState": "get_state", "GetHTTPState": "get_http_state", "HTTP": "http", "GetV2": "get_v2",
		"V2Get": "v2_get", "get_state": "get_state", "Get_State": "get_state", "getState": "get_state", "_Get": "_get",
	} {
		if got := authored.LowerSnake(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
