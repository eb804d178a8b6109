package server

import "strings"

// Verdict is what Verify of a [Tool] says of a result: [Verified], [Superseded] or [NotVerified]. Any other value, the zero
// value among them, means that verification was not possible.
type Verdict string

const (
	// Verified says that authoritative state agrees with the result.
	Verified Verdict = "verified"
	// Superseded says that it once did, and that something later changed it. It counts as verified.
	Superseded Verdict = "superseded"

	notVerified = "not_verified"
	notPossible = "unavailable"
)

// NotVerified says that authoritative state disagrees with the result. The reason stays in this process, in the cause
// of the [errs.VerificationError] that the caller gets.
func NotVerified(reason string) Verdict { return Verdict(notVerified + ": " + reason) }

// disagrees reports whether a verdict is one of NotVerified.
func (v Verdict) disagrees() bool { return strings.HasPrefix(string(v), notVerified+": ") }
