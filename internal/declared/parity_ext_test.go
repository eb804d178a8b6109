package declared_test

import (
	"regexp"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/errs"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/authored/authoredtest"
	"github.com/remedyrpc/remedy/internal/declared"
)

// stricter are the texts of what is refused in a proto although errs.Declare could live with it: nothing is sent wrong, and
// whoever wrote it meant something else.
var stricter = regexp.MustCompile(strings.Join([]string{
	`^message has a brace that is not part of a \{field\} placeholder`,
	`^repair\.steps\[\d\]\.tool is ".*", and \w+ uses no tool`,
	`^repair\.(preserve|update) names ".*" twice`,
	`^effect -?\d+ is not one of this version`,
	`^the name ends in Error`,
}, "|"))

// TestParity: what errs.Declare refuses when a program starts is refused before anything is generated, and nothing else but
// what is meant to be.
func TestParity(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pkg := rapid.SampledFrom([]string{
			"shop.v1", "shop.v1", "shop.v1", "shop.v1", "", "remedy.v1", "tool.remedy.v1", "a", strings.Repeat("a", authored.MaxDomain),
			strings.Repeat("a", authored.MaxDomain+1),
		}).Draw(t, "package")
		name := rapid.SampledFrom([]string{"SlotStale", "SlotStale", "SlotStale", "Slot", "StaleError", "error"}).Draw(t, "name")
		parity(t, pkg, name, anyOptions().Draw(t, "options"))
	})
}

// TestParityOfSize is about errors that are right but for their size.
func TestParityOfSize(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		parity(t, strings.Repeat("a", rapid.IntRange(1, authored.MaxDomain).Draw(t, "package")), "SlotStale", largeOptions().Draw(t, "options"))
	})
}

// TestParityAtTheBound goes over the bound byte by byte.
func TestParityAtTheBound(t *testing.T) {
	t.Parallel()
	accepted, refused := 0, 0
	for n := range 800 {
		o := &remedyv1.ErrorOptions{
			Code: "slot_stale", Message: strings.Repeat("a", authored.MaxHeadline), Retry: remedyv1.RetryPolicy_RETRY_POLICY_NEVER,
			Effect: remedyv1.Effect_EFFECT_APPLIED, Repair: new(remedyv1.RepairPlan),
		}
		for i := range authored.MaxNames {
			o.Repair.Preserve = append(o.Repair.Preserve, strings.Repeat("p", authored.MaxName-i))
		}
		for left := n; left > 0; left -= authored.MaxInstruction {
			o.Repair.Steps = append(o.Repair.Steps, &remedyv1.RepairStep{
				Action:      remedyv1.RepairAction_REPAIR_ACTION_ASK_USER,
				Instruction: strings.Repeat("a", min(left, authored.MaxInstruction)),
			})
		}
		if parity(t, "shop.v1", "SlotStale", o) {
			accepted++
		} else {
			refused++
		}
	}
	if accepted == 0 || refused == 0 {
		t.Errorf("%d accepted and %d refused: the bound is not where it was", accepted, refused)
	}
}

// tester is what a test and a property have in common.
type tester interface {
	Helper()
	Errorf(format string, arguments ...any)
	Fatal(arguments ...any)
	Fatalf(format string, arguments ...any)
}

// parity compares what both say of an error, and reports whether they accept it.
func parity(t tester, pkg, name string, options *remedyv1.ErrorOptions) bool {
	t.Helper()
	file := fileOf(t, pkg, name, options)
	definition, err := errs.Declare(file.Messages().ByName(protoreflect.Name(name)))
	var tools []string
	for _, step := range options.GetRepair().GetSteps() {
		tools = append(tools, step.GetTool())
	}
	set := declared.Read([]protoreflect.FileDescriptor{file})
	problems := set.Check(declared.WithExternalTools(tools...))
	if err != nil {
		if len(problems) == 0 {
			t.Fatalf("errs.Declare says %q, and nothing is refused", err)
		}
		return false
	}
	for _, problem := range problems {
		if stricter.MatchString(problem.Text) {
			return false
		}
		if !strings.HasPrefix(problem.Text, "message and repair take ") {
			t.Fatalf("errs.Declare takes it, and it is refused: %s", problem)
		}
	}
	if len(authored.ParseTemplate(options.GetMessage()).Fields()) > 0 {
		return len(problems) == 0 // what they are filled with is not known here
	}
	raised := definition.Wrap(dynamicpb.NewMessage(file.Messages().ByName(protoreflect.Name(name))))
	if errs.InfoOf(raised).Truncated {
		t.Fatal("errs.Declare takes it, and what is raised does not fit")
	}
	st := raised.GRPCStatus().Proto()
	// A message that is cut, or has room for saying that something is missing, may be counted as larger than it is.
	const listCost, whole, most = 246, 768 - len(" (and 9 more steps)"), 900
	counted, takes := declared.CostOf(set.Errors[0]), listCost+authored.WireLen(st.GetMessage())+(4*proto.Size(st)+2)/3
	if counted != takes && (counted < takes || counted > takes+most || counted < listCost+whole) {
		t.Errorf("it takes %d bytes, and %d are counted", takes, counted)
	}
	return len(problems) == 0
}

