// Package sqlite is a ledger in one SQLite file, for one process, without cgo. It is the default one of remedyd.
//
// A move is acknowledged when it was written and synced to the file's log (WAL, synchronous=FULL): it survives a power cut.
// One goroutine writes. It takes the moves that wait at that moment into one transaction, so that they share one sync; one that
// fails does not fail the others. Readers have connections of their own.
//
// The file belongs to one process, which two locks ensure, one on a file beside it and, on Linux, one on the file itself. It is on
// a local disk, and so is the folder that it is in. [Backup] copies it while it is in use.
//
// Errors name the file and say what to do about it. They are for the log of the server, never for callers.
package sqlite
