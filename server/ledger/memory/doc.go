// Package memory is a ledger in the memory of one process: for tests, and for servers that may forget everything when they
// stop. A key that was used before a restart executes again after it, so nothing that costs money belongs here.
//
// What it keeps is bounded: see [WithMaxOperations] and [WithMaxOutputs].
package memory
