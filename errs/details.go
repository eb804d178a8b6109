package errs

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

const (
	maxDetailDepth = 32
	maxSafeInteger = 1<<53 - 1 // the largest integer that a JSON number holds exactly everywhere (RFC 8259, section 6)
)

// Fields of google.protobuf.Struct, ListValue and Value.
const (
	structFields = 1
	listValues   = 1
	valueNull    = 1
	valueNumber  = 2
	valueString  = 3
	valueBool    = 4
	valueStruct  = 5
	valueList    = 6
)

// packDetails writes the details of a ToolError as a google.protobuf.Struct, its keys in order. What a Struct cannot hold
// exactly is left out and logged by its key: wrong data would be worse than none.
//
// They are written without a structpb.Struct in between, which took longer than everything else about an error.
func (f *form) packDetails(details map[string]any) []byte {
	if len(details) == 0 {
		return nil
	}
	var w structWriter
	b := w.object(f.scratch[:0], details, 0)
	f.scratch = b
	if w.full {
		w.dropped = []string{"all of them"}
		b = nil
	}
	if len(w.dropped) > 0 {
		f.info.Truncated = true
		//nolint:sloglint // as in logProblem
		slog.Warn("details that cannot travel were left out", slog.String("code", f.code), slog.Any("fields", w.dropped))
	}
	return b
}

type structWriter struct {
	key     string   // of the outermost map
	dropped []string // keys, no values
	full    bool     // more was written than the largest limit takes
}

func (w *structWriter) object(b []byte, in map[string]any, depth int) []byte {
	var few [8]string // on the stack
	keys := few[:0]
	for key := range in {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if depth == 0 {
			w.key = key
		}
		entry := len(b)
		b = protowire.AppendTag(b, structFields, protowire.BytesType)
		size := len(b)
		b = appendString(b, entryKey, validUTF8(key))
		b = protowire.AppendTag(b, entryValue, protowire.BytesType)
		value := len(b)
		b = w.value(b, in[key], depth+1)
		if len(b) == value { // a value has at least one byte
			b = b[:entry]
			continue
		}
		b = sized(sized(b, value), size)
	}
	return b
}

func (w *structWriter) list(b []byte, in []any, depth int) []byte {
	for _, v := range in {
		b = protowire.AppendTag(b, listValues, protowire.BytesType)
		value := len(b)
		if b = w.value(b, v, depth+1); len(b) == value {
			b = appendVarint(b, valueNull, 0) // keeps the places of the others
		}
		b = sized(b, value)
	}
	return b
}

// value writes the one field of a Value, nothing when it cannot travel.
func (w *structWriter) value(b []byte, v any, depth int) []byte {
	if w.full = w.full || len(b) > MaxLimit; w.full || depth > maxDetailDepth {
		return w.drop(b)
	}
	switch v := v.(type) {
	case nil:
		return appendVarint(b, valueNull, 0)
	case bool:
		return appendVarint(b, valueBool, protowire.EncodeBool(v))
	case string:
		return appendString(b, valueString, validUTF8(v))
	case float64:
		return w.number(b, v)
	case int:
		return w.number(b, float64(v))
	case int64:
		return w.number(b, float64(v))
	case json.Number:
		return w.decimal(b, v)
	case []any:
		b = protowire.AppendTag(b, valueList, protowire.BytesType)
		start := len(b)
		return sized(w.list(b, v, depth), start)
	case map[string]any:
		b = protowire.AppendTag(b, valueStruct, protowire.BytesType)
		start := len(b)
		return sized(w.object(b, v, depth), start)
	default:
		return w.other(b, v, depth)
	}
}

func (w *structWriter) drop(b []byte) []byte {
	const shown = 16
	if len(w.dropped) < shown && !slices.Contains(w.dropped, w.key) {
		key, _ := bound(w.key, maxStringBytes)
		w.dropped = append(w.dropped, key)
	}
	return b
}

func (w *structWriter) number(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) || math.Trunc(f) == f && math.Abs(f) > maxSafeInteger {
		return w.drop(b)
	}
	b = protowire.AppendTag(b, valueNumber, protowire.Fixed64Type)
	return protowire.AppendFixed64(b, math.Float64bits(f))
}

func (w *structWriter) decimal(b []byte, n json.Number) []byte {
	if i, err := n.Int64(); err == nil {
		return w.number(b, float64(i))
	}
	f, err := n.Float64()
	if err != nil {
		return w.drop(b)
	}
	return w.number(b, f)
}

// other writes every other type as encoding/json, or protojson, sees it.
func (w *structWriter) other(b []byte, v any, depth int) []byte {
	text, ok := jsonSafely(v)
	if !ok {
		return w.drop(b)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var plain any
	if decoder.Decode(&plain) != nil {
		return w.drop(b)
	}
	return w.value(b, plain, depth)
}

// jsonSafely survives a MarshalJSON that panics.
func jsonSafely(v any) (text []byte, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = nil, false
		}
	}()
	var err error
	if m, isMessage := v.(proto.Message); isMessage {
		text, err = protojson.Marshal(m)
	} else {
		text, err = json.Marshal(v)
	}
	return text, err == nil
}

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	b = protowire.AppendTag(b, field, protowire.VarintType)
	return protowire.AppendVarint(b, v)
}

// sized puts the length of what was written since start in front of it.
func sized(b []byte, start int) []byte {
	length := uint64(len(b) - start) //nolint:gosec // not negative
	size := protowire.SizeVarint(length)
	b = append(b, make([]byte, size)...)
	copy(b[start+size:], b[start:])
	protowire.AppendVarint(b[:start], length)
	return b
}
