package exact_test

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/types/known/structpb"
	"pgregory.net/rapid"

	"github.com/remedyrpc/remedy/server/internal/exact"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"scalars", ` [ null , true , false , "a" ] `, `[null,true,false,"a"]`},
		{"names are sorted", `{"b":1,"a":{"d":2,"c":3}}`, `{"a":{"c":3,"d":2},"b":1}`},
		{"by UTF-16 units", "{\"\uE000\":1,\"\U00010000\":2,\"z\":3}", "{\"z\":3,\"\U00010000\":2,\"\uE000\":1}"},
		{"a prefix comes first", `{"ab":1,"a":2}`, `{"a":2,"ab":1}`},
		{"integers", `[1,1.0,1e0,10e-1,0.1e1,100e-2]`, `[1,1,1,1,1,1]`},
		{"zeros", `[0,-0,0.0,0e99999999999,-0.000]`, `[0,0,0,0,0]`},
		{"fractions", `[1.50,15e-1,0.0015e3,-1.5]`, `[1.5,1.5,1.5,-1.5]`},
		{"large", `[9007199254740993,1e20,-12345678901234567890]`, `[9007199254740993,100000000000000000000,-12345678901234567890]`},
		{"tiny", `[6.62607015e-34]`, `[0.000000000000000000000000000000000662607015]`},
		{"escapes", `"\u00e9\ud83d\ude00\/\b\f\n\r\t\"\\\u0001\u007f"`, "\"é😀/\\b\\f\\n\\r\\t\\\"\\\\\\u0001\u007f\""},
		{"empty", `{"a":[],"b":{}}`, `{"a":[],"b":{}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v, fault := exact.Parse(test.text)
			if fault != nil {
				t.Fatal(fault)
			}
			if got := string(exact.Canonical(v)); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	tests := []struct{ name, text, path, keyword, expected string }{
		{"empty", ``, "", "json", "must be valid JSON (see byte 1)"},
		{"cut off", `{"a":`, "/a", "json", "must be valid JSON (see byte 6)"},
		{"rubbish after", `{} x`, "", "json", "must be valid JSON (see byte 4)"},
		{"no quotes", `{a:1}`, "", "json", "must be valid JSON (see byte 2)"},
		{"trailing comma", `[1,]`, "/1", "json", "must be valid JSON (see byte 4)"},
		{"leading zero", `{"a":[01]}`, "/a/0", "json", "must be valid JSON (see byte 9)"},
		{"plus", `+1`, "", "json", "must be valid JSON (see byte 1)"},
		{"point alone", `[1.]`, "/0", "json", "must be valid JSON (see byte 4)"},
		{"exponent alone", `[1e+]`, "/0", "json", "must be valid JSON (see byte 5)"},
		{"not a number", `NaN`, "", "json", "must be valid JSON (see byte 1)"},
		{"control character", "\"a\nb\"", "", "json", "must be valid JSON (see byte 3)"},
		{"after an escape too", "\"\\n\nb\"", "", "json", "must be valid JSON (see byte 4)"},
		{"unknown escape", `"\x"`, "", "json", "must be valid JSON (see byte 2)"},
		{"string cut off", `"\n`, "", "json", "must be valid JSON (see byte 4)"},
		{"other white space", "\u00a0{}", "", "json", "must be valid JSON (see byte 1)"},
		{"duplicate", `{"a":{"b":1,"c":2,"b":1}}`, "/a/b", "duplicate", "must be given once"},
		{"the same name spelled otherwise", `{"b":1,"\u0062":1}`, "/b", "duplicate", "must be given once"},
		{"name with a slash", `{"a/b~c":[tru]}`, "/a~1b~0c/0", "json", "must be valid JSON (see byte 11)"},
		{"lone surrogate", `{"a":"\ud800"}`, "/a", "unicode", "must be valid Unicode"},
		{"swapped surrogates", `"\ude00\ud83d"`, "", "unicode", "must be valid Unicode"},
		{"bad byte", "\"\xff\"", "", "unicode", "must be valid Unicode"},
		{"65 digits", `{"n":` + strings.Repeat("9", 65) + `}`, "/n", "digits", "must be a number of at most 64 digits"},
		{"65 digits by exponent", `[1e64]`, "/0", "digits", "must be a number of at most 64 digits"},
		{"65 decimals", `[1e-65]`, "/0", "digits", "must be a number of at most 64 digits"},
		{"a bomb", `[1e999999999999999999999]`, "/0", "digits", "must be a number of at most 64 digits"},
		{"a negative bomb", `[-1e-99999999]`, "/0", "digits", "must be a number of at most 64 digits"},
		{"65 levels", deep(65), strings.Repeat("/a", 64), "depth", "must be nested at most 64 levels deep"},
		{"10,000 lists", strings.Repeat("[", 10_000), strings.Repeat("/0", 64), "depth", "must be nested at most 64 levels deep"},
		{"too large", `"` + strings.Repeat("a", exact.MaxBytes) + `"`, "", "size", "must be at most 1048576 bytes of JSON"},
		{
			"too many", "[" + strings.Repeat("1,", exact.MaxValues) + "1]", "/" + strconv.Itoa(exact.MaxValues-1), "values",
			"must hold at most 100000 values",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v, fault := exact.Parse(test.text)
			if fault == nil {
				t.Fatalf("accepted as %s", exact.Canonical(v))
			}
			want := exact.Fault{Path: test.path, Keyword: test.keyword, Expected: test.expected}
			if *fault != want {
				t.Errorf("got  %+v\nwant %+v", *fault, want)
			}
		})
	}
	for _, text := range []string{deep(64), strings.Repeat("9", 64), "0." + strings.Repeat("1", 63), "1e63", "0.0000000001e10"} {
		if _, fault := exact.Parse(text); fault != nil {
			t.Errorf("%.40s: %v", text, fault)
		}
	}
}

