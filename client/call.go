package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/contract"
	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// Call calls a tool with in as its input, encoded by encoding/json, and decodes its output into Out. Numbers stay exact:
// one that is decoded into an interface is a [json.Number]. An input that encodes to null is sent as an empty object.
//
// The error is a typed one where the service sent one. A lost answer is an [errs.OutcomeUnknownError] with Inferred set,
// from which the received error is reached by Unwrap, unless it is proven that nothing was sent. An [OutputError] says
// that the call succeeded. Call has no deadline but that of ctx, and should be given one.
//
// A service does not keep an output that is too large; then the call succeeded, the result says OutputOmitted, and there
// is no output to decode. Call returns an [OutputError], so that a zero Out is never taken for what the tool said; only
// for an Out that holds nothing, such as struct{}, the error is nil.
func Call[In, Out any](ctx context.Context, c *Client, tool string, in In, options ...CallOption) (Result[Out], error) {
	input, err := encode(in)
	if err != nil {
		return Result[Out]{}, &neversent.Error{Err: err}
	}
	result, err := c.CallJSON(ctx, tool, input, options...)
	typed := Result[Out]{
		OperationKey: result.OperationKey, OperationID: result.OperationID, FirstCompletedAt: result.FirstCompletedAt,
		Verified: result.Verified, Replayed: result.Replayed, OutputOmitted: result.OutputOmitted,
	}
	switch {
	case err != nil, result.OutputOmitted && isEmpty[Out]():
		return typed, err
	case result.OutputOmitted:
		return typed, &OutputError{
			Tool: tool, OperationKey: result.OperationKey, OperationID: result.OperationID,
			Cause: errors.New("the service did not keep it"),
		}
	}
	if err := decodeExactly(result.Output, &typed.Output); err != nil {
		var zero Out
		typed.Output = zero
		return typed, &OutputError{
			Tool: tool, OperationKey: result.OperationKey, OperationID: result.OperationID, Output: result.Output, Cause: err,
		}
	}
	return typed, nil
}

// CallJSON is [Call] with JSON text in and out. An empty input stands for an empty object; one that is not JSON, or larger
// than 1 MiB, is refused as a [errs.ValidationError] before anything is sent. An output that the service did not keep is
// no error here: look at OutputOmitted.
func (c *Client) CallJSON(
	ctx context.Context, tool string, input json.RawMessage, options ...CallOption,
) (Result[json.RawMessage], error) {
	config, err := newCall(tool, options)
	if err != nil {
		return Result[json.RawMessage]{}, &neversent.Error{Err: err}
	}
	if text := bytes.TrimSpace(input); len(text) == 0 || string(text) == "null" {
		input = json.RawMessage("{}")
	}
	if issue := problem(input); issue.Keyword != "" {
		return Result[json.RawMessage]{}, &neversent.Error{
			Err: &errs.ValidationError{Subject: tool, Issues: []errs.Issue{issue}},
		}
	}
	result, err := c.call(ctx, config, &servicev1.CallToolRequest{
		Tool: tool, Input: &servicev1.CallToolRequest_InputJson{InputJson: string(input)}, OperationKey: config.key, RunId: config.runID,
	})
	if err != nil {
		return Result[json.RawMessage]{OperationKey: config.key, OperationID: errs.InfoOf(err).OperationID}, err
	}
	return resultOf(tool, config.key, result)
}

// maxInput is the largest input that a service takes, in bytes of JSON, from tool.proto. Far above it, it is grpc that
// refuses the call, by a status that does not say that nothing was executed.
const maxInput = 1 << 20

// problem is what a service of any kind refuses of an input; its keyword is empty for nothing.
func problem(input []byte) errs.Issue {
	switch {
	case len(input) > maxInput:
		return errs.Issue{Keyword: "size", Message: fmt.Sprintf("must be at most %d bytes of JSON", maxInput)}
	case !utf8.Valid(input), !json.Valid(input):
		return errs.Issue{Keyword: "format", Message: "must be JSON"}
	default:
		return errs.Issue{}
	}
}

// call sends a request, more than once only where [WithRetry] was given. Every attempt carries the same key.
func (c *Client) call(
	ctx context.Context, config callConfig, request *servicev1.CallToolRequest,
) (*servicev1.ToolResult, error) {
	options := config.grpc
	if config.reads {
		options = append(slices.Clip(options), contract.NoEffect())
	}
	var result *servicev1.ToolResult
	err := c.retry.do(ctx, func(ctx context.Context) (bool, error) {
		response, err := c.tools.CallTool(ctx, request, options...)
		if err == nil {
			result = response.GetResult()
			return false, nil
		}
		unsent, err := unmarked(err)
		return unsent, annotated(err, request)
	})
	return result, err
}

// toolOf returns the tool that a request asks for: CallTool stands for all tools of a service.
func toolOf(_ string, request any) string {
	call, _ := request.(*servicev1.CallToolRequest)
	return call.GetTool()
}

// annotated adds what a typed error does not say of the call it belongs to.
func annotated(err error, request *servicev1.CallToolRequest) error {
	if errs.CodeOf(err) == "" {
		return err
	}
	info := errs.InfoOf(err)
	missing := errs.Info{}
	if info.Tool == "" {
		missing.Tool = request.GetTool()
	}
	if info.OperationKey == "" {
		missing.OperationKey = request.GetOperationKey()
	}
	if info.RunID == "" {
		missing.RunID = request.GetRunId()
	}
	if missing == (errs.Info{}) {
		return err
	}
	return errs.WithInfo(err, missing)
}

// isEmpty reports whether Out has one value only, which nobody can mistake for another.
func isEmpty[Out any]() bool {
	t := reflect.TypeFor[Out]()
	return t.Kind() == reflect.Struct && t.NumField() == 0
}

func resultOf(tool, key string, in *servicev1.ToolResult) (Result[json.RawMessage], error) {
	result := Result[json.RawMessage]{
		OperationKey: key, OperationID: in.GetOperationId(),
		Verified: in.GetVerified(), Replayed: in.GetReplayed(), OutputOmitted: in.GetOutputOmitted(),
	}
	if at := in.GetFirstCompletedAt(); at.IsValid() {
		result.FirstCompletedAt = at.AsTime()
	}
	if result.OutputOmitted {
		return result, nil
	}
	output, err := outputOf(in)
	if err != nil {
		return result, &OutputError{Tool: tool, OperationKey: key, OperationID: result.OperationID, Cause: err}
	}
	result.Output = output
	return result, nil
}

// encode is json.Marshal without its escapes for HTML.
func encode(in any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(in); err != nil {
		return nil, fmt.Errorf("client: encoding the input: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