// fileOf is a file with one error.
func fileOf(t tester, pkg, name string, options *remedyv1.ErrorOptions) protoreflect.FileDescriptor {
	t.Helper()
	message := &descriptorpb.DescriptorProto{Name: &name, Options: new(descriptorpb.MessageOptions)}
	proto.SetExtension(message.GetOptions(), remedyv1.E_Error, options)
	for i, field := range []struct {
		name  string
		kind  descriptorpb.FieldDescriptorProto_Type
		label descriptorpb.FieldDescriptorProto_Label
		of    *string
	}{
		{"slot_id", descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL, nil},
		{"seats", descriptorpb.FieldDescriptorProto_TYPE_INT32, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL, nil},
		{"tags", descriptorpb.FieldDescriptorProto_TYPE_STRING, descriptorpb.FieldDescriptorProto_LABEL_REPEATED, nil},
		{"raw", descriptorpb.FieldDescriptorProto_TYPE_BYTES, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL, nil},
		{
			"at", descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL,
			new(".google.protobuf.Timestamp"),
		},
		{
			"plan", descriptorpb.FieldDescriptorProto_TYPE_MESSAGE, descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL,
			new(".google.protobuf.Struct"),
		},
	} {
		message.Field = append(message.Field, &descriptorpb.FieldDescriptorProto{
			Name: new(field.name), Number: new(int32(i + 1)), Type: field.kind.Enum(), Label: field.label.Enum(), TypeName: field.of,
		})
	}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("shop.proto"), Package: &pkg, Syntax: new("proto3"), MessageType: []*descriptorpb.DescriptorProto{message},
		Dependency: []string{"google/protobuf/timestamp.proto", "google/protobuf/struct.proto"},
	}, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// mostly draws what is right most of the time.
func mostly[T any](right, wrong *rapid.Generator[T]) *rapid.Generator[T] {
	return rapid.Custom(func(t *rapid.T) T {
		if rapid.IntRange(0, 11).Draw(t, "wrong") == 0 {
			return wrong.Draw(t, "anything")
		}
		return right.Draw(t, "right")
	})
}

