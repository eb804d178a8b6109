package provider

import (
	"regexp"
	"strings"
)

// The text of Go's genai.APIError, which prints the details as Go maps, and that of Python's google.api_core, which prints
// them as text of protocol buffers.
// Source: https://github.com/charmbracelet/crush/issues/879 and https://github.com/langchain-ai/langchain-google/issues/945.
var (
	printedStatus = regexp.MustCompile(`Error \d{3}, Message: [\s\S]*, Status: ([A-Z_]{4,40}), Details: \[`)
	printedQuota  = regexp.MustCompile(`\bquotaId:([\w-]+) quotaMetric:([\w./-]+)(?: quotaValue:(\d+))?`)
	protoQuota    = regexp.MustCompile(`\bquota_metric: "([\w./-]+)"\s+quota_id: "([\w-]+)"(?:\s+quota_value: (\d+))?`)
	protoDelay    = regexp.MustCompile(`\bretry_delay \{\s*seconds: (\d+)`)
	printedDelay  = regexp.MustCompile(`\bretryDelay:([\d.]+s)\b`)
)

// printed reads a google.rpc.Status out of the text of a client in Go or Python.
func (v *view) printed(text string) {
	if strings.Contains(text, "quota_metric: ") {
		text := ends(text, maxText)
		for _, q := range protoQuota.FindAllStringSubmatch(text, 8) {
			v.quotas = append(v.quotas, googleQuota{id: q[2], metric: q[1], value: q[3]})
		}
		if delay := protoDelay.FindStringSubmatch(text); delay != nil {
			v.delays = append(v.delays, member{name: "retryinfo", value: delay[1] + "s"})
		}
	}
	if !strings.Contains(text, ", Status: ") {
		return
	}
	text = ends(text, maxText)
	found := printedStatus.FindStringSubmatch(text)
	if found == nil {
		return
	}
	v.layers = append(v.layers, layer{status: found[1]})
	for _, q := range printedQuota.FindAllStringSubmatch(text, 8) {
		v.quotas = append(v.quotas, googleQuota{id: q[1], metric: q[2], value: q[3]})
	}
	if delay := printedDelay.FindStringSubmatch(text); delay != nil {
		v.delays = append(v.delays, member{name: "retryinfo", value: delay[1]})
	}
}

// google reads a detail of google.rpc.Status: ErrorInfo, QuotaFailure or RetryInfo.
func (v *view) google(own int, n *node) {
	switch kind := n.member("@type"); {
	case strings.HasSuffix(kind, "ErrorInfo"):
		v.errorInfo(own, n)
	case strings.HasSuffix(kind, "QuotaFailure"):
		for i := range n.fields {
			if n.fields[i].name != "violations" {
				continue
			}
			for j := range n.fields[i].value.items {
				violation := &n.fields[i].value.items[j]
				v.quotas = append(v.quotas, googleQuota{
					id: violation.member("quotaId"), metric: violation.member("quotaMetric"), value: violation.member("quotaValue"),
				})
				v.add(violation.member("description"))
			}
		}
	case strings.HasSuffix(kind, "RetryInfo"):
		v.delays = append(v.delays, member{name: "retryinfo", value: n.member("retryDelay")})
	default:
	}
}

func (v *view) errorInfo(own int, n *node) {
	v.layers[own].reason = n.member("reason")
	for i := range n.fields {
		if n.fields[i].name != "metadata" {
			continue
		}
		metadata := &n.fields[i].value
		if limit := metadata.member("quota_limit"); limit != "" {
			v.quotas = append(v.quotas, googleQuota{
				id: limit, metric: metadata.member("quota_metric"), value: metadata.member("quota_limit_value"),
			})
		}
		for _, name := range []string{"quotaResetDelay", "quotaResetTimeStamp"} {
			if value := metadata.member(name); value != "" {
				v.delays = append(v.delays, member{name: nameOf(name), value: value})
			}
		}
	}
}
