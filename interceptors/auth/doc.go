// Package auth asks a hook who is calling and puts the answer into the context. Health and reflection are exempt by
// name. How callers prove who they are is the hook's affair.
package auth
