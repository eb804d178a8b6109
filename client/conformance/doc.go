// Package conformance holds the golden vectors of the wire contract: what every error is in bytes, and what every client
// makes of those bytes. The Go tests write them and check them both ways; README.md describes them for other languages.
package conformance
