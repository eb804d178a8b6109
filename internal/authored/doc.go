// Package authored holds what an error may say that somebody writes down once: how long and of what characters codes, names,
// headlines and instructions are, what placeholders look like, and which status goes with which retry rule. Package errs keeps
// to it when it sends, and the checks of protos before anything is generated from them.
package authored

// Bounds. Names and codes are measured in bytes, sentences in code points.
const (
	MinCode        = 3
	MaxCode        = 63
	MaxDomain      = 63
	MaxName        = 64  // of a tool or an input field
	MaxLink        = 128 // of an https link to documentation
	MaxHeadline    = 300
	MaxInstruction = 160
	MaxSteps       = 5 // of a plan
	MaxNames       = 8 // in preserve, and in update
)
