// Package validate checks every request and every streamed message against the protovalidate rules in its proto, and
// answers invalid_input with each field that breaks one. It is a package of its own because protovalidate compiles CEL.
package validate
