// Package decode turns the errors that a client receives into the typed errors that were sent, on all four kinds of
// calls. The end of a stream stays exactly io.EOF, and errors that are not ours keep matching as they are.
package decode