func anyOptions() *rapid.Generator[*remedyv1.ErrorOptions] {
	valid := rapid.Map(authoredtest.Hostile(), func(s string) string { return strings.ToValidUTF8(s, "\ufffd") })
	codes := mostly(rapid.Just("slot_stale"), rapid.OneOf(valid, rapid.SampledFrom([]string{
		"", "ab", "abc", "Slot", "slot_", "1slot", "canceled", "invalid_input", "internal", strings.Repeat("a", 63), strings.Repeat("a", 64),
	})))
	headlines := mostly(rapid.SampledFrom([]string{"", "Slot {slot_id} of {seats} is gone at {at}.", "100 % 予約", strings.Repeat("a", 300)}),
		rapid.OneOf(valid, rapid.SampledFrom([]string{
			"{tags}", "{raw}", "{plan}", "{slotId}", "{nothing}", "{}", "{slot_id", strings.Repeat("a", 301), strings.Repeat("予", 300), "{a.b}",
		})))
	instructions := mostly(rapid.SampledFrom([]string{"", "Read it again.", strings.Repeat("a", 160)}),
		rapid.OneOf(valid, rapid.SampledFrom([]string{"{slot_id}", "{}", strings.Repeat("a", 161), strings.Repeat("約", 160)})))
	names := mostly(rapid.SampledFrom([]string{"slotId", "day", "$.a-b", strings.Repeat("n", 64), "a", "b", "c", "d", "e"}),
		rapid.OneOf(valid, rapid.SampledFrom([]string{"", "a b", strings.Repeat("n", 65)})))
	tools := mostly(rapid.SampledFrom([]string{"", "list_slots", strings.Repeat("t", 64)}),
		rapid.OneOf(valid, rapid.SampledFrom([]string{"a b", "$", strings.Repeat("t", 65)})))
	docs := mostly(rapid.SampledFrom([]string{"", "https://docs.example.com/a", "docs/a.md"}), rapid.OneOf(valid, rapid.SampledFrom([]string{
		"https://", "https:///a", "https://a b", "https://a.example/" + strings.Repeat("a", 200), "http://a", "https://a.example/%zz",
	})))
	return rapid.Custom(func(t *rapid.T) *remedyv1.ErrorOptions {
		o := &remedyv1.ErrorOptions{
			Code: codes.Draw(t, "code"), Message: headlines.Draw(t, "message"), Doc: docs.Draw(t, "doc"),
			Retry:  remedyv1.RetryPolicy(mostly(rapid.Int32Range(1, 3), rapid.Int32Range(-1, 5)).Draw(t, "retry")),
			Status: remedyv1.StatusCode(mostly(rapid.Just[int32](0), rapid.Int32Range(-1, 20)).Draw(t, "status")),
			Effect: remedyv1.Effect(mostly(rapid.SampledFrom([]int32{0, 2, 3}), rapid.Int32Range(-1, 5)).Draw(t, "effect")),
		}
		if rapid.IntRange(0, 30).Draw(t, "cases") == 0 {
			o.Discriminator, o.Cases = "slot_id", []*remedyv1.ErrorCase{{Value: "a", Error: &remedyv1.ErrorOptions{Code: "slot_gone"}}}
		}
		if rapid.IntRange(0, 3).Draw(t, "repair") == 0 {
			return o
		}
		o.Repair = &remedyv1.RepairPlan{
			Preserve: rapid.SliceOfN(names, 0, mostly(rapid.Just(2), rapid.Just(20)).Draw(t, "names")).Draw(t, "preserve"),
			Update:   rapid.SliceOfN(names, 0, mostly(rapid.Just(2), rapid.Just(20)).Draw(t, "names")).Draw(t, "update"),
		}
		for range mostly(rapid.IntRange(1, 3), rapid.IntRange(0, 7)).Draw(t, "steps") {
			o.Repair.Steps = append(o.Repair.Steps, &remedyv1.RepairStep{
				Action: remedyv1.RepairAction(mostly(rapid.SampledFrom([]int32{1, 3, 5, 6, 7}), rapid.Int32Range(-1, 9)).Draw(t, "action")),
				Tool:   tools.Draw(t, "tool"), Instruction: instructions.Draw(t, "instruction"),
			})
		}
		return o
	})
}

// largeOptions are right, and about as large as is sent.
func largeOptions() *rapid.Generator[*remedyv1.ErrorOptions] {
	text := func(most int) *rapid.Generator[string] {
		return rapid.Custom(func(t *rapid.T) string {
			letter := rapid.SampledFrom([]string{"a", "a", "%", "ü", "予", "🧾", "a%", "a予"}).Draw(t, "letter")
			return strings.Repeat(letter, rapid.IntRange(0, most).Draw(t, "length")/len([]rune(letter)))
		})
	}
	name := rapid.Map(rapid.IntRange(1, authored.MaxName), func(n int) string { return strings.Repeat("n", n) })
	return rapid.Custom(func(t *rapid.T) *remedyv1.ErrorOptions {
		o := &remedyv1.ErrorOptions{
			Code:    strings.Repeat("c", rapid.IntRange(authored.MinCode, authored.MaxCode).Draw(t, "code")),
			Message: text(authored.MaxHeadline).Draw(t, "message"), Retry: remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR,
			Effect: remedyv1.Effect(rapid.SampledFrom([]int32{0, 2, 3}).Draw(t, "effect")),
			Repair: &remedyv1.RepairPlan{
				Preserve: rapid.SliceOfNDistinct(name, 0, authored.MaxNames, rapid.ID).Draw(t, "preserve"),
			},
		}
		if rapid.Bool().Draw(t, "linked") {
			o.Doc = authored.Secure + strings.Repeat("d", rapid.IntRange(1, authored.MaxLink-len(authored.Secure)).Draw(t, "doc"))
		}
		for _, name := range rapid.SliceOfNDistinct(name, 0, authored.MaxNames, rapid.ID).Draw(t, "update") {
			o.Repair.Update = append(o.Repair.Update, "u"+name[1:])
		}
		for range rapid.IntRange(1, authored.MaxSteps).Draw(t, "steps") {
			step := &remedyv1.RepairStep{
				Action:      remedyv1.RepairAction(rapid.Int32Range(1, 7).Draw(t, "action")),
				Instruction: text(authored.MaxInstruction).Draw(t, "instruction"),
			}
			if step.GetAction() == remedyv1.RepairAction_REPAIR_ACTION_CALL_TOOL {
				step.Tool = name.Draw(t, "tool")
			}
			o.Repair.Steps = append(o.Repair.Steps, step)
		}
		return o
	})
}
