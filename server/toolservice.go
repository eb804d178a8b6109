package server

import (
	"context"
	"encoding/base64"
	"sort"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/internal/exact"
)

const (
	defaultPage = 100
	maxPage     = 1_000
)

// toolService is the gRPC face of a server.
type toolService struct {
	servicev1.UnimplementedToolServiceServer

	server *Server
}

var _ servicev1.ToolServiceServer = (*toolService)(nil)

func (t *toolService) ListTools(_ context.Context, r *servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
	after, issues := pageOf(r)
	if issues != nil {
		return nil, &errs.ValidationError{Subject: string(r.ProtoReflect().Descriptor().FullName()), Issues: issues}
	}
	names := t.server.names
	names = names[sort.SearchStrings(names, after):]
	size := int(r.GetPageSize())
	if size == 0 {
		size = defaultPage
	}
	response := &servicev1.ListToolsResponse{}
	if len(names) > size {
		response.NextPageToken = pageToken(names[size])
		names = names[:size]
	}
	for _, name := range names {
		response.Tools = append(response.Tools, describe(t.server.byName[name], false))
	}
	return response, nil
}

// pageOf returns the name that a page begins with.
func pageOf(r *servicev1.ListToolsRequest) (string, []errs.Issue) {
	var issues []errs.Issue
	if r.GetPageSize() < 0 || r.GetPageSize() > maxPage {
		issues = append(issues, errs.Issue{Path: "/page_size", Keyword: "int32.gte_lte", Message: "must be from 0 to 1000"})
	}
	name, err := base64.RawURLEncoding.DecodeString(r.GetPageToken())
	if after, ok := strings.CutPrefix(string(name), pagePrefix); ok && err == nil && isName(after) {
		return after, issues
	}
	if r.GetPageToken() != "" {
		const expected = "must be the next_page_token of the answer before"
		issues = append(issues, errs.Issue{Path: "/page_token", Keyword: "page_token", Message: expected})
	}
	return "", issues
}

// pagePrefix makes a token one of ours, in the form that this version reads.
const pagePrefix = "1:"

func pageToken(first string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(pagePrefix + first))
}

func (t *toolService) GetTool(_ context.Context, r *servicev1.GetToolRequest) (*servicev1.GetToolResponse, error) {
	tool, err := t.server.tool(r.GetName())
	if err != nil {
		return nil, err
	}
	return &servicev1.GetToolResponse{Tool: describe(tool, true)}, nil
}

func (t *toolService) CallTool(ctx context.Context, r *servicev1.CallToolRequest) (*servicev1.CallToolResponse, error) {
	result, err := t.server.Call(ctx, Call{
		Tool: r.GetTool(), Input: r.GetInputJson(), InputStruct: r.GetInputStruct(), OperationKey: r.GetOperationKey(), RunID: r.GetRunId(),
	})
	if err != nil {
		return nil, err
	}
	_, asText := r.GetInput().(*servicev1.CallToolRequest_InputJson)
	return &servicev1.CallToolResponse{Result: resultOf(result, asText)}, nil
}

// resultOf writes a result in the form that the input had. An output that a Struct would change is written as text all
// the same: a wrong number is worse than another form.
func resultOf(r Result, asText bool) *servicev1.ToolResult {
	result := &servicev1.ToolResult{
		Verified: r.Verified, Replayed: r.Replayed, OperationId: r.OperationID, OutputOmitted: r.OutputOmitted,
	}
	if !r.FirstCompletedAt.IsZero() {
		result.FirstCompletedAt = timestamppb.New(r.FirstCompletedAt)
	}
	if r.OutputOmitted {
		return result
	}
	if !asText {
		if s, ok := asStruct(string(r.Output)); ok {
			result.Output = &servicev1.ToolResult_OutputStruct{OutputStruct: s}
			return result
		}
	}
	result.Output = &servicev1.ToolResult_OutputJson{OutputJson: string(r.Output)}
	return result
}

func asStruct(text string) (*structpb.Struct, bool) {
	v, fault := exact.Parse(text)
	if fault != nil {
		return nil, false
	}
	return exact.ToStruct(v)
}
