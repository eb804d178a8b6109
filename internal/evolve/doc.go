// Package evolve shows what becomes of an error that is added after a client was generated. Its test runs one server and two
// clients, generated from the protos as they were before and as they are after: two versions of a proto package cannot be in
// one program.
package evolve
