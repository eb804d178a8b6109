package remedyd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/remedyrpc/remedy/server/ledger/postgres"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// migrate brings the database to the schema of this version, or says what that would do.
func (p *program) migrate(ctx context.Context, f *flags) int {
	do := migrated
	if f.Migrate.DryRun {
		do = tried
	}
	said, err := do(ctx, f.database)
	if err != nil {
		p.complain(f.database.fault(err))
		return ExitDatabase
	}
	if _, err := fmt.Fprintf(p.out, "%s: %s: %s\n", p.name, f.database, said); err != nil {
		p.complain(fmt.Errorf("printing: %w", err))
		return ExitFailed
	}
	return ExitOK
}

// migrated migrates.
func migrated(ctx context.Context, d database) (string, error) {
	if d.kind == postgresURL {
		return "it has the schema of this version", postgres.Migrate(ctx, d.name)
	}
	if err := d.makeFolder(); err != nil {
		return "", err
	}
	return "it has the schema of this version", sqlite.Migrate(ctx, d.name)
}

// tried says what migrating would do. A file is copied, and the copy migrated; the tables of a shared database are compared.
func tried(ctx context.Context, d database) (said string, err error) {
	if d.kind == postgresURL {
		l, err := postgres.Open(ctx, d.name, postgres.WithoutMigration())
		switch {
		case errors.Is(err, postgres.ErrOlder):
			return "it would be migrated: " + err.Error(), nil
		case err != nil:
			return "", err
		}
		return "it has a schema that this version works with; nothing to do", l.Close()
	}
	before, err := sqlite.Schema(ctx, d.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no such file; it would be made", d.hasFolder()
	case err != nil:
		return "", err
	case before == 0:
		return "it is empty; its tables would be made", nil
	}
	folder, err := os.MkdirTemp(filepath.Dir(d.name), ".migrate-*") // as much room, and as private, as the file
	if err != nil {
		return "", fmt.Errorf("a folder for a copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	copied := filepath.Join(folder, "copy.db")
	if err := sqlite.Backup(ctx, d.name, copied); err != nil {
		return "", err
	}
	if err := sqlite.Migrate(ctx, copied); err != nil {
		return "", fmt.Errorf("migrating a copy of %s: %w", d.name, err)
	}
	after, err := sqlite.Schema(ctx, copied)
	if err != nil {
		return "", fmt.Errorf("reading the copy of %s: %w", d.name, err)
	}
	if before == after {
		return fmt.Sprintf("it has schema %d; nothing to do", before), nil
	}
	return fmt.Sprintf("a copy of it was migrated from schema %d to %d, and removed", before, after), nil
}
