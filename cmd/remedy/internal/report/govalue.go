package report

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// Value is one exported field of a typed error.
type Value struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// typeName is the Go type of an error, without the way to its package.
func typeName(err error) string { return fmt.Sprintf("%T", err) }

// match is the Go code that matches an error: its type, and the value that tells the codes of one type apart.
func match(e errs.Error) string {
	line := fmt.Sprintf("e, ok := errors.AsType[%T](err); ok", e)
	switch e := e.(type) {
	case *errs.ToolError:
		return line + " && e.Code == " + strconv.QuoteToASCII(e.Code)
	case *errs.ServiceError:
		return line + " && e.Code == " + strconv.QuoteToASCII(string(e.Code))
	case *errs.ConfirmationError:
		return line + " && e.Reason == " + strconv.QuoteToASCII(string(e.Reason))
	case *errs.AuthError:
		return line + " && e.Auth.Kind == " + strconv.QuoteToASCII(string(e.Auth.Kind))
	default:
		return line
	}
}

// valuesOf returns the exported fields of a typed error that hold something. Headline, rule, plan and cause are shown by
// themselves.
func valuesOf(e errs.Error) []Value {
	v := reflect.ValueOf(e)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil
	}
	v = v.Elem()
	var values []Value
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch field.Name {
		case "Message", "Retry", "Repair", "Cause":
			continue
		}
		if !field.IsExported() || isEmpty(v.Field(i)) {
			continue
		}
		values = append(values, Value{field.Name, goValue(v.Field(i))})
	}
	return values
}

func isEmpty(v reflect.Value) bool {
	if v.Kind() == reflect.Map || v.Kind() == reflect.Slice {
		return v.Len() == 0
	}
	return v.IsZero()
}

// goValue writes a value much as Go would: strings quoted, what says its own name by that name, fields without a value
// left out.
func goValue(v reflect.Value) string {
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return t.UTC().Format(time.RFC3339Nano)
	}
	switch v.Kind() {
	case reflect.String:
		return strconv.QuoteToGraphic(v.String())
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return goValue(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = goValue(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map:
		return goMap(v)
	case reflect.Struct:
		return goStruct(v)
	default:
		return fmt.Sprint(v) // numbers, and what has a String method
	}
}

func goMap(v reflect.Value) string {
	entries := make([]string, 0, v.Len())
	for key, value := range v.Seq2() {
		entries = append(entries, goValue(key)+": "+goValue(value))
	}
	slices.Sort(entries)
	return "{" + strings.Join(entries, ", ") + "}"
}

func goStruct(v reflect.Value) string {
	var fields []string
	for i := range v.NumField() {
		if field := v.Type().Field(i); field.IsExported() && !v.Field(i).IsZero() {
			fields = append(fields, field.Name+": "+goValue(v.Field(i)))
		}
	}
	return "{" + strings.Join(fields, ", ") + "}"
}
