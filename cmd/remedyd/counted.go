//go:build !crashpoint

package main

import "github.com/remedyrpc/remedy/server"

// countedTools are for tests.
func countedTools() []*server.AnyTool { return nil }
