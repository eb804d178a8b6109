package errs

import "google.golang.org/grpc/status"

// Relay says what a server does with an error that it received from another server and returns as its own.
type Relay int

const (
	// RelayDefault passes our errors through and translates the others.
	RelayDefault Relay = iota
	// Passthrough sends the received status on as it is.
	Passthrough
	// Translate answers internal: what went wrong behind this server is not the caller's affair. The error can still be
	// matched in process.
	Translate
)

// Received marks an error that came off a connection, so that a server that returns it as its own treats it by the
// policy of that connection: ours for errors of ours, foreign for other statuses. Client interceptors call it. Errors
// that are not statuses, such as io.EOF, are returned as they are.
func Received(err error, ours, foreign Relay) error {
	if err == nil {
		return nil
	}
	if e, ok := asError(FromError(err)); ok {
		if base, ok := baseOf(e); ok && base.state() != nil && base.state().relay == RelayDefault {
			base.state().relay = ours
		}
		return e
	}
	if _, ok := err.(statusError); !ok { //nolint:errorlint // a wrapped status is somebody's own error
		return err
	}
	return &foreignError{err: err, relay: foreign}
}

// foreignError is a received status that is not ours.
type foreignError struct {
	err   error
	relay Relay
}

func (e *foreignError) Error() string              { return e.err.Error() }
func (e *foreignError) Unwrap() error              { return e.err }
func (e *foreignError) GRPCStatus() *status.Status { return status.Convert(e.err) }

// sent is what a server returns to grpc when that is not the handler's own error: the status of the head, and
// everything that the handler returned, to be matched in process.
type sent struct {
	ours Error
	orig error
	st   *status.Status // the status of the head where it had to be fitted again
}

var _ Error = (*sent)(nil)

func (e *sent) Error() string            { return e.GRPCStatus().Message() }
func (e *sent) ErrorCode() string        { return e.ours.ErrorCode() }
func (e *sent) RetryPolicy() RetryPolicy { return e.ours.RetryPolicy() }
func (e *sent) Plan() *Plan              { return e.ours.Plan() }

func (e *sent) GRPCStatus() *status.Status {
	if e.st != nil {
		return e.st
	}
	return e.ours.GRPCStatus()
}

// Unwrap returns the head and the handler's error.
func (e *sent) Unwrap() []error { return []error{e.ours, e.orig} }

// plainSent is a status that is not ours, sent in place of the handler's error.
type plainSent struct {
	orig error
	st   *status.Status
}

func (e *plainSent) Error() string              { return e.st.String() }
func (e *plainSent) Unwrap() error              { return e.orig }
func (e *plainSent) GRPCStatus() *status.Status { return e.st }
