package server

import (
	"context"

	"github.com/remedyrpc/remedy/errs"
)

// find finds the tool.
func (s *Server) find(_ context.Context, c *call) error {
	if s.accepting.Err() != nil {
		return &errs.ServiceError{Code: errs.CodeShuttingDown}
	}
	tool, err := s.tool(c.Tool)
	c.tool = tool
	return err
}

func (s *Server) tool(name string) (*AnyTool, error) {
	if tool, ok := s.byName[name]; ok {
		return tool, nil
	}
	return nil, &errs.ServiceError{Code: errs.CodeToolNotFound, Subject: name}
}
