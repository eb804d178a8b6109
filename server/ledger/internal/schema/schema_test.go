package schema

import (
	"errors"
	"testing"
	"testing/fstest"
)

func migrations(oldest ...int) []Migration {
	all := make([]Migration, len(oldest))
	for i, o := range oldest {
		all[i].Version = Version{Number: i + 1, Oldest: o}
	}
	return all
}

func TestMissing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		have  Version
		all   []Migration
		want  int
		newer bool
	}{
		{name: "new database", all: migrations(1, 1, 2), want: 3},
		{name: "older", have: Version{2, 1}, all: migrations(1, 1, 2), want: 1},
		{name: "same", have: Version{3, 2}, all: migrations(1, 1, 2)},
		{name: "next, which works beside", have: Version{3, 2}, all: migrations(1, 1)},
		{name: "newer", have: Version{3, 3}, all: migrations(1, 1), newer: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := Missing(test.have, test.all)
			if len(got) != test.want || errors.Is(err, ErrNewer) != test.newer {
				t.Errorf("Missing() = %d migrations, %v; want %d", len(got), err, test.want)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	file := &fstest.MapFile{Data: []byte("SELECT 1")}
	good := fstest.MapFS{"migration/0001_0001_first.sql": file, "migration/0002_0001_second.sql": file}
	if all, err := Load(good); err != nil || len(all) != 2 || all[1].Version != (Version{2, 1}) || all[1].SQL != "SELECT 1" {
		t.Errorf("Load() = %+v, %v", all, err)
	}
	for _, name := range []string{"0003_0001_gap.sql", "0002_0003_later.sql", "0002_0000_never.sql", "0002_x_name.sql", "two.sql"} {
		bad := fstest.MapFS{"migration/0001_0001_first.sql": file, "migration/" + name: file}
		if _, err := Load(bad); err == nil {
			t.Errorf("Load() takes %s", name)
		}
	}
}
