// Package encode turns the error of a handler into the status that may leave the server: a typed error with its details
// within the bounds of proxies and clients, everything else masked and logged under an error id.
//
// It is the outermost interceptor, so that the errors of all others are encoded too. It states no effect.
package encode
