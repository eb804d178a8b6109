package client

import (
	"errors"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// OperationName names one operation of the caller's tenant: [OperationID] and [OperationKey] make one, and [OperationOf]
// takes it from an error. The zero value names nothing, and is refused before anything is sent.
type OperationName struct{ id, tool, key string }

// OperationID is the server's name for an operation, as [Result.OperationID] and errors tell it: 1 to 36 of
// [A-Za-z0-9_.:-]. It names the same operation for ever, while a key that was freed may name another one afterwards.
func OperationID(id string) OperationName { return OperationName{id: id} }

// OperationKey is the caller's own name for an operation: a tool, and the key that the call carried. A tool that makes the
// key of its input goes by that one. The keys of other principals cannot be named: operators go by id.
func OperationKey(tool, key string) OperationName { return OperationName{tool: tool, key: key} }

// OperationOf is the name of the operation that err, the error of a call, belongs to: by id where that is known, else by tool
// and key. It returns false where the error tells neither. An [errs.OutcomeUnknownError] tells at least the key, unless the
// call carried none.
func OperationOf(err error) (OperationName, bool) {
	info := errs.InfoOf(err)
	if e, ok := errors.AsType[*OutputError](err); ok {
		info = errs.Info{Tool: e.Tool, OperationKey: e.OperationKey, OperationID: e.OperationID}
	}
	switch {
	case info.OperationID != "":
		return OperationID(info.OperationID), true
	case info.Tool != "" && info.OperationKey != "":
		return OperationKey(info.Tool, info.OperationKey), true
	default:
		return OperationName{}, false
	}
}

// proto is the name on the wire. It fails for what the service would refuse.
func (n OperationName) proto() (*servicev1.OperationName, error) {
	if n.id != "" || n.tool == "" && n.key == "" {
		if err := checkID(n.id); err != nil {
			return nil, err
		}
		return &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: n.id}}, nil
	}
	var malformed []errs.Issue
	if !named(n.tool, maxTool, "_./-") {
		malformed = append(malformed, pattern("/operation/key/tool", "must be 1 to 64 of A-Za-z0-9_./-"))
	}
	if !named(n.key, maxKey, "_.:-") {
		malformed = append(malformed, pattern("/operation/key/operation_key", "must be 1 to 64 of A-Za-z0-9_.:-"))
	}
	if malformed != nil {
		return nil, &errs.ValidationError{Subject: "OperationName", Issues: malformed}
	}
	key := &servicev1.ToolOperation{Tool: n.tool, OperationKey: n.key}
	return &servicev1.OperationName{Name: &servicev1.OperationName_Key{Key: key}}, nil
}

const maxOperationID = 36 // from operation.proto

// checkID refuses what cannot be the id of an operation.
func checkID(id string) error {
	if named(id, maxOperationID, "_.:-") {
		return nil
	}
	return &errs.ValidationError{
		Subject: "OperationName", Issues: []errs.Issue{pattern("/operation/id", "must be 1 to 36 of A-Za-z0-9_.:-")},
	}
}

func pattern(path, expected string) errs.Issue {
	return errs.Issue{Path: path, Keyword: "pattern", Message: expected}
}
