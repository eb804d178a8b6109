// Package plain reads a status the way a caller does that has never heard of Remedy: it knows the types of google.rpc,
// which every gRPC language has, and imports nothing else.
package plain

import (
	"bytes"
	"encoding/json"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"
)

// View is what such a caller sees.
type View struct {
	// Status is the name of the status code, such as FAILED_PRECONDITION.
	Status string `json:"status"`
	// Number is the status code.
	Number int32 `json:"number"`
	// Message is the message, as it came.
	Message string `json:"message,omitempty"`
	// Details are the details in their order.
	Details []Detail `json:"details,omitempty"`
}

// Detail is one detail. A type outside google.rpc is a name and a number of bytes.
type Detail struct {
	// Type is the full name of the message.
	Type string `json:"type"`
	// Size is the number of bytes of the message.
	Size int `json:"size"`
	// Value is the message as protobuf writes it in JSON; nil when it could not be read.
	Value json.RawMessage `json:"value,omitempty"`
	// Problem says why a type of google.rpc could not be read.
	Problem string `json:"problem,omitempty"`

	message proto.Message
}

// Of reads a status. It never fails: what it cannot read it lists by type and size.
func Of(st *spb.Status) View {
	v := View{Status: StatusName(st.GetCode()), Number: st.GetCode(), Message: st.GetMessage()}
	for _, detail := range st.GetDetails() {
		v.Details = append(v.Details, detailOf(detail))
	}
	return v
}

// StatusName is the name of a status code as google.rpc.Code has it.
func StatusName(number int32) string {
	if name, ok := code.Code_name[number]; ok {
		return name
	}
	return "code outside google.rpc.Code"
}

// detailOf reads one detail, of a type of google.rpc only.
func detailOf(detail *anypb.Any) Detail {
	d := Detail{Type: string(detail.MessageName()), Size: len(detail.GetValue())}
	if d.Type == "" {
		d.Type = detail.GetTypeUrl() // no URL of a type, shown as it came
	}
	m := newMessage(d.Type)
	if m == nil {
		return d
	}
	if err := proto.Unmarshal(detail.GetValue(), m); err != nil {
		d.Problem = "its bytes cannot be read"
		return d
	}
	text, err := protojson.Marshal(m)
	if err != nil {
		d.Problem = "it holds an impossible value"
		return d
	}
	var compact bytes.Buffer // protojson varies its white space on purpose
	if err := json.Compact(&compact, text); err != nil {
		d.Problem = "it holds an impossible value"
		return d
	}
	d.Value, d.message = compact.Bytes(), m
	return d
}

// newMessage returns an empty message of a type of google.rpc, nil for every other type.
func newMessage(name string) proto.Message {
	switch strings.TrimPrefix(name, "google.rpc.") {
	case name: // another package
		return nil
	case "ErrorInfo":
		return &errdetails.ErrorInfo{}
	case "RetryInfo":
		return &errdetails.RetryInfo{}
	case "DebugInfo":
		return &errdetails.DebugInfo{}
	case "QuotaFailure":
		return &errdetails.QuotaFailure{}
	case "PreconditionFailure":
		return &errdetails.PreconditionFailure{}
	case "BadRequest":
		return &errdetails.BadRequest{}
	case "RequestInfo":
		return &errdetails.RequestInfo{}
	case "ResourceInfo":
		return &errdetails.ResourceInfo{}
	case "Help":
		return &errdetails.Help{}
	case "LocalizedMessage":
		return &errdetails.LocalizedMessage{}
	default:
		return nil
	}
}

// Known reports whether the detail was read.
func (d Detail) Known() bool { return d.message != nil }

// ErrorInfos returns every google.rpc.ErrorInfo of the status. More than one is against its specification.
func (v View) ErrorInfos() []*errdetails.ErrorInfo {
	var all []*errdetails.ErrorInfo
	for _, d := range v.Details {
		if info, ok := d.message.(*errdetails.ErrorInfo); ok {
			all = append(all, info)
		}
	}
	return all
}
