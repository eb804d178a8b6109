package provider_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs/provider"
)

// shapes are bodies of a size: what providers send, and what would be slow if reading was not linear.
func shapes(size int) map[string]string {
	fill := func(unit string) string { return strings.Repeat(unit, size/len(unit)+1)[:size] }
	return map[string]string{
		"envelope":  `{"error":{"message":"` + fill("The model is busy with words. ") + `","type":"invalid_request_error","code":null}}`,
		"text":      fill("Nothing of this says what went wrong. "),
		"quotes":    fill(`"`),
		"escapes":   fill(`\"`),
		"brackets":  fill("["),
		"objects":   fill(`{"error":`),
		"events":    fill("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"),
		"errors":    fill("data: {\"error\":{\"message\":\"m\"}}\n\n"),
		"prefixes":  fill("Error code: 400 - "),
		"almost":    fill("maximum context length is tokens, input length too many tokens per rate limit "),
		"addresses": fill("https://a.b/c "),
		"page":      "<html>" + fill("<p>words</p>"),
		"zeros":     fill("\x00"),
		"printed":   "{A: " + fill("b")[:size/2] + fill(":")[:size/2],
		"fields":    "{" + fill("A:b C:d "),
		"maps":      fill("map[a:"),
	}
}

// BenchmarkClassify has the time of a body grow with its size, up to the bound of what is read.
func BenchmarkClassify(b *testing.B) {
	for name := range shapes(1) {
		for _, size := range []int{1 << 10, 32 << 10, 1 << 20} {
			failure := provider.Failure{Provider: "openai", Body: []byte(shapes(size)[name])}
			b.Run(fmt.Sprintf("%s/%dkB", name, size>>10), func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(failure.Body)))
				for b.Loop() {
					provider.Classify(failure)
				}
			})
		}
	}
}

// BenchmarkReal classifies what providers send every day.
func BenchmarkReal(b *testing.B) {
	for name, failure := range map[string]provider.Failure{
		"rate": {Provider: "openai", Status: 429, Body: []byte(`{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): ` +
			`Limit 30000, Used 18928, Requested 11159. Please try again in 174ms.","type":"tokens","code":"rate_limit_exceeded"}}`)},
		"context": {Provider: "anthropic", Status: 400, Body: []byte(`{"type":"error","error":{"type":"invalid_request_error",` +
			`"message":"prompt is too long: 208310 tokens > 200000 maximum"}}`)},
		"unknown": {Provider: "other", Status: 500, Body: []byte(`{"message":"well"}`)},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				provider.Classify(failure)
			}
		})
	}
}

// BenchmarkMatchesContextExceeded matches messages of three sizes.
func BenchmarkMatchesContextExceeded(b *testing.B) {
	for _, size := range []int{1 << 7, 1 << 14, 1 << 20} {
		message := shapes(size)["almost"]
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				provider.MatchesContextExceeded(message)
			}
		})
	}
}
