package provider

import "github.com/remedyrpc/remedy/errs"

// retry says whether a retry with backoff is likely to succeed.
type retry int8

const (
	retryUnknown retry = iota
	retryYes
	retryNo
)

// pointer is how the API says it: nil where it cannot be told.
func (r retry) pointer() *bool {
	switch r {
	case retryYes:
		return new(true)
	case retryNo:
		return new(false)
	default:
		return nil
	}
}

func retryOf(p *bool) retry {
	switch {
	case p == nil:
		return retryUnknown
	case *p:
		return retryYes
	default:
		return retryNo
	}
}

// retryOfAuth says whether the same call may succeed later, with the same credential.
func retryOfAuth(kind errs.AuthKind) retry {
	switch kind {
	case errs.AuthBusy, errs.AuthNetwork:
		return retryYes
	case errs.AuthExpired: // a refresh may cure it
		return retryUnknown
	default:
		return retryNo
	}
}
