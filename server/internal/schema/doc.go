// Package schema holds the JSON Schema of a tool's input: given or derived from a Go type, checked and bounded once when
// the server starts, and asked about every input after that. What it says about an input is made from the schema alone.
//
// It is JSON Schema 2020-12 with formats asserted and regular expressions in RE2. Nothing is ever loaded from elsewhere,
// and a schema that contains itself is refused, because its checks are not bounded by its size.
package schema
