// Package guide holds the type of authored text. It is internal so that nothing outside errs can name it: an untyped
// constant converts to it, a variable or the result of a call does not. Package trusted is the one way around.
package guide

// Text is text that an author wrote down, never text that came from a request, a response or a model.
type Text string
