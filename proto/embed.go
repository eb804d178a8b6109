// Package proto carries the protos of the contract, for whoever has to write them where a compiler finds them.
package proto

import (
	"embed"
	"io/fs"
)

//go:embed remedy/v1/options.proto remedy/v1/repair.proto remedy/v1/errors.proto
var contract embed.FS

// Contract returns the protos of remedy.v1 by the paths that imports have for them.
func Contract() fs.FS { return contract }
