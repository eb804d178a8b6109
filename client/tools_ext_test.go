package client_test

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// paged lists n tools, two a page.
func paged(n int) *service {
	s := &service{}
	s.list = func(request *servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
		s.calls.Add(1)
		from, _ := strconv.Atoi(request.GetPageToken())
		page := &servicev1.ListToolsResponse{}
		for i := from; i < min(from+2, n); i++ {
			page.Tools = append(page.Tools, &servicev1.Tool{Name: "tool_" + strconv.Itoa(i)})
		}
		if from+2 < n {
			page.NextPageToken = strconv.Itoa(from + 2)
		}
		return page, nil
	}
	return s
}

func names(t *testing.T, c *client.Client) ([]string, error) {
	t.Helper()
	var names []string
	for tool, err := range c.Tools(t.Context()) {
		if err != nil {
			return names, err
		}
		names = append(names, tool.GetName())
	}
	return names, nil
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 3, 4, 5} {
		got, err := names(t, serve(t, paged(n)))
		if err != nil || len(got) != n || n > 0 && got[n-1] != "tool_"+strconv.Itoa(n-1) {
			t.Errorf("%d tools: got %v, %v", n, got, err)
		}
	}
	s := paged(100)
	c := serve(t, s)
	for tool := range c.Tools(t.Context()) {
		if tool.GetName() == "tool_2" {
			break
		}
	}
	if got := s.calls.Load(); got != 2 {
		t.Errorf("fetched %d pages for three tools, want 2", got)
	}
}

func TestToolsThatFail(t *testing.T) {
	t.Parallel()
	s := paged(5)
	list := s.list
	s.list = func(request *servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
		if request.GetPageToken() == "4" {
			return nil, &errs.ServiceError{Code: errs.CodeOverloaded}
		}
		return list(request)
	}
	got, err := names(t, serve(t, s))
	if len(got) != 4 || !errors.Is(err, errs.CodeOverloaded) {
		t.Errorf("got %v, %v", got, err)
	}
	s.list = func(*servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
		return &servicev1.ListToolsResponse{Tools: []*servicev1.Tool{{Name: "t"}}, NextPageToken: "again"}, nil
	}
	if got, err := names(t, serve(t, s)); len(got) != 2 || err == nil {
		t.Errorf("a token that repeats: got %v, %v", got, err)
	}
	s.list = func(*servicev1.ListToolsRequest) (*servicev1.ListToolsResponse, error) {
		return nil, status.Error(codes.Unavailable, "gone")
	}
	if _, err := names(t, serve(t, s)); status.Code(err) != codes.Unavailable {
		t.Errorf("a read has no unknown outcome: got %v", err)
	}
}

func TestTool(t *testing.T) {
	t.Parallel()
	s := &service{tools: []*servicev1.Tool{{Name: "cancel_order", InputSchemaJson: "{}"}}}
	c := serve(t, s)
	tool, err := c.Tool(t.Context(), "cancel_order")
	if err != nil || tool.GetInputSchemaJson() != "{}" {
		t.Errorf("got %v, %v", tool, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Tool(over, "cancel_order"); !errors.Is(err, context.Canceled) || status.Code(err) != codes.Canceled {
		t.Errorf("canceled before: got %v", err)
	}
	missing, err := c.Tool(t.Context(), "nope")
	if missing != nil || !errors.Is(err, errs.CodeToolNotFound) || errs.Retryable(err) {
		t.Errorf("got %v, %v", missing, err)
	}
}
