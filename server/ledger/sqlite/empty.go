package sqlite

import "context"

// Empty reports whether there is no operation in the ledger, so that every key is that of a new one: the file was just made, is
// not the one that was meant, or everything in it was forgotten.
func (l *Ledger) Empty(ctx context.Context) (bool, error) {
	var n int
	err := l.readers.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM operations LIMIT 1)").Scan(&n)
	return n == 0, l.file.fault("looking for operations", err)
}
