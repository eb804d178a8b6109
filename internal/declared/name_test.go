package declared

import "testing"

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
