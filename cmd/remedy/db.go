package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// dbCommand is remedy db.
type dbCommand struct {
	Backup dbBackupCommand `cmd:"" help:"Copy the SQLite file of a service, which may be running."`
}

// dbBackupCommand is remedy db backup.
type dbBackupCommand struct {
	Source string `arg:"" help:"Database file of the service, its --db."`
	Dest   string `arg:"" help:"File to write, which does not exist."`
}

// Help says what a copy is good for.
func (*dbBackupCommand) Help() string {
	return "The copy is the file as it is at one moment, checked and synced. To go back to it, stop the service and start it with " +
		"--db DEST: what happened after the copy was made is not known then, so a retry of that has its effect again. PostgreSQL " +
		"has backups of its own."
}

// Run copies.
func (c *dbBackupCommand) Run(ctx context.Context, s *streams) error {
	for _, name := range []string{c.Source, c.Dest} {
		if strings.HasPrefix(name, "postgres:") || strings.HasPrefix(name, "postgresql:") { // which may hold a password
			return usageError{errors.New("db backup copies SQLite files: use pg_dump, or backups of the server, for PostgreSQL")}
		}
	}
	if c.Source == "memory" {
		return usageError{errors.New("db backup copies SQLite files: what --db memory keeps is in no file")}
	}
	if err := sqlite.Backup(ctx, c.Source, c.Dest); err != nil {
		return fmt.Errorf("db backup: %w", err)
	}
	p := s.printer()
	p.Line(0, "wrote "+c.Dest)
	return p.Err()
}
