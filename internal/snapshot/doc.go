// Package snapshot copies the SQLite file of a ledger while the process that it belongs to goes on writing it.
package snapshot
