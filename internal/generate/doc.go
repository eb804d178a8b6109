// Package generate is what the plugin protoc-gen-remedy does: from protos that declare errors and contracts it writes typed
// errors and typed clients, or refuses them with every problem at its place. The linter shares the part that knows which Go
// names and imports cannot be.
package generate
