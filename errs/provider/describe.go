package provider

import (
	"strings"
	"time"
	"unicode"

	"github.com/remedyrpc/remedy/errs"
)

// maxName is how many bytes of a name that others chose stand in a sentence.
const maxName = 64

// DescribeLimit words a limit for a person, for example "anthropic: rate limit (tokens per minute); try again in 12 s".
// It is one line of at most 250 bytes, whatever the provider and the window are called. An empty provider is left out; a
// nil limit, or one of no kind, is worded as a limit. The wait is counted from now to ResetsAt where RetryAfter is zero;
// a reset that has passed is left out. The zero time means time.Now.
func DescribeLimit(provider string, l *errs.ProviderLimit, now time.Time) string {
	var b strings.Builder
	if name := plain(provider); name != "" {
		b.WriteString(name + ": ")
	}
	if l == nil {
		b.WriteString("limit reached")
		return b.String()
	}
	b.WriteString(limitWords(l.Kind))
	if window := windowWords(l.Window); window != "" {
		b.WriteString(" (" + window + ")")
	}
	wait := l.RetryAfter
	if wait <= 0 && !l.ResetsAt.IsZero() {
		if now.IsZero() {
			now = time.Now()
		}
		wait = l.ResetsAt.Sub(now)
	}
	switch {
	case wait <= 0:
	case l.Kind == errs.LimitQuota:
		b.WriteString("; resets in " + waitWords(wait))
	default:
		b.WriteString("; try again in " + waitWords(wait))
	}
	return b.String()
}

func limitWords(kind errs.LimitKind) string {
	switch kind {
	case errs.LimitRate:
		return "rate limit"
	case errs.LimitQuota:
		return "quota used up"
	case errs.LimitOverload:
		return "overloaded"
	default:
		return "limit reached"
	}
}

func windowWords(window string) string {
	switch window {
	case windowFiveHours:
		return "5-hour plan limit"
	case windowWeek:
		return "weekly plan limit"
	default:
		return strings.ReplaceAll(plain(window), "_", " ")
	}
}

// waitWords rounds up, so that who waits for as long does not come too early.
func waitWords(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return number(d, time.Millisecond) + " ms"
	case d < 2*time.Minute:
		return number(d, time.Second) + " s"
	case d < 2*time.Hour:
		return number(d, time.Minute) + " min"
	case d < 2*day:
		return number(d, time.Hour) + " h"
	default:
		return number(d, day) + " days"
	}
}

// plain keeps what may stand in a line: others chose the name.
func plain(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return -1
		default:
			return r
		}
	}, head(name, maxName))
	return strings.TrimSpace(name)
}
