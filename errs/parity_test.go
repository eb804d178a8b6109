package errs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// The structs are written by hand. These tests hold them to errors.proto, both ways.

// structs are the exported error types.
func structs() []typed {
	return []typed{
		&ToolError{}, &ValidationError{}, &AuthorizationError{}, &ConfirmationError{}, &VerificationError{}, &OutcomeUnknownError{},
		&AbortedError{}, &AuthError{}, &BudgetExceededError{}, &ContextExceededError{}, &ProviderError{}, &ToolNotAllowedError{},
		&ToolPairingError{}, &OperationTimeoutError{}, &LengthResumeExhaustedError{}, &ServiceError{},
	}
}

// beside are the fields of structs that are no field of the message: they travel in another detail, or not at all.
var beside = map[string][]string{
	"":                      {"Cause"},
	"ToolError":             {"Status", "Repair", "RetryAfter"},
	"OutcomeUnknownError":   {"Keyed"},
	"AuthError":             {"RetryAfter"},
	"ProviderError":         {"RetryAfter"},
	"OperationTimeoutError": {"RetryAfter"},
	"ServiceError":          {"RetryAfter"},
}

func TestStructsAreTheMessages(t *testing.T) {
	t.Parallel()
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	seen := make(map[string]bool)
	for _, e := range structs() {
		s := reflect.TypeOf(e).Elem()
		m := messages.ByName(protoreflect.Name(s.Name()))
		if m == nil {
			t.Errorf("%s: errors.proto has no such message", s.Name())
			continue
		}
		seen[s.Name()] = true
		compareFields(t, s, m)
	}
	for i := range messages.Len() {
		m := messages.Get(i)
		if proto.HasExtension(m.Options(), remedyv1.E_Error) && !seen[string(m.Name())] {
			t.Errorf("%s: there is no such struct", m.Name())
		}
	}
	for s, name := range map[reflect.Type]protoreflect.Name{
		reflect.TypeFor[Issue](): "Issue", reflect.TypeFor[AuthFailure](): "AuthFailure", reflect.TypeFor[ProviderLimit](): "ProviderLimit",
		reflect.TypeFor[PairingRepair](): "PairingRepair",
	} {
		compareFields(t, s, messages.ByName(name))
	}
}

func compareFields(t *testing.T, s reflect.Type, m protoreflect.MessageDescriptor) {
	t.Helper()
	fields := make(map[string]reflect.StructField)
	for f := range s.Fields() {
		if f.IsExported() && !slices.Contains(beside[""], f.Name) && !slices.Contains(beside[s.Name()], f.Name) {
			fields[plainName(f.Name)] = f
		}
	}
	for i := range m.Fields().Len() {
		d := m.Fields().Get(i)
		name := plainName(string(d.Name()))
		f, ok := fields[name]
		if !ok {
			t.Errorf("%s has no field for %s", s.Name(), d.FullName())
			continue
		}
		delete(fields, name)
		if got, want := kindOfGo(f.Type), kindOfProto(d); got != want {
			t.Errorf("%s.%s is %s, %s is %s", s.Name(), f.Name, got, d.FullName(), want)
		}
	}
	for _, f := range fields {
		t.Errorf("%s.%s: %s has no such field", s.Name(), f.Name, m.FullName())
	}
}

// plainName is limitvalue for limit_value and LimitValue, and runid for run_id and RunID.
func plainName(s string) string { return strings.ToLower(strings.ReplaceAll(s, "_", "")) }

// kindOfGo names a type in the words of kindOfProto.
func kindOfGo(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[RetryPolicy]():
		return "enum"
	case t.String() == "time.Time":
		return "google.protobuf.Timestamp"
	case t.String() == "time.Duration":
		return "google.protobuf.Duration"
	case t.Kind() == reflect.Map:
		return "google.protobuf.Struct"
	case t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Struct:
		return "optional " + kindOfGo(t.Elem())
	case t.Kind() == reflect.Pointer:
		return kindOfGo(t.Elem())
	case t.Kind() == reflect.Slice:
		return "repeated " + kindOfGo(t.Elem())
	case t.Kind() == reflect.Struct:
		return "remedy.v1." + t.Name()
	case t.Kind() == reflect.Float64:
		return "double"
	case t.Kind() == reflect.String && t.PkgPath() == reflect.TypeFor[ToolError]().PkgPath() && !plainString(t):
		return "enum"
	default:
		return t.Kind().String()
	}
}

// plainString reports the named strings that are strings on the wire too.
func plainString(t reflect.Type) bool {
	return t == reflect.TypeFor[Code]() || t == reflect.TypeFor[ConfirmationReason]()
}

func kindOfProto(d protoreflect.FieldDescriptor) string {
	kind := d.Kind().String()
	if d.Message() != nil {
		kind = string(d.Message().FullName())
	}
	switch {
	case d.IsList():
		return "repeated " + kind
	case d.HasOptionalKeyword():
		return "optional " + kind
	default:
		return kind
	}
}

// TestCodesAreTheCatalog parses code.go, so that a constant that is missing or left over is found.
func TestCodesAreTheCatalog(t *testing.T) {
	t.Parallel()
	constants := constantsOf(t, "code.go", "Code")
	rows := make(map[string]bool)
	for _, table := range catalog() {
		for _, r := range table.rows {
			rows[r.code] = true
		}
	}
	for name, code := range constants {
		if !rows[code] {
			t.Errorf("%s is %q, which is no code of errors.proto", name, code)
		}
		if want := "Code" + camel(code); name != want {
			t.Errorf("%s should be %s", name, want)
		}
		delete(rows, code)
	}
	for code := range rows {
		t.Errorf("there is no constant for %q", code)
	}
}

