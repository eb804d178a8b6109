package compat_test

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/compat"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/declared"
)

const (
	never       = remedyv1.RetryPolicy_RETRY_POLICY_NEVER
	asIs        = remedyv1.RetryPolicy_RETRY_POLICY_AS_IS
	afterRepair = remedyv1.RetryPolicy_RETRY_POLICY_AFTER_REPAIR
)

// set reads one file.
func set(t *testing.T, file *descriptorpb.FileDescriptorProto) *declared.Set {
	t.Helper()
	descriptor, err := protodesc.NewFile(file, protoregistry.GlobalFiles)
	if err != nil {
		t.Fatal(err)
	}
	return declared.Read([]protoreflect.FileDescriptor{descriptor})
}

// builtins are the errors of Remedy, that of one message changed.
func builtins(t *testing.T, message string, edit func(*remedyv1.ErrorOptions)) *declared.Set {
	t.Helper()
	file := protodesc.ToFileDescriptorProto(remedyv1.File_remedy_v1_errors_proto)
	for _, m := range file.GetMessageType() {
		if m.GetName() == message {
			options := proto.CloneOf(proto.GetExtension(m.GetOptions(), remedyv1.E_Error).(*remedyv1.ErrorOptions))
			edit(options)
			m.Options = &descriptorpb.MessageOptions{}
			proto.SetExtension(m.GetOptions(), remedyv1.E_Error, options)
		}
	}
	return set(t, file)
}

// one is a file of the package with one error, or a plain message where the options are nil.
func one(t *testing.T, pkg, name string, options *remedyv1.ErrorOptions) *declared.Set {
	t.Helper()
	m := &descriptorpb.DescriptorProto{Name: &name}
	if options != nil {
		m.Options = &descriptorpb.MessageOptions{}
		proto.SetExtension(m.GetOptions(), remedyv1.E_Error, options)
	}
	return set(t, &descriptorpb.FileDescriptorProto{
		Name: new("x.proto"), Package: &pkg, Syntax: new("proto3"),
		Dependency: []string{"remedy/v1/options.proto"}, MessageType: []*descriptorpb.DescriptorProto{m},
	})
}

// method is a file with one method; nil for a method that promises nothing.
func method(t *testing.T, contract *remedyv1.MethodContract) *declared.Set {
	t.Helper()
	m := &descriptorpb.MethodDescriptorProto{Name: new("Call"), InputType: new(".a.M"), OutputType: new(".a.M")}
	if contract != nil {
		m.Options = &descriptorpb.MethodOptions{}
		proto.SetExtension(m.GetOptions(), remedyv1.E_Contract, contract)
	}
	return set(t, &descriptorpb.FileDescriptorProto{
		Name: new("x.proto"), Package: new("a"), Syntax: new("proto3"), Dependency: []string{"remedy/v1/options.proto"},
		MessageType: []*descriptorpb.DescriptorProto{{Name: new("M")}},
		Service:     []*descriptorpb.ServiceDescriptorProto{{Name: new("S"), Method: []*descriptorpb.MethodDescriptorProto{m}}},
	})
}

// refused and allowed are what has changed.
type kinds struct{ refused, allowed []compat.Kind }

func kindsOf(findings []*compat.Finding) kinds {
	var k kinds
	for _, f := range findings {
		if f.Refused {
			k.refused = append(k.refused, f.Kind)
		} else {
			k.allowed = append(k.allowed, f.Kind)
		}
	}
	return k
}

