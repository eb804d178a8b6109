package schema

import (
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// replacePropertyNames takes propertyNames out of the hands of the library, which reports such an error at a place
// that it writes over while it goes on.
func replacePropertyNames(schemas map[string]*jsonschema.Schema) {
	for _, s := range schemas {
		if s.PropertyNames != nil {
			s.Extensions = append(s.Extensions, propertyNames{s.PropertyNames})
			s.PropertyNames = nil
		}
	}
}

type propertyNames struct{ schema *jsonschema.Schema }

var _ jsonschema.SchemaExt = propertyNames{}

func (p propertyNames) Validate(ctx *jsonschema.ValidatorContext, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		return
	}
	for name := range object {
		if e, ok := errors.AsType[*jsonschema.ValidationError](ctx.Validate(p.schema, name, []string{name})); ok {
			ctx.AddErrors([]*jsonschema.ValidationError{e}, &kind.PropertyNames{Property: name})
		}
	}
}
