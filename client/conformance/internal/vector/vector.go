// Package vector reads and writes the golden vectors of the wire contract and turns them into errors. README.md of
// client/conformance describes the files for other languages.
package vector

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The directions of a vector. What encodes is decoded too.
const (
	Encode = "encode"
	Decode = "decode"
)

// File is one group of vectors, one file.
type File struct {
	About   string   `json:"about"`
	Vectors []Vector `json:"vectors"`
}

// Vector is one error and the bytes that carry it.
type Vector struct {
	// Name is the name of the group, a slash and what tells the vector from the others of the group.
	Name      string `json:"name"`
	About     string `json:"about,omitempty"`
	Direction string `json:"direction"`
	// Input is the error to encode; nil for Decode.
	Input *Input `json:"input,omitempty"`
	// Status is the google.rpc.Status, as grpc-status-details-bin carries it.
	Status []byte `json:"status"`
	// Plain is what grpc-status and grpc-message say where Status is not a message at all.
	Plain *Plain `json:"plain,omitempty"`
	// Pushback is the grpc-retry-pushback-ms trailer; empty for none.
	Pushback string `json:"pushback,omitempty"`
	// ListCost is the size of the trailer list in bytes; only of Encode.
	ListCost int `json:"listCost,omitempty"`
	// Call is the call that failed, where the client has to conclude something from it.
	Call *Call `json:"call,omitempty"`
	// Google is what a client that knows nothing but google.rpc reads; only of Encode.
	Google *Google `json:"google,omitempty"`
	// Expect is what Status is decoded to.
	Expect Expect `json:"expect"`
}

// Plain is a status without details.
type Plain struct {
	GRPCCode int    `json:"grpcCode"`
	Message  string `json:"message"`
}

// Call is what a client knows of a call that may have had an effect.
type Call struct {
	Name         string `json:"name"`
	OperationKey string `json:"operationKey,omitempty"`
	Ledger       bool   `json:"ledger,omitempty"`
	NeverSent    bool   `json:"neverSent,omitempty"`
}

// Input describes an error as a handler returns it: fields are as the author set them, over the bounds too.
type Input struct {
	// Class is the name of an error type, or Status, Context, Plain or Join.
	Class string `json:"class"`
	// Fields is the identity message remedy.v1.<Class>.
	Fields json.RawMessage `json:"fields,omitempty"`
	// GRPCCode is the status of a ToolError that does not have the default one, and of a Status.
	GRPCCode int `json:"grpcCode,omitempty"`
	// RetryAfter is a google.protobuf.Duration.
	RetryAfter string `json:"retryAfter,omitempty"`
	// Plan is the remedy.v1.RepairPlan of a ToolError.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Doc is the documentation of a ToolError.
	Doc string `json:"doc,omitempty"`
	// Keyed belongs to an inferred OutcomeUnknownError.
	Keyed bool `json:"keyed,omitempty"`
	// Declared is the message of a declared error, as a google.protobuf.Any.
	Declared json.RawMessage `json:"declared,omitempty"`
	// Info is what the tool boundary adds.
	Info *Info `json:"info,omitempty"`
	// Causes are the causes of the error.
	Causes []Input `json:"causes,omitempty"`
	// Message is the text of a Status or a Plain; of a Context it says which: canceled or deadline_exceeded.
	Message string `json:"message,omitempty"`
	// Details are the details of a Status, each a google.protobuf.Any.
	Details []json.RawMessage `json:"details,omitempty"`
	// Errors are the errors of a Join.
	Errors []Input `json:"errors,omitempty"`
}

// Info is what an error says of the call it belongs to.
type Info struct {
	Tool         string `json:"tool,omitempty"`
	OperationKey string `json:"operationKey,omitempty"`
	OperationID  string `json:"operationId,omitempty"`
	RunID        string `json:"runId,omitempty"`
	ErrorID      string `json:"errorId,omitempty"`
	Effect       string `json:"effect,omitempty"`
}

// Expect is a decoded error.
type Expect struct {
	// Class is the name of the type; Foreign for a status that is not ours.
	Class      string `json:"class"`
	GRPCCode   int    `json:"grpcCode"`
	Code       string `json:"code,omitempty"`
	Domain     string `json:"domain,omitempty"`
	Retry      string `json:"retry,omitempty"`
	RetryAfter string `json:"retryAfter,omitempty"`
	Message    string `json:"message"`
	// Info holds the ids and the effect, which stands there as none, applied or unknown.
	Info      *Info `json:"info,omitempty"`
	Truncated bool  `json:"truncated,omitempty"`
	Inferred  bool  `json:"inferred,omitempty"`
	Keyed     bool  `json:"keyed,omitempty"`
	// Plan is a remedy.v1.RepairPlan.
	Plan json.RawMessage `json:"plan,omitempty"`
	// Fields is the identity message remedy.v1.<Class>.
	Fields json.RawMessage `json:"fields,omitempty"`
	// Declared is the message of a declared error, as a google.protobuf.Any, and DeclaredClass the name of its type. Class is
	// ToolError then, which is what a client gets that was not generated for the message.
	Declared      json.RawMessage `json:"declared,omitempty"`
	DeclaredClass string          `json:"declaredClass,omitempty"`
	// Causes are the typed causes.
	Causes []Expect `json:"causes,omitempty"`
}

// Load reads every file of a folder, in the order of their names.
func Load(dir string) ([]Vector, error) {
	names, err := fs.Glob(os.DirFS(dir), "*.json")
	if err != nil || len(names) == 0 {
		return nil, fmt.Errorf("no vectors in %s: %w", dir, err)
	}
	slices.Sort(names)
	var all []Vector
	for _, name := range names {
		f, err := Read(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		group := strings.TrimSuffix(name, ".json") + "/"
		for i := range f.Vectors {
			if !strings.HasPrefix(f.Vectors[i].Name, group) {
				return nil, fmt.Errorf("%s: the name of vector %q does not begin with %s", name, f.Vectors[i].Name, group)
			}
		}
		all = append(all, f.Vectors...)
	}
	return all, nil
}

// Read reads one file and refuses what it does not know.
func Read(path string) (File, error) {
	var f File
	text, err := os.ReadFile(path) //nolint:gosec // a file of this repository
	if err != nil {
		return f, fmt.Errorf("reading vectors: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil {
		return f, fmt.Errorf("reading %s: %w", path, err)
	}
	return f, nil
}

// Text writes anything the way the files are written.
func Text(v any) (string, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("writing vectors: %w", err)
	}
	return b.String(), nil
}
