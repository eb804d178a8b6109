package catalog

import "testing"

func TestEveryRowSaysWhen(t *testing.T) {
	t.Parallel()
	said := make(map[string]bool)
	for _, r := range Rows() {
		if r.When == "" {
			t.Errorf("%s does not say when it arises", r.name())
		}
		if said[r.name()] {
			t.Errorf("two rows are called %s", r.name())
		}
		said[r.name()] = true
	}
	for name := range whens() {
		if !said[name] {
			t.Errorf("%s is in the list of whens and not in the catalog", name)
		}
	}
}
