package errs

// Relay says what a server does with an error that it received from another server and returns as its own.
type Relay int

const (
	// RelayDefault passes our errors through and translates the others.
	RelayDefault Relay = iota
	// Passthrough sends the received status on as it is.
	Passthrough
	// Translate answers internal: what went wrong behind this server is not the caller's affair. The error can still be
	// matched in process, and it never travels as a cause either.
	Translate
)

// Received marks an error that came off a connection, so that a server that returns it as its own treats it by the
// policy of that connection: ours for errors of ours, foreign for other statuses. Client interceptors call it. It decodes
// what [FromError] decodes. Errors that are not statuses, such as io.EOF, are returned as they are, and so are errors
// that are marked already or were built in this process.
func Received(err error, ours, foreign Relay) error {
	switch e := err.(type) { //nolint:errorlint // this very error
	case nil:
		return nil
	case *foreignError, *sent:
		return err
	case Error:
		return marked(e, ours)
	}
	found := FromError(err)
	if e, ok := asTyped(found); ok {
		return marked(e, ours)
	}
	if s, ok := err.(statusError); ok && statusSafely(s) != nil { //nolint:errorlint // a wrapped status is somebody's own error
		return &foreignError{err: err, relay: foreign}
	}
	return found
}

// marked returns e, or a copy when the mark changes it: others may hold e.
func marked(e Error, relay Relay) error {
	base := baseOf(e)
	s := base.state()
	if s == nil || relay == RelayDefault || s.relay != RelayDefault {
		return e
	}
	w := s.said.Load()
	if w == nil || !w.foreign {
		return e
	}
	copied := duplicate(base)
	copied.state().relay = relay
	copied.state().said.Store(w)
	return rewrap(e, copied)
}
