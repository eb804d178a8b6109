// Package schema says which migrations a database needs, and whether this version can work with it at all.
package schema

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// ErrNewer says that the database was migrated by a newer version, which this one cannot work beside.
var ErrNewer = errors.New("the database is of a newer version of remedy; run that version, or a backup of before")

// Version is what a database says of itself. Its zero value is a new database.
type Version struct {
	// Number is that of the newest migration. Oldest is the number of the oldest schema whose programs can work with it: those
	// of the minor version before, so that replicas are replaced one after another.
	Number, Oldest int
}

// Migration takes a database from the version before it to its own.
type Migration struct {
	Version

	SQL string
}

// Load reads migrations from files that are called NUMBER_OLDEST_name.sql, each number one more than that before it.
func Load(files fs.FS) ([]Migration, error) {
	names, err := fs.Glob(files, "migration/*.sql")
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	all := make([]Migration, 0, len(names))
	for i, name := range names { // in order: Glob sorts
		fields := strings.SplitN(path.Base(name), "_", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("migration %s: its name is not NUMBER_OLDEST_name.sql", name)
		}
		number, err := strconv.Atoi(fields[0])
		if err != nil || number != i+1 {
			return nil, fmt.Errorf("migration %s: its number is not %d", name, i+1)
		}
		oldest, err := strconv.Atoi(fields[1])
		if err != nil || oldest < 1 || oldest > number {
			return nil, fmt.Errorf("migration %s: its oldest version is not one of 1 to %d", name, number)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", name, err)
		}
		all = append(all, Migration{Version: Version{Number: number, Oldest: oldest}, SQL: string(text)})
	}
	return all, nil
}

// Missing returns the migrations that a database needs, or [ErrNewer].
func Missing(have Version, all []Migration) ([]Migration, error) {
	newest := len(all)
	switch {
	case have.Oldest > newest:
		return nil, fmt.Errorf("%w (it has schema %d, for schema %d and later; this is %d)", ErrNewer, have.Number, have.Oldest, newest)
	case have.Number >= newest:
		return nil, nil
	default:
		return all[have.Number:], nil
	}
}
