package errs

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"reflect"
	"strconv"

	"google.golang.org/protobuf/types/known/structpb"
)

const (
	maxDetailDepth = 32
	maxSafeInteger = 1<<53 - 1 // the largest integer that a JSON number holds exactly everywhere (RFC 8259, section 6)
	// maxDetailNodes bounds the work on details that could not be sent anyway.
	maxDetailNodes = 10_000
)

// detailsOf converts the details of a ToolError. What a Struct cannot hold exactly is left out and logged by its key:
// wrong data would be worse than none.
func detailsOf(f *form, details map[string]any) *structpb.Struct {
	if len(details) == 0 {
		return nil
	}
	c := converter{}
	s := c.object(details, "", 0)
	if c.nodes > maxDetailNodes {
		f.info.Truncated = true
		return nil
	}
	if len(c.dropped) > 0 {
		f.info.Truncated = true
		slog.Warn("remedy: details that cannot travel were left out", "code", f.code, "fields", c.dropped)
	}
	return s
}

type converter struct {
	nodes   int
	dropped []string // paths, no values
}

func (c *converter) object(in map[string]any, path string, depth int) *structpb.Struct {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(in))}
	for key, v := range in {
		key = validUTF8(key)
		at := key
		if path != "" {
			at = path + "." + key
		}
		if value := c.value(v, at, depth+1); value != nil {
			out.Fields[key] = value
		}
	}
	return out
}

func (c *converter) list(in []any, path string, depth int) *structpb.Value {
	out := &structpb.ListValue{Values: make([]*structpb.Value, 0, len(in))}
	for i, v := range in {
		value := c.value(v, path+"["+strconv.Itoa(i)+"]", depth+1)
		if value == nil {
			value = structpb.NewNullValue() // keeps the places of the others
		}
		out.Values = append(out.Values, value)
	}
	return structpb.NewListValue(out)
}

func (c *converter) value(v any, path string, depth int) *structpb.Value {
	if c.nodes++; c.nodes > maxDetailNodes {
		return nil
	}
	if depth > maxDetailDepth {
		return c.drop(path)
	}
	switch v := v.(type) {
	case nil:
		return structpb.NewNullValue()
	case bool:
		return structpb.NewBoolValue(v)
	case string:
		return structpb.NewStringValue(validUTF8(v))
	case float64:
		return c.number(v, path)
	case int:
		return c.integer(int64(v), path)
	case int64:
		return c.integer(v, path)
	case json.Number:
		return c.decimal(v, path)
	case []any:
		return c.list(v, path, depth)
	case map[string]any:
		return structpb.NewStructValue(c.object(v, path, depth))
	default:
		return c.reflected(v, path, depth)
	}
}

func (c *converter) drop(path string) *structpb.Value {
	const shown = 16
	if len(c.dropped) < shown {
		short, _ := bound(path, maxStringBytes)
		c.dropped = append(c.dropped, short)
	}
	return nil
}

func (c *converter) number(f float64, path string) *structpb.Value {
	if math.IsNaN(f) || math.IsInf(f, 0) || math.Trunc(f) == f && math.Abs(f) > maxSafeInteger {
		return c.drop(path)
	}
	return structpb.NewNumberValue(f)
}

func (c *converter) integer(n int64, path string) *structpb.Value {
	if n > maxSafeInteger || n < -maxSafeInteger {
		return c.drop(path)
	}
	return structpb.NewNumberValue(float64(n))
}

func (c *converter) decimal(n json.Number, path string) *structpb.Value {
	if i, err := n.Int64(); err == nil {
		return c.integer(i, path)
	}
	f, err := n.Float64()
	if err != nil {
		return c.drop(path)
	}
	return c.number(f, path)
}

// reflected takes every other type: the numbers by their kind, the rest as encoding/json writes it.
func (c *converter) reflected(v any, path string, depth int) *structpb.Value {
	r := reflect.ValueOf(v)
	switch r.Kind() { //nolint:exhaustive // the others go through JSON
	case reflect.Int8, reflect.Int16, reflect.Int32:
		if _, named := v.(json.Marshaler); !named {
			return c.integer(r.Int(), path)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if _, named := v.(json.Marshaler); !named {
			if r.Uint() > maxSafeInteger {
				return c.drop(path)
			}
			return c.integer(int64(r.Uint()), path) //nolint:gosec // within bounds
		}
	}
	text, err := json.Marshal(v)
	if err != nil {
		return c.drop(path)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain any
	if decoder.Decode(&plain) != nil {
		return c.drop(path)
	}
	return c.value(plain, path, depth)
}
