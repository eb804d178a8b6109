package server

import "github.com/remedyrpc/remedy/errs"

// Denied is what Authorize returns to deny a call. The caller gets authorization_denied with the reason, which may be
// empty, and must not say whether what was asked for exists.
func Denied(reason string) error { return &errs.AuthorizationError{Reason: reason} }
