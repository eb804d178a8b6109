package exact

import (
	"strconv"
	"strings"
)

// Fault says what about a value cannot be accepted. It holds names of members but no values.
type Fault struct {
	// Path is a JSON Pointer (RFC 6901); empty for the whole value.
	Path string
	// Keyword names the rule, in the place of a JSON Schema keyword.
	Keyword string
	// Expected says what is expected in the place, to be read after the path.
	Expected string
}

// String says where and what.
func (f *Fault) String() string {
	if f.Path == "" {
		return "the input " + f.Expected
	}
	return f.Path + " " + f.Expected
}

// At puts the fault below one more name, and returns it.
func (f *Fault) At(token string) *Fault {
	f.Path = "/" + Escape(token) + f.Path
	return f
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1") //nolint:gochecknoglobals // a constant

// Escape makes a name a token of a JSON Pointer.
func Escape(token string) string { return escaper.Replace(token) }

func index(i int) string { return strconv.Itoa(i) }

func syntax(at int) *Fault {
	return &Fault{Keyword: "json", Expected: "must be valid JSON (see byte " + strconv.Itoa(at+1) + ")"}
}

func tooDeep() *Fault {
	return &Fault{Keyword: "depth", Expected: "must be nested at most " + strconv.Itoa(MaxDepth) + " levels deep"}
}

func tooLarge() *Fault {
	return &Fault{Keyword: "size", Expected: "must be at most " + strconv.Itoa(MaxBytes) + " bytes of JSON"}
}

func tooMany() *Fault {
	return &Fault{Keyword: "values", Expected: "must hold at most " + strconv.Itoa(MaxValues) + " values"}
}

func tooLong() *Fault {
	return &Fault{Keyword: "digits", Expected: "must be a number of at most " + strconv.Itoa(MaxDigits) + " digits"}
}

func notUnicode() *Fault { return &Fault{Keyword: "unicode", Expected: "must be valid Unicode"} }

func twice() *Fault { return &Fault{Keyword: "duplicate", Expected: "must be given once"} }
