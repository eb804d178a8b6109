package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
)

// fields are the input or the output of a tool.
type fields map[string]any

// with returns a copy in which some fields have other values.
func (f fields) with(other fields) fields {
	copied := make(fields, len(f)+len(other))
	maps.Copy(copied, f)
	maps.Copy(copied, other)
	return copied
}

// Call is one call of a tool and how it ended.
type Call struct {
	// Step is what the plan said, in the words of the message; empty for a call that no plan asked for.
	Step  string `json:"step,omitempty"`
	Tool  string `json:"tool"`
	Input fields `json:"input"`
	// Key is the operation key; empty where the tool takes it from its input, or needs none.
	Key string `json:"key,omitempty"`
	// Output is what the tool returned, Error the code of the error that it ended with.
	Output fields `json:"output,omitempty"`
	Error  string `json:"error,omitempty"`
	// Replayed and Verified are what the result says of itself.
	Replayed bool `json:"replayed,omitempty"`
	Verified bool `json:"verified,omitempty"`
}

func (c *Call) json() (json.RawMessage, error) {
	text, err := json.Marshal(c.Input)
	if err != nil {
		return nil, fmt.Errorf("encoding the input of %s: %w", c.Tool, err)
	}
	return text, nil
}

// call makes the call with package client and notes how it ended.
func (s *stage) call(ctx context.Context, c *Call) error { return c.send(ctx, s.client) }

func (c *Call) send(ctx context.Context, to *client.Client) error {
	input, err := c.json()
	if err != nil {
		return err
	}
	key := client.WithoutOperationKey()
	if c.Key != "" {
		key = client.WithOperationKey(c.Key)
	}
	result, err := client.Call[json.RawMessage, fields](ctx, to, c.Tool, input, key)
	if err != nil {
		c.Error = string(errs.CodeOf(err))
		return err
	}
	c.Output, c.Replayed, c.Verified = result.Output, result.Replayed, result.Verified
	return nil
}