func TestStruct(t *testing.T) {
	t.Parallel()
	number := func(f float64) *structpb.Struct {
		return &structpb.Struct{Fields: map[string]*structpb.Value{"n": structpb.NewNumberValue(f)}}
	}
	nested := number(1)
	for range 10_000 {
		nested = &structpb.Struct{Fields: map[string]*structpb.Value{"a": structpb.NewStructValue(nested)}}
	}
	tests := []struct {
		name string
		in   *structpb.Struct
		want string
	}{
		{"nil", nil, `{}`},
		{"largest", number(exact.MaxSafeInteger), `{"n":9007199254740991}`},
		{"smallest", number(-exact.MaxSafeInteger), `{"n":-9007199254740991}`},
		{"fraction", number(0.1), `{"n":0.1}`},
		{"beyond", number(1 << 53), "/n must be from -9007199254740991 to 9007199254740991 in a Struct; send larger integers as input_json"},
		{"far beyond", number(-1e300), "/n must be from -9007199254740991 to 9007199254740991 in a Struct; send larger integers as input_json"},
		{"NaN", number(math.NaN()), "/n must be a finite number"},
		{"infinite", number(math.Inf(-1)), "/n must be a finite number"},
		{"too small", number(5e-324), "/n must be a number of at most 64 digits"},
		{"no kind", &structpb.Struct{Fields: map[string]*structpb.Value{"n": {}}}, "/n must be a value, null included"},
		{"deep", nested, strings.Repeat("/a", 64) + " must be nested at most 64 levels deep"},
		{"bad byte", &structpb.Struct{Fields: map[string]*structpb.Value{"n": structpb.NewStringValue("\xff")}}, "/n must be valid Unicode"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v, fault := exact.FromStruct(test.in)
			got := string(exact.Canonical(v))
			if fault != nil {
				got = fault.String()
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestToStruct(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"a":[1,0.1,-2.5,"s",true,null,{"b":{}}]}`: true,
		`{"a":9007199254740991}`:                    true,
		`{"a":9007199254740992}`:                    false, // a double, but not only of this integer
		`{"a":9007199254740993}`:                    false,
		`{"a":[{"b":0.12345678901234567890}]}`:      false,
		`[1]`:                                       false,
		`"a"`:                                       false,
	} {
		v, fault := exact.Parse(text)
		if fault != nil {
			t.Fatal(fault)
		}
		s, ok := exact.ToStruct(v)
		if ok != want {
			t.Errorf("%s: got %v", text, ok)
		}
		if !ok {
			continue
		}
		back, fault := exact.FromStruct(s)
		if fault != nil {
			t.Errorf("%s: %v", text, fault)
		}
		if diff := cmp.Diff(v, back); diff != "" {
			t.Errorf("%s (-sent +received):\n%s", text, diff)
		}
	}
}

// TestCanonicalIsAFixedPoint holds for every value: writing it and reading it again changes nothing.
func TestCanonicalIsAFixedPoint(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := values(3).Draw(t, "value")
		text := exact.Canonical(v)
		if !json.Valid(text) {
			t.Fatalf("not JSON: %s", text)
		}
		back, fault := exact.Parse(string(text))
		if fault != nil {
			t.Fatal(fault)
		}
		if diff := cmp.Diff(v, back); diff != "" {
			t.Fatal(diff)
		}
	})
}

func values(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(),
		rapid.Custom(func(t *rapid.T) any { return json.Number(strconv.FormatInt(rapid.Int64().Draw(t, "n"), 10)) }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(values(depth-1), 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.String(), values(depth-1), 0, 4), func(m map[string]any) any { return m }))...)
}

// FuzzParse checks that what is accepted is JSON to encoding/json too, and means the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e3,-0,"\ud83d\ude00",null,true]}`, `{"a":1,"a":2}`, `[1e999]`, `"\ud800"`, `[[[[`, `{"":{}}`, "\"\xff\"", `1e-64`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, fault := exact.Parse(text)
		if fault != nil {
			if fault.Keyword == "json" && json.Valid([]byte(text)) {
				t.Fatalf("refused, and encoding/json takes it: %v", fault)
			}
			return
		}
		var other any
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(&other); err != nil {
			t.Fatalf("accepted, and encoding/json does not: %v", err)
		}
		if exact.Digest(v) != exact.Digest(normal(t, other)) {
			t.Fatalf("read as %s", exact.Canonical(v))
		}
	})
}

// normal brings the numbers of a value into plain digits.
func normal(t *testing.T, v any) any {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		n, fault := exact.Parse(string(v))
		if fault != nil {
			t.Fatal(fault)
		}
		return n
	case []any:
		for i := range v {
			v[i] = normal(t, v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = normal(t, v[name])
		}
	}
	return v
}

func BenchmarkParse(b *testing.B) {
	text := `{"orderId":"ord_1","reason":"customer_request","items":[{"sku":"a","count":1},{"sku":"b","count":2}],"total":12.5}`
	b.ReportAllocs()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, fault := exact.Parse(text); fault != nil {
			b.Fatal(fault)
		}
	}
}