// TestEnumWords compares the words of the exported constants with the enums of the protos, both ways.
func TestEnumWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file, name, prefix string
		enum               protoreflect.EnumDescriptor
	}{
		{"budget.go", "BudgetLimit", "BUDGET_LIMIT_", remedyv1.BudgetLimit(0).Descriptor()},
		{"provider.go", "LimitKind", "KIND_", remedyv1.ProviderLimit_Kind(0).Descriptor()},
		{"auth.go", "AuthKind", "KIND_", remedyv1.AuthFailure_Kind(0).Descriptor()},
		{"auth.go", "AuthSource", "SOURCE_", remedyv1.AuthFailure_Source(0).Descriptor()},
	}
	for _, test := range tests {
		words := make(map[string]bool)
		for i := range test.enum.Values().Len() {
			if v := test.enum.Values().Get(i); v.Number() != 0 {
				words[strings.ToLower(strings.TrimPrefix(string(v.Name()), test.prefix))] = true
			}
		}
		for name, word := range constantsOf(t, test.file, test.name) {
			if !words[word] {
				t.Errorf("%s is %q, which is no value of %s", name, word, test.enum.FullName())
			}
			delete(words, word)
		}
		for word := range words {
			t.Errorf("%s has no constant for %q", test.name, word)
		}
	}
}

// TestEnumNumbers compares the enums that have methods of their own with the protos by number.
func TestEnumNumbers(t *testing.T) {
	t.Parallel()
	for number, name := range remedyv1.RetryPolicy_name {
		if word := strings.ToLower(strings.TrimPrefix(name, "RETRY_POLICY_")); number != 0 && RetryPolicy(number).String() != word {
			t.Errorf("RetryPolicy(%d) is %s, want %s", number, RetryPolicy(number), word)
		} else if p, ok := parseRetry(word); number != 0 && (!ok || p != RetryPolicy(number)) {
			t.Errorf("%s is read as %s", word, p)
		}
	}
	for number, name := range remedyv1.Effect_name {
		if word := strings.ToLower(strings.TrimPrefix(name, "EFFECT_")); number != 0 && Effect(number).String() != word {
			t.Errorf("Effect(%d) is %s, want %s", number, Effect(number), word)
		} else if number != 0 && parseEffect(word) != Effect(number) {
			t.Errorf("%s is read as %s", word, parseEffect(word))
		}
	}
	for number, name := range remedyv1.RepairAction_name {
		if word := strings.ToLower(strings.TrimPrefix(name, "REPAIR_ACTION_")); number != 0 && Action(number).String() != word {
			t.Errorf("Action(%d) is %s, want %s", number, Action(number), word)
		}
	}
	for number, name := range remedyv1.StatusCode_name {
		word := strings.ReplaceAll(strings.TrimPrefix(name, "STATUS_CODE_"), "CANCELLED", "CANCELED")
		if got := strings.ToUpper(snake(codes.Code(number).String())); number != 0 && got != word {
			t.Errorf("status %d is %s, want %s", number, got, word)
		}
	}
}

// TestConfirmationReasons compares the reasons, which are strings on the wire, with the cases of the proto.
func TestConfirmationReasons(t *testing.T) {
	t.Parallel()
	rows := make(map[string]bool)
	for value := range catalog()["remedy.v1.ConfirmationError"].rows {
		rows[value] = true
	}
	for name, word := range constantsOf(t, "confirmation.go", "ConfirmationReason") {
		if !rows[word] {
			t.Errorf("%s is %q, which is no case", name, word)
		}
		delete(rows, word)
	}
	for word := range rows {
		t.Errorf("there is no constant for %q", word)
	}
}

// TestCloneCopiesEveryField sets every field and compares, so that a field that is added is not forgotten.
func TestCloneCopiesEveryField(t *testing.T) {
	t.Parallel()
	for _, e := range structs() {
		v := reflect.ValueOf(e).Elem()
		for f := range v.Type().Fields() {
			if f.IsExported() {
				setSomething(v.FieldByIndex(f.Index))
			}
		}
		copied := reflect.ValueOf(e.clone()).Elem()
		for f := range v.Type().Fields() {
			if !f.IsExported() {
				continue
			}
			if got, want := copied.FieldByIndex(f.Index).Interface(), v.FieldByIndex(f.Index).Interface(); !reflect.DeepEqual(got, want) {
				t.Errorf("%T.%s: got %v, want %v", e, f.Name, got, want)
			}
		}
	}
}

// setSomething sets a value to something other than its zero.
func setSomething(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint32:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Interface:
		v.Set(reflect.ValueOf(Code("x")))
	case reflect.Struct:
		for _, field := range v.Fields() {
			if field.CanSet() {
				setSomething(field)
			}
		}
	}
}

// constantsOf returns the constants of a type that a file of this package declares.
func constantsOf(t *testing.T, file, typeName string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := make(map[string]string)
	for _, decl := range parsed.Decls {
		g, ok := decl.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == typeName {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				found[v.Names[0].Name] = text
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s declares no constant of type %s", file, typeName)
	}
	return found
}

// camel is SlotStale for slot_stale.
func camel(code string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(code, "_") {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return b.String()
}

// snake is Not_Found for NotFound.
func snake(s string) string {
	var b strings.Builder
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return b.String()
}
