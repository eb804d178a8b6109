package server

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/remedyrpc/remedy/server/internal/exact"
)

// shape is what encoding/json reads into a Go type: the names of its fields. It takes a member whose name differs in
// case only for the field, although no schema has looked at it; a shape finds those.
type shape struct {
	fields map[string]*shape // by exact name; nil where nothing below matters
	folded map[string]string // the exact name by the folded one
	items  *shape            // of lists and maps
}

func shapeOf(t reflect.Type) *shape { return shapes{}.of(t) }

type shapes map[reflect.Type]*shape

func (known shapes) of(t reflect.Type) *shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := known[t]; ok {
		return s
	}
	pointer := reflect.PointerTo(t)
	if pointer.Implements(reflect.TypeFor[json.Unmarshaler]()) || pointer.Implements(reflect.TypeFor[encoding.TextUnmarshaler]()) {
		return nil
	}
	s := &shape{}
	switch t.Kind() {
	case reflect.Slice, reflect.Array, reflect.Map:
		known[t] = s
		s.items = known.of(t.Elem())
	case reflect.Struct:
		known[t] = s
		s.fields, s.folded = make(map[string]*shape), make(map[string]string)
		for _, field := range reflect.VisibleFields(t) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Tag.Get("json") == "-" || field.Anonymous && name == "" || !field.IsExported() {
				continue
			}
			if name == "" {
				name = field.Name
			}
			s.fields[name] = known.of(field.Type)
			s.folded[folded(name)] = name
		}
	default:
		return nil
	}
	return s
}

// check finds a member that encoding/json would take for a field of another name, the first by name.
func (s *shape) check(v any) *exact.Fault {
	if s == nil {
		return nil
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			if fault := s.items.check(v[i]); fault != nil {
				return fault.At(strconv.Itoa(i))
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below, ok := s.fields[name]
			if s.fields == nil {
				below = s.items
			} else if meant, near := s.folded[folded(name)]; !ok && near {
				fault := &exact.Fault{Keyword: "additionalProperties", Expected: "must be spelled " + meant}
				return fault.At(name)
			}
			if fault := below.check(v[name]); fault != nil {
				return fault.At(name)
			}
		}
	}
	return nil
}

// folded maps names that encoding/json takes for the same to the same.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
			least = min(least, other)
		}
		return least
	}, name)
}
