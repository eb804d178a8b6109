package declared

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Problem is something that is refused, and how to mend it.
type Problem struct {
	// File is the path of the proto as imports name it.
	File string `json:"file"`
	// Line and Column count from one; zero where the descriptors carry no positions.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Name is the full name of the message or method.
	Name string `json:"name"`
	// Text says what is wrong and what to write instead.
	Text string `json:"text"`
}

// String returns file:line:column: name: text.
func (p *Problem) String() string { return p.Position() + ": " + p.Name + ": " + p.Text }

// Position returns file:line:column, or what is known of it.
func (p *Problem) Position() string {
	if p.Line == 0 {
		return p.File
	}
	return p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column)
}

// Fields of descriptor.proto that lead to a declaration.
const (
	fileMessages   = 4
	fileServices   = 6
	messageFields  = 2
	messageNested  = 3
	messageOptions = 7
	messageOneofs  = 8
	serviceMethods = 2
	methodOptions  = 4
)

// NewProblem makes a problem of d. The path leads from the option of d, a message or a method, to the part of it that is
// wrong, by the numbers of the fields and the indexes, or from the top of d, a file. Without a position for that, the nearest
// one around it counts, or the first one in what is around it: protoc knows where an option is, buf where the parts of it are.
func NewProblem(d protoreflect.Descriptor, path []int32, format string, arguments ...any) *Problem {
	p := &Problem{File: d.ParentFile().Path(), Name: string(d.FullName()), Text: fmt.Sprintf(format, arguments...)}
	full := pathOf(d)
	whole := len(full)
	switch d.(type) {
	case protoreflect.FileDescriptor:
		full = path
	case protoreflect.MessageDescriptor:
		full = append(full, inOption(messageOptions, path)...)
	case protoreflect.MethodDescriptor:
		full = append(full, inOption(methodOptions, path)...)
	}
	locations := d.ParentFile().SourceLocations()
	for ; len(full) > 0; full = full[:len(full)-1] {
		at := locations.ByPath(full)
		if at.Path == nil && len(full) > whole+1 {
			at = firstWithin(locations, full)
		}
		if at.Path != nil {
			p.Line, p.Column = at.StartLine+1, at.StartColumn+1
			break
		}
	}
	return p
}

// inOption is a path to a part of our option; nil is what has the option.
func inOption(options int32, path []int32) []int32 {
	if path == nil {
		return nil
	}
	return slices.Concat([]int32{options, int32(remedyv1.E_Error.TypeDescriptor().Number())}, path)
}

// firstWithin returns the first location of a part of what the path leads to.
func firstWithin(locations protoreflect.SourceLocations, path []int32) protoreflect.SourceLocation {
	var first protoreflect.SourceLocation
	for i := range locations.Len() {
		at := locations.Get(i)
		if len(at.Path) > len(path) && slices.Equal(at.Path[:len(path)], path) &&
			(first.Path == nil || before(at, first)) {
			first = at
		}
	}
	return first
}

func before(a, b protoreflect.SourceLocation) bool {
	return a.StartLine < b.StartLine || a.StartLine == b.StartLine && a.StartColumn < b.StartColumn
}

// pathOf is the path of a declaration in its file.
func pathOf(d protoreflect.Descriptor) []int32 {
	parent := pathOfParent(d.Parent())
	index := int32(d.Index()) //nolint:gosec // a file has not so many
	switch d.(type) {
	case protoreflect.MessageDescriptor:
		if len(parent) > 0 {
			return append(parent, messageNested, index)
		}
		return []int32{fileMessages, index}
	case protoreflect.FieldDescriptor:
		return append(parent, messageFields, index)
	case protoreflect.OneofDescriptor:
		return append(parent, messageOneofs, index)
	case protoreflect.ServiceDescriptor:
		return []int32{fileServices, index}
	case protoreflect.MethodDescriptor:
		return append(parent, serviceMethods, index)
	default:
		return nil
	}
}

func pathOfParent(d protoreflect.Descriptor) []int32 {
	if _, ok := d.(protoreflect.FileDescriptor); ok || d == nil {
		return nil
	}
	return pathOf(d)
}

// in is the path to a part of an option.
func in(path ...int32) []int32 { return append([]int32{}, path...) }

// Fields of the options of an error, by their numbers.
const (
	optionCode     = 1
	optionHeadline = 2
	optionStatus   = 3
	optionRetry    = 4
	optionRepair   = 5
	optionEffect   = 6
	optionDoc      = 7

	optionDiscriminator = 8
	optionCases         = 9
)

// Fields of a repair plan and of a contract, by their numbers.
const (
	planSteps    = 1
	planPreserve = 2
	planUpdate   = 3

	stepAction      = 1
	stepTool        = 2
	stepInstruction = 3

	contractErrors = 1
	contractTool   = 3
	contractKey    = 4
)

// Sort sorts problems by file and position, and returns them; those of one place stay in their order.
func Sort(problems []*Problem) []*Problem {
	slices.SortStableFunc(problems, func(a, b *Problem) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return problems
}
