package errs

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// boundMessage applies the bounds to a message that came from elsewhere: strings and lists, all the way down. Maps,
// which only the details of a ToolError have, are left to the ladder.
func boundMessage(m protoreflect.Message) {
	m.SetUnknown(nil)
	m.Range(func(field protoreflect.FieldDescriptor, value protoreflect.Value) bool {
		switch {
		case field.IsMap(), field.Name() == "details":
		case field.IsList():
			list := value.List()
			if list.Len() > maxList {
				list.Truncate(maxList)
			}
			for i := range list.Len() {
				if field.Kind() == protoreflect.MessageKind {
					boundMessage(list.Get(i).Message())
				} else if field.Kind() == protoreflect.StringKind {
					list.Set(i, boundString(field, list.Get(i)))
				}
			}
		case field.Kind() == protoreflect.MessageKind:
			boundMessage(value.Message())
		case field.Kind() == protoreflect.StringKind:
			m.Set(field, boundString(field, value))
		}
		return true
	})
}

func boundString(field protoreflect.FieldDescriptor, value protoreflect.Value) protoreflect.Value {
	s := value.String()
	switch field.Name() {
	case "message", "description":
		s, _ = cutRunes(clean(s), maxHeadlineRunes)
	default:
		s, _ = bound(s, maxStringBytes)
	}
	return protoreflect.ValueOfString(s)
}

// boundPlan applies the bounds to a plan that came from elsewhere.
func boundPlan(p *Plan) *Plan {
	if p == nil {
		return nil
	}
	steps := p.Steps()
	for i := range steps {
		steps[i].tool, _ = bound(steps[i].tool, maxToolBytes)
	}
	preserve, update := p.Preserve(), p.Update()
	for _, names := range [][]string{preserve, update} {
		for i := range names {
			names[i], _ = bound(names[i], maxToolBytes)
		}
	}
	return newPlan(steps, preserve, update)
}
