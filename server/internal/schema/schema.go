package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server/internal/exact"
)

// Schema is a compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	text     string
	root     *jsonschema.Schema
	byPlace  map[string]*jsonschema.Schema
	defaults *defaults
	secrets  *secrets
}

const (
	draft = "https://json-schema.org/draft/2020-12/schema"
	// home is where a schema without $id is thought to live; nothing is ever read from there.
	home = "schema:///input.json"

	maxText = 256 << 10
)

// Compile checks a schema and makes it ready for use. The error says where in the schema what is wrong, and what to do.
func Compile(text string) (*Schema, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("it has %d bytes: keep it within %d", len(text), maxText)
	}
	doc, fault := exact.Parse(text)
	if fault != nil {
		return nil, fmt.Errorf("%s %s", cmp.Or(fault.Path, "it"), fault.Expected)
	}
	object, ok := doc.(map[string]any)
	if !ok || object["type"] != "object" {
		return nil, errors.New(`it must describe objects: set "type": "object" at its root`)
	}
	if dialect, ok := object["$schema"]; ok && dialect != draft && dialect != draft+"#" {
		return nil, fmt.Errorf(`$schema is another dialect: leave it out or set it to %q`, draft)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(home, doc); err != nil {
		return nil, fmt.Errorf("adding the schema: %w", err)
	}
	root, err := compiler.Compile(home)
	if err != nil {
		return nil, explained(err)
	}
	byPlace, err := survey(root)
	if err != nil {
		return nil, err
	}
	replacePropertyNames(byPlace)
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(text)); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	s := &Schema{text: compact.String(), root: root, byPlace: byPlace}
	if s.defaults, err = defaultsOf(root); err != nil {
		return nil, err
	}
	if s.secrets, err = secretsOf(doc); err != nil {
		return nil, err
	}
	return s, nil
}

// JSON returns the schema as it was given, without white space.
func (s *Schema) JSON() string { return s.text }

// Validate returns what about v does not match, sorted by path; nothing when it matches.
func (s *Schema) Validate(v any) []errs.Issue {
	err := s.root.Validate(v)
	if err == nil {
		return nil
	}
	var found issues
	if e, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		found.collect(s, e)
	}
	if len(found) == 0 {
		found = append(found, issue{Issue: errs.Issue{Keyword: "schema", Message: "must match the schema"}})
	}
	return sorted(found)
}

// noLoader refuses everything that the schema itself does not hold.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not part of the schema, and no schema is loaded from elsewhere: copy it into $defs", place(url))
}

// explained says in one line what the library says about a bad schema.
func explained(err error) error {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](e.Err); ok {
			for len(v.Causes) > 0 {
				v = v.Causes[0]
			}
			at := pointer(v.InstanceLocation)
			return fmt.Errorf("%s is not JSON Schema 2020-12: it %s", cmp.Or(at, "its root"), expected(nil, v))
		}
	}
	if e, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return e.Err
	}
	return errors.New(strings.ReplaceAll(err.Error(), home, ""))
}

// place shows where in the schema something stands: the fragment of its location.
func place(location string) string {
	location = strings.TrimPrefix(location, home)
	if location = strings.TrimPrefix(location, "#"); location == "" {
		return "its root"
	}
	return location
}

func pointer(tokens []string) string {
	var b strings.Builder
	for _, token := range tokens {
		b.WriteString("/" + exact.Escape(token))
	}
	return b.String()
}
