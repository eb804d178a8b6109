// Package statement holds the moves of a ledger as SQL that SQLite and PostgreSQL both understand. Each move is one guarded
// statement; its guard and what it sets stand beside each other in moves.go, in the order of the table of package ledger.
//
// A [Store] is a ledger over a [DB], which runs statements and knows nothing of operations.
package statement
