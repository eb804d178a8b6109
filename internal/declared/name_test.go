package declared

import "testing"

func TestLowerSnake(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "A": "a", "Get": "get", "GetState": "get_state", "GetHTTPState": "get_http_state", "HTTP": "http", "GetV2": "get_v2",
		"V2Get": "v2_get", "get_state": "get_state", "Get_State": "get_state", "getState": "get_state", "_Get": "_get",
	} {
		if got := lowerSnake(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

func TestChoices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   []string
		want string
	}{
		{nil, ""},
		{[]string{"b", "a", "b"}, "a, b"},
		{[]string{"1", "2", "3", "4", "5", "6", "7", "8"}, "1, 2, 3, 4, 5, 6, 7, 8"},
		{[]string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}, "1, 2, 3, 4, 5, 6, 7, 8 and 1 more"},
	} {
		if got := choices(test.in); got != test.want {
			t.Errorf("%v: got %q, want %q", test.in, got, test.want)
		}
	}
}
