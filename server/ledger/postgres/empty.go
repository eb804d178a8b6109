package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Empty reports whether there is no operation in the ledger, so that every key is that of a new one: its tables were just made,
// are not those that were meant, or everything in them was forgotten.
func (l *Ledger) Empty(ctx context.Context) (bool, error) {
	bounded, end, err := database{l}.begin(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	var empty bool
	query := "SELECT NOT EXISTS (SELECT FROM " + pgx.Identifier{l.options.schema, "operations"}.Sanitize() + ")"
	err = l.pool.QueryRow(bounded, query).Scan(&empty)
	return empty, fault(ctx, "looking for operations", err)
}
