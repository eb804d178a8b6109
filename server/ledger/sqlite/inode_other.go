//go:build !linux

package sqlite

import "io"

// lockItself locks nothing: elsewhere flock and the fcntl locks of SQLite are one kind, or keep it from reading (Windows), and
// single files are seldom mounted.
func lockItself(file) (io.Closer, error) { return io.NopCloser(nil), nil }

// notMounted does not look.
func notMounted(file) error { return nil }
