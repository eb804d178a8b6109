package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protojson"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// Result is what a call returned. Of a call that failed it holds the operation key, and the operation id where it is
// known; the rest is zero.
type Result[Out any] struct {
	// Output is what the tool returned; zero when OutputOmitted.
	Output Out
	// OperationKey is the key that the call was sent under, given or made; empty for a read. A tool that makes the key of
	// its input goes by that one and ignores it.
	OperationKey string
	// OperationID is the server's name for the operation; empty for a read.
	OperationID string
	// FirstCompletedAt is when the operation first completed; zero when the service did not say.
	FirstCompletedAt time.Time
	// Verified says that the state was read after the effect and agrees; false for a tool that verifies nothing.
	Verified bool
	// Replayed says that this is the stored result of an earlier call with the same key.
	Replayed bool
	// OutputOmitted says that the operation is complete, and that its output is not here and cannot be had: it was too
	// large to be kept. Output is zero then, and means nothing; [Call] returns an [OutputError] beside it.
	OutputOmitted bool
}

// OutputError says that a tool did what was asked but that its output cannot be had: it does not fit the type it was to be
// decoded into, or the service did not keep it. The operation is complete: calling again cannot help.
type OutputError struct {
	// Tool is the tool that was called.
	Tool string
	// OperationKey is the key that the call was sent under; empty for a read.
	OperationKey string
	// OperationID is the server's name for the operation; empty for a read.
	OperationID string
	// Output is what the tool returned; empty when it returned nothing, or nothing was kept.
	Output json.RawMessage
	// Cause is what was wrong with it.
	Cause error
}

// Error says which output of which tool, and what was wrong with it.
func (e *OutputError) Error() string {
	return fmt.Sprintf("client: %s succeeded, but its output cannot be had: %v", e.Tool, e.Cause)
}

// Unwrap returns the Cause.
func (e *OutputError) Unwrap() error { return e.Cause }

// outputOf returns the output as JSON text. The service answers in the form that it was asked in, which is text.
func outputOf(result *servicev1.ToolResult) (json.RawMessage, error) {
	switch output := result.GetOutput().(type) {
	case *servicev1.ToolResult_OutputJson:
		return json.RawMessage(output.OutputJson), nil
	case *servicev1.ToolResult_OutputStruct:
		text, err := protojson.Marshal(output.OutputStruct)
		if err != nil {
			return nil, fmt.Errorf("writing it as JSON: %w", err)
		}
		return text, nil
	default:
		return nil, errors.New("the service sent none")
	}
}

// decodeExactly decodes one JSON value. A number that goes into an interface keeps all of its digits, as a
// [json.Number].
func decodeExactly(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("reading it as JSON: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}
