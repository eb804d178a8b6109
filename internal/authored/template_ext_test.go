package authored_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/authored/authoredtest"
)

func TestTemplate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("n", authored.MaxName)
	tests := []struct {
		in               string
		fields, literals []string
	}{
		{"", nil, nil},
		{"Gone.", nil, []string{"Gone."}},
		{"{a}", []string{"a"}, nil},
		{"{a}{b}", []string{"a", "b"}, nil},
		{"Slot {slot_id} of {day}.", []string{"slot_id", "day"}, []string{"Slot ", " of ", "."}},
		{"{} { } {a b} {a", nil, []string{"{} { } {a b} {a"}},
		{"{{a}}", []string{"a"}, []string{"{", "}"}},
		{"{a{b}", []string{"b"}, []string{"{a"}},
		{"{" + long + "}", []string{long}, nil},
		{"{n" + long + "}", nil, []string{"{n" + long + "}"}},
	}
	for _, test := range tests {
		template := authored.ParseTemplate(test.in)
		if diff := cmp.Diff(test.fields, template.Fields()); diff != "" {
			t.Errorf("fields of %q (-want +got):\n%s", test.in, diff)
		}
		if diff := cmp.Diff(test.literals, template.Literals()); diff != "" {
			t.Errorf("literals of %q (-want +got):\n%s", test.in, diff)
		}
		if template.Text() != test.in {
			t.Errorf("text: got %q, want %q", template.Text(), test.in)
		}
	}
}

func TestTemplateProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := authoredtest.Hostile().Draw(t, "in")
		template := authored.ParseTemplate(in)
		if got := template.Fill(func(name string) string { return "{" + name + "}" }); got != in {
			t.Fatalf("filled with its own placeholders: got %q, want %q", got, in)
		}
		for _, name := range template.Fields() {
			if !authored.IsField(name) {
				t.Fatalf("%q is a placeholder of %q", name, in)
			}
		}
	})
}