func compare(t *testing.T, name string, before, after *declared.Set, want kinds) {
	t.Helper()
	findings := compat.Compare(before, after)
	got := kindsOf(findings)
	if !slices.Equal(got.refused, want.refused) || !slices.Equal(got.allowed, want.allowed) {
		t.Errorf("%s: got %v, want %v", name, got, want)
	}
	for _, f := range findings {
		if f.Name == "" || f.File == "" || f.What == "" || f.Refused != (f.Why != "") || f.Refused != (f.Instead != "") {
			t.Errorf("%s: %+v lacks something", name, f)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	type options = remedyv1.ErrorOptions
	type k = []compat.Kind
	plan := &remedyv1.RepairPlan{Steps: []*remedyv1.RepairStep{{Action: remedyv1.RepairAction_REPAIR_ACTION_ASK_USER}}}
	for name, c := range map[string]struct {
		before, after *options
		want          kinds
	}{
		"nothing":           {&options{Code: "old", Retry: never}, &options{Code: "old", Retry: never}, kinds{}},
		"the same status":   {&options{Retry: asIs}, &options{Retry: asIs, Status: remedyv1.StatusCode_STATUS_CODE_UNAVAILABLE}, kinds{}},
		"code":              {&options{Code: "old"}, &options{Code: "new"}, kinds{refused: k{compat.CodeChanged}}},
		"status":            {&options{}, &options{Status: remedyv1.StatusCode_STATUS_CODE_NOT_FOUND}, kinds{refused: k{compat.StatusChanged}}},
		"retry":             {&options{Retry: never}, &options{Retry: afterRepair}, kinds{refused: k{compat.RetryChanged}}},
		"retry and status":  {&options{Retry: never}, &options{Retry: asIs}, kinds{refused: k{compat.StatusChanged, compat.RetryChanged}}},
		"a later retry":     {&options{Retry: never}, &options{Retry: 9}, kinds{refused: k{compat.RetryChanged}}},
		"effect":            {&options{}, &options{Effect: remedyv1.Effect_EFFECT_APPLIED}, kinds{refused: k{compat.EffectChanged}}},
		"texts":             {&options{}, &options{Message: "m", Doc: "d"}, kinds{allowed: k{compat.HeadlineChanged, compat.DocChanged}}},
		"plan":              {&options{}, &options{Repair: plan}, kinds{allowed: k{compat.PlanChanged}}},
		"no option":         {&options{Code: "old"}, nil, kinds{refused: k{compat.ErrorRemoved}}},
		"an option":         {nil, &options{Code: "new"}, kinds{allowed: k{compat.ErrorAdded}}},
		"with cases, first": {&options{Code: "old"}, &options{Discriminator: "d"}, kinds{refused: k{compat.DiscriminatorChanged}}},
	} {
		compare(t, name, one(t, "a", "M", c.before), one(t, "a", "M", c.after), c.want)
	}
	code := &options{Code: "same", Retry: never}
	moved := kinds{refused: k{compat.ErrorMoved}}
	compare(t, "another message", one(t, "a", "M", code), one(t, "a", "N", code), moved)
	compare(t, "another package", one(t, "a", "M", code), one(t, "b", "M", code), moved)
	compare(t, "another error", one(t, "a", "M", code), one(t, "a", "N", &options{Code: "other"}),
		kinds{refused: k{compat.ErrorRemoved}, allowed: k{compat.ErrorAdded}})
}

func TestBuiltins(t *testing.T) {
	t.Parallel()
	type options = remedyv1.ErrorOptions
	type k = []compat.Kind
	before := builtins(t, "", nil)
	for name, c := range map[string]struct {
		message string
		edit    func(*options)
		want    kinds
	}{
		"nothing":      {"ServiceError", func(*options) {}, kinds{}},
		"case removed": {"ServiceError", func(o *options) { o.Cases = o.GetCases()[1:] }, kinds{refused: k{compat.CaseRemoved}}},
		"case moved":   {"ServiceError", func(o *options) { slices.Reverse(o.GetCases()) }, kinds{}},
		"case added": {"ServiceError", func(o *options) {
			o.Cases = append(o.Cases, &remedyv1.ErrorCase{Value: "new", Error: &options{Code: "new"}})
		}, kinds{allowed: k{compat.CaseAdded}}},
		"case changed": {"AuthError", func(o *options) {
			o.Cases[0].Error.Retry = never
		}, kinds{refused: k{compat.RetryChanged}}},
		"discriminator": {"AuthError", func(o *options) { o.Discriminator = "other" }, kinds{refused: k{compat.DiscriminatorChanged}}},
	} {
		compare(t, name, before, builtins(t, c.message, c.edit), c.want)
	}
	// The errors of Remedy are there although no file of the new version has them.
	compare(t, "not imported", before, one(t, "a", "M", nil), kinds{})
}

func TestContracts(t *testing.T) {
	t.Parallel()
	type contract = remedyv1.MethodContract
	type k = []compat.Kind
	gone := func(t *testing.T) *declared.Set { t.Helper(); return one(t, "a", "M", nil) }
	for name, c := range map[string]struct {
		before, after *contract
		want          kinds
	}{
		"nothing":            {&contract{Effect: true}, &contract{Effect: true}, kinds{}},
		"the default tool":   {&contract{}, &contract{Tool: "call"}, kinds{}},
		"an effect":          {&contract{}, &contract{Effect: true}, kinds{refused: k{compat.ContractEffectChanged}}},
		"no effect":          {&contract{Effect: true}, &contract{}, kinds{refused: k{compat.ContractEffectChanged}}},
		"a first contract":   {nil, &contract{Effect: true}, kinds{allowed: k{compat.ContractAdded}}},
		"a contract removed": {&contract{}, nil, kinds{allowed: k{compat.ContractRemoved}}},
		"an effect removed":  {&contract{Effect: true}, nil, kinds{refused: k{compat.ContractRemoved}}},
		"a first key":        {&contract{}, &contract{OperationKeyField: "a"}, kinds{allowed: k{compat.ContractKeyChanged}}},
		"another key": {
			&contract{OperationKeyField: "a"}, &contract{OperationKeyField: "b"}, kinds{refused: k{compat.ContractKeyChanged}},
		},
		"tool":  {&contract{}, &contract{Tool: "x"}, kinds{allowed: k{compat.ContractToolChanged}}},
		"lists": {&contract{Errors: []string{"a", "b"}}, &contract{Errors: []string{"b", "c"}}, kinds{allowed: k{compat.ContractErrorsChanged}}},
		"order": {&contract{Errors: []string{"a", "b"}}, &contract{Errors: []string{"b", "a"}}, kinds{}},
	} {
		compare(t, name, method(t, c.before), method(t, c.after), c.want)
	}
	compare(t, "method removed", method(t, &contract{}), gone(t), kinds{allowed: k{compat.MethodRemoved}})
	compare(t, "method added", gone(t), method(t, &contract{Effect: true}), kinds{allowed: k{compat.ContractAdded}})
}
