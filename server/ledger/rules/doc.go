// Package rules is the moves of a ledger as pure functions: a row, what is asked and the time give the next row, and whether
// it is what the move makes of it. There is no clock, no lock and no I/O here, so every rule can be read, and every
// interleaving of them tried.
//
// It is what stores are held to. Package memory calls it for each move; a store that moves rows by statements of its own is
// compared with it by package ledgertest.
//
// Names are checked before, by [CheckNames]; texts that not every database keeps are changed here, so that all keep the same.
//
// A function that moves the row returns it with the next Version. One that finds another state, or its own result of
// before, returns the row as it was. Slices of the next row may be those of the row and of what was asked.
package rules
