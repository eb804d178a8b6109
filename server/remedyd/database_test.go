package remedyd

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestDatabaseOf(t *testing.T) {
	t.Parallel()
	p := &program{name: "bookings"}
	tests := []struct{ text, shown, name string }{
		{"memory", "memory", ""},
		{"/var/lib/x.db", "/var/lib/x.db", "/var/lib/x.db"},
		{
			"postgres://me:secret@db.example.com:5433/ops?sslmode=verify-full&password=secret", "postgres://me@db.example.com:5433/ops",
			"postgres://me:secret@db.example.com:5433/ops?connect_timeout=10&password=secret&sslmode=verify-full",
		},
		{"postgresql://host/ops?connect_timeout=1", "postgresql://host/ops", "postgresql://host/ops?connect_timeout=1"},
	}
	for _, test := range tests {
		d, err := p.databaseOf(test.text)
		if err != nil || d.name != test.name || d.String() != test.shown {
			t.Errorf("%s: got %+v, shown as %v, %v", test.text, d, d, err)
		}
	}
	if d, err := p.databaseOf("./memory"); err != nil || !filepath.IsAbs(d.name) || filepath.Base(d.name) != "memory" {
		t.Errorf("a file that is called like a kind: got %+v, %v", d, err)
	}
	for _, name := range []string{"./me:you@home.db", "/var/lib/me:you@home.db", "me@home.db"} {
		if d, err := p.databaseOf(name); err != nil || filepath.Base(d.name) != filepath.Base(name) {
			t.Errorf("a file: got %+v, %v", d, err)
		}
	}
	if d, err := p.databaseOf(""); err != nil || !strings.HasSuffix(d.name, filepath.FromSlash("/operations.db")) || !d.standard {
		t.Errorf("the default: got %+v, %v", d, err)
	}
}

func TestStateFolder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		variables map[string]string
		want      string
	}{
		{map[string]string{"STATE_DIRECTORY": "/var/lib/a:/var/lib/b", "XDG_STATE_HOME": "/x", "HOME": "/h"}, "/var/lib/a"},
		{map[string]string{"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/bookings"},
		{map[string]string{"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/bookings"},
	}
	for _, test := range tests {
		got, err := stateFolder("bookings", func(name string) string { return test.variables[name] })
		if err != nil || got != test.want {
			t.Errorf("%v: got %s, %v", test.variables, got, err)
		}
	}
}
