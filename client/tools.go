package client

import (
	"context"
	"errors"
	"iter"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// Tools iterates over the tools that the caller may see, in the order of their names, fetching page after page as they
// are consumed. Tools come without input schema and declared errors, which [Client.Tool] returns. An error comes last,
// with a nil tool. Each use of the sequence starts anew.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*servicev1.Tool, error] {
	return func(yield func(*servicev1.Tool, error) bool) {
		for token := ""; ; {
			var page *servicev1.ListToolsResponse
			err := c.read(ctx, servicev1.ToolService_ListTools_FullMethodName, func(ctx context.Context) (err error) {
				page, err = c.tools.ListTools(ctx, &servicev1.ListToolsRequest{PageToken: token})
				return err
			})
			if err != nil {
				yield(nil, err)
				return
			}
			for _, tool := range page.GetTools() {
				if !yield(tool, nil) {
					return
				}
			}
			switch next := page.GetNextPageToken(); next {
			case "":
				return
			case token:
				yield(nil, errors.New("client: listing tools: the service sent the same page token twice"))
				return
			default:
				token = next
			}
		}
	}
}

// Tool returns one tool with its input schema and the errors it declares. It is asked for anew each time.
func (c *Client) Tool(ctx context.Context, name string) (*servicev1.Tool, error) {
	var tool *servicev1.Tool
	err := c.read(ctx, servicev1.ToolService_GetTool_FullMethodName, func(ctx context.Context) error {
		response, err := c.tools.GetTool(ctx, &servicev1.GetToolRequest{Name: name})
		tool = response.GetTool()
		return err
	})
	return tool, err
}
