// Package recovery turns a panic of a handler into an error. The text and the stack of the panic are for the log; the
// encode interceptor, which is outside it, keeps them from the caller.
package recovery
