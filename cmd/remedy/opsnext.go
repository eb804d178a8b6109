package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// remedyOps is a command line of this program for the same service, for people to copy: it holds nothing that a shell reads
// as anything but itself. Values of headers may be secrets, and are left out.
func (a *address) remedyOps(words ...string) string {
	line := append([]string{"remedy", "ops"}, words...)
	if a.Addr != defaultAddr {
		line = append(line, flagged("--addr", a.Addr)...)
	}
	if a.TLS != "" && a.TLS != "auto" {
		line = append(line, flagged("--tls", a.TLS)...)
	}
	if a.CAFile != "" {
		line = append(line, flagged("--ca-file", a.CAFile)...)
	}
	for _, name := range slices.Sorted(maps.Keys(a.Header)) {
		line = append(line, "--header", quoted(name)+"=…")
	}
	return strings.Join(line, " ")
}

const defaultAddr = "127.0.0.1:7465"

// about is the command line of a verb about an operation.
func (a *address) about(verb string, operation *servicev1.Operation) string {
	if id := operation.GetId(); isName(id) {
		return a.remedyOps(verb, id)
	}
	return a.remedyOps(verb, "ID") // for people to put in
}

// reconcile is the command line that asks what became of a call of a tool that ended with err; empty for an error that says it.
func (a *address) reconcile(err error, tool, key string) string {
	id := errs.InfoOf(err).OperationID
	switch {
	case errs.CodeOf(err) != errs.CodeOutcomeUnknown:
		return ""
	case isName(id):
		return a.remedyOps("reconcile", id)
	case key != "":
		return a.remedyOps(slices.Concat([]string{"reconcile"}, flagged("--tool", tool), flagged("--key", key))...)
	default: // the tool makes its keys, and has not said which
		return a.remedyOps(append([]string{"list"}, flagged("--tool", tool)...)...)
	}
}

// isName reports whether a text from a service can stand on a command line as the id that it is said to be.
func isName(id string) bool {
	return id != "" && len(id) <= 36 && id[0] != '-' && quoted(id) == id
}

// flagged is a flag with its value, in one word where the value looks like a flag.
func flagged(name, value string) []string {
	if strings.HasPrefix(value, "-") {
		return []string{name + "=" + quoted(value)}
	}
	return []string{name, quoted(value)}
}

// quoted is a word as a POSIX shell reads it (IEEE 1003.1, 2.2.2).
func quoted(word string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.:/@%+=-"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
