// Package postgres is a ledger in a PostgreSQL schema, shared by any number of replicas.
//
// A move is one statement, and so one commit. It is acknowledged when the server has synced it: every connection is refused
// whose server does not sync, or acknowledges earlier (fsync, synchronous_commit). A connection that is lost leaves a move
// unknown, which is ledger.ErrUnavailable; asked again, the move finds what became of it.
//
// Who waits for a row polls it, and is woken by a notification, which is sent only where somebody waits: one for every move
// would take half of the throughput, and who only listened would miss the one that is lost.
//
// Errors name the setting and say what to do about it. They are for the log of the server, never for callers.
package postgres
