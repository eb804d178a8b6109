package provider

import (
	"strings"
	"time"

	"github.com/remedyrpc/remedy/errs"
)

// bucket is a pair of headers that say how much is left of a limit, and when it is full again.
type bucket struct {
	remaining, reset string
	// window is known where the provider's buckets have one length each.
	window string
}

// buckets are those of providers that put them into headers: Anthropic, OpenAI and who speaks like it, GitHub, and the
// draft of the IETF.
func buckets() []bucket {
	const anthropic, openai = "Anthropic-Ratelimit-", "X-Ratelimit-"
	return []bucket{
		{anthropic + "Input-Tokens-Remaining", anthropic + "Input-Tokens-Reset", windowInputMinute},
		{anthropic + "Output-Tokens-Remaining", anthropic + "Output-Tokens-Reset", windowOutputMinute},
		{anthropic + "Tokens-Remaining", anthropic + "Tokens-Reset", windowTokensMinute},
		{anthropic + "Requests-Remaining", anthropic + "Requests-Reset", windowRequestsMinute},
		{openai + "Remaining-Requests", openai + "Reset-Requests", ""},
		{openai + "Remaining-Tokens", openai + "Reset-Tokens", ""},
		{openai + "Remaining", openai + "Reset", ""},
		{"Ratelimit-Remaining", "Ratelimit-Reset", ""},
	}
}

// exhausted returns the buckets of which nothing is left.
func (v *view) exhausted() []bucket {
	var empty []bucket
	for _, b := range buckets() {
		if v.get(b.remaining) == "0" {
			empty = append(empty, b)
		}
	}
	return empty
}

// bucketDelay is the time until the last of the exhausted buckets is full again.
func (v *view) bucketDelay() (wait time.Duration, end time.Time) {
	longer := func(d time.Duration, at time.Time) {
		if d > wait {
			wait, end = d, at
		}
	}
	for _, b := range v.exhausted() {
		longer(v.reset(v.get(b.reset)))
	}
	for _, d := range v.listedResets() {
		longer(d, time.Time{})
	}
	if wait == 0 {
		_, name := v.planWindow()
		switch {
		case strings.HasPrefix(name, "X-Codex-"):
			longer(units(v.get(name+"Reset-After-Seconds"), time.Second), time.Time{})
		case name != "":
			longer(v.date(v.get(name + "Reset")))
			longer(v.date(v.get("Anthropic-Ratelimit-Unified-Reset")))
		}
	}
	return wait, end
}

// listedResets are the times until the buckets of the header RateLimit are full again of which nothing remains, as later drafts
// of the IETF have it: "default";r=0;t=50.
func (v *view) listedResets() []time.Duration {
	var resets []time.Duration
	for item := range strings.SplitSeq(v.get("Ratelimit"), ",") {
		empty, wait := false, time.Duration(0)
		for parameter := range strings.SplitSeq(item, ";") {
			switch name, value, _ := strings.Cut(strings.TrimSpace(parameter), "="); name {
			case "r":
				empty = value == "0"
			case "t":
				wait = units(value, time.Second)
			}
		}
		if empty {
			resets = append(resets, wait)
		}
	}
	return resets
}

// reset reads the reset of a bucket: a date, a duration, or seconds.
func (v *view) reset(value string) (time.Duration, time.Time) {
	const longest = 366 * 24 * time.Hour // a larger number is a date
	if d := units(value, time.Second); d > 0 && d < longest {
		return d, time.Time{}
	}
	if d, at := v.date(value); d > 0 {
		return d, at
	}
	if strings.ContainsAny(value, "-:") {
		return 0, time.Time{} // a date that is past
	}
	return spoken(strings.ToLower(value)), time.Time{}
}

// planWindow is the window of a plan that the headers of Anthropic and Codex name as spent, and what those headers begin
// with; both are empty where they name none.
func (v *view) planWindow() (window, prefix string) {
	const unified, codex = "Anthropic-Ratelimit-Unified-", "X-Codex-"
	rejected := v.get(unified+"Status") == "rejected"
	switch claim := v.get(unified + "Representative-Claim"); {
	case v.get(unified+"7d-Status") == "rejected", rejected && strings.HasPrefix(claim, "seven_day"):
		return windowWeek, unified + "7d-"
	case v.get(unified+"5h-Status") == "rejected", rejected && claim == "five_hour":
		return windowFiveHours, unified + "5h-"
	}
	for _, name := range []string{codex + "Secondary-", codex + "Primary-"} {
		if v.get(name+"Used-Percent") != "100" {
			continue
		}
		switch v.get(name + "Window-Minutes") {
		case "300":
			return windowFiveHours, name
		case "10080":
			return windowWeek, name
		}
	}
	return "", ""
}

// headerLimit is the limit that headers alone prove: the window of a plan.
func (v *view) headerLimit() (verdict, bool) {
	window, _ := v.planWindow()
	if window == "" || v.status != 0 && v.status != 429 && v.status != 403 {
		return verdict{}, false
	}
	return verdict{limit: errs.LimitQuota, retry: retryNo, window: window}, true
}
