package provider

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// maxDelay is the longest wait that is read, close to what a Duration holds and with room to round it up.
const maxDelay = 290 * 365 * 24 * time.Hour

// delay is how long to wait for a limit, rounded up to milliseconds, and the date that says so, if one does. The sources are
// asked in the order that DECISIONS.md calls delay-order; a hint that is past, zero, negative or none at all is as if it was
// not there.
func (v *view) delay() (time.Duration, time.Time) {
	if d, at := v.asked(); d > 0 {
		return d, at
	}
	return v.bucketDelay()
}

// asked is how long the provider asks to wait, whatever failed. What is left in a bucket says nothing of a failure that is
// no limit.
func (v *view) asked() (time.Duration, time.Time) {
	for _, source := range []func() (time.Duration, time.Time){v.headerDelay, v.textDelay, v.memberDelay} {
		if d, at := source(); d > 0 {
			return d, at
		}
	}
	return 0, time.Time{}
}

func (v *view) headerDelay() (time.Duration, time.Time) {
	for _, name := range []string{"Retry-After-Ms", "X-Ms-Retry-After-Ms"} {
		if d := units(v.get(name), time.Millisecond); d > 0 {
			return d, time.Time{}
		}
	}
	value := v.get("Retry-After")
	if d := units(value, time.Second); d > 0 {
		return d, time.Time{}
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0, time.Time{}
	}
	return v.until(at)
}

// until is the time from now to a date, nothing if it is past.
func (v *view) until(at time.Time) (time.Duration, time.Time) {
	if d := at.Sub(v.now); d > 0 && d <= maxDelay {
		return ceilMillis(d), at.UTC()
	}
	return 0, time.Time{}
}

//nolint:gosmopolitan // providers in China word their errors in Chinese
var (
	// delayWords find a wait in a text. What a client says of its own retries, "Retrying in", is no hint.
	delayWords = regexp.MustCompile(`(?:try again|\bretry|\bwait|\bresets?|\bavailable|refresh(?:es|ed)?|\bback|恢复|重试|等待|再试)` +
		`(?: your request| the request| again| after| at least| approximately| about| for| another| within| in|:|[^a-z0-9.]{0,3})*? ?` +
		`((?:\d+(?:\.\d+)? ?(?:ms\b|millis\w*|secs?\b|seconds?|mins?\b|minutes?|hrs?\b|hours?|days?|weeks?|w\b|s|m|h|d|` +
		`毫秒|秒|分钟|分|小时|天)(?:[ ,]*(?:and )?))+)`)
	delayChinese = regexp.MustCompile(`((?:\d+(?:\.\d+)? ?(?:毫秒|秒|分钟|分|小时|天)钟? ?)+)(?:之|以)?后`)
	delayPart    = regexp.MustCompile(`(\d+(?:\.\d+)?) ?([a-z]+|毫秒|秒|分钟|分|小时|天)`)
	// delayHeader finds a header that a client printed.
	delayHeader = regexp.MustCompile(`\bretry-after(-ms)?(?:=|: ?| )(\d+(?:\.\d+)?)(?:$|s\b|[^\w. ]| (?:$|[^a-z0-9]|[\w-]+[:=]))`)
	// dateWords find a date with its zone near a word of resets. A date without a zone tells nothing.
	dateWords = regexp.MustCompile(`(?:reset|available|try again|retry|until|refresh|重置|恢复)[^0-9]{0,40}` +
		`(\d{4}-\d\d-\d\d[t ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?) ?(z\b|utc|gmt|[+-]\d\d:?\d\d)`)
	// regainWords find when an account may be used again.
	regainWords  = regexp.MustCompile(`regain access on (\d{4}-\d\d-\d\d) at (\d\d:\d\d) (utc|gmt)\b`)
	dateAfterBar = regexp.MustCompile(`limit reached\|(\d{10})\b`)
)

func (v *view) textDelay() (time.Duration, time.Time) {
	if found := delayHeader.FindStringSubmatch(v.text); found != nil {
		unit := time.Second
		if found[1] != "" {
			unit = time.Millisecond
		}
		if d := units(found[2], unit); d > 0 {
			return d, time.Time{}
		}
	}
	for _, words := range []*regexp.Regexp{delayWords, delayChinese} {
		if found := words.FindStringSubmatch(v.text); found != nil {
			if d := spoken(found[1]); d > 0 {
				return d, time.Time{}
			}
		}
	}
	if found := dateWords.FindStringSubmatch(v.text); found != nil {
		if at, ok := writtenDate(found[1], found[2]); ok {
			return v.until(at)
		}
	}
	if found := dateAfterBar.FindStringSubmatch(v.text); found != nil {
		return v.date(found[1])
	}
	return 0, time.Time{}
}

// regained is when a spent account is told to be of use again: an end of the quota, and no wait that anybody asked for.
func (v *view) regained() time.Time {
	found := regainWords.FindStringSubmatch(v.text)
	if found == nil {
		return time.Time{}
	}
	at, _ := writtenDate(found[1]+" "+found[2], found[3])
	if d, end := v.until(at); d > 0 {
		return end
	}
	return time.Time{}
}

// writtenDate reads a date of a text, which is folded.
func writtenDate(date, zone string) (time.Time, bool) {
	date = strings.Replace(date, "t", " ", 1)
	switch zone {
	case "z", "utc", "gmt":
		zone = "+00:00"
	default:
		if len(zone) == 5 {
			zone = zone[:3] + ":" + zone[3:]
		}
	}
	for _, layout := range []string{"2006-01-02 15:04:05Z07:00", "2006-01-02 15:04Z07:00"} {
		if at, err := time.Parse(layout, date+zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// spoken adds up the parts of a duration as people and Go write them, such as 1m26.4s or 5 days 22 hours.
func spoken(text string) time.Duration {
	var total float64
	for _, part := range delayPart.FindAllStringSubmatch(text, 16) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0
		}
		total += n * float64(unitOf(part[2]))
	}
	return fromFloat(total)
}

//nolint:gosmopolitan // providers in China word their errors in Chinese
func unitOf(word string) time.Duration {
	switch {
	case word == "ms", strings.HasPrefix(word, "milli"), word == "毫秒":
		return time.Millisecond
	case strings.HasPrefix(word, "mo"): // no month is meant by a wait
		return 0
	case strings.HasPrefix(word, "m"), word == "分钟", word == "分":
		return time.Minute
	case strings.HasPrefix(word, "s"), word == "秒":
		return time.Second
	case strings.HasPrefix(word, "h"), word == "小时":
		return time.Hour
	case strings.HasPrefix(word, "d"), word == "天":
		return 24 * time.Hour
	case strings.HasPrefix(word, "w"):
		return 7 * 24 * time.Hour
	default:
		return 0
	}
}

// units reads a number of units; zero where it is none, or none that a Duration holds.
func units(value string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return 0
	}
	return fromFloat(n * float64(unit))
}

func fromFloat(n float64) time.Duration {
	if n <= 0 || n > float64(maxDelay) {
		return 0
	}
	return ceilMillis(time.Duration(math.Round(n)))
}

func ceilMillis(d time.Duration) time.Duration {
	if rest := d % time.Millisecond; rest > 0 {
		return d - rest + time.Millisecond
	}
	return d
}

// memberDelay reads the members of the body that name a wait.
func (v *view) memberDelay() (time.Duration, time.Time) {
	for _, m := range v.delays {
		var (
			d  time.Duration
			at time.Time
		)
		switch m.name {
		case "retryafterms":
			d = units(m.value, time.Millisecond)
		case "resetsat", "quotaresettimestamp", "resetat", "resettime":
			d, at = v.date(m.value)
		default:
			if d = units(m.value, time.Second); d == 0 {
				d = spoken(m.value)
			}
		}
		if d > 0 {
			return d, at
		}
	}
	return 0, time.Time{}
}

// date reads a date: RFC 3339, HTTP, or seconds or milliseconds since 1970.
func (v *view) date(value string) (time.Duration, time.Time) {
	if n, err := strconv.ParseFloat(value, 64); err == nil {
		const millis = 1e11 // as seconds, that is the year 5138
		switch {
		case math.IsNaN(n) || n <= 0 || n > 1e14:
			return 0, time.Time{}
		case n > millis:
			return v.until(time.UnixMilli(int64(n)).UTC())
		default:
			return v.until(time.Unix(int64(n), 0).UTC())
		}
	}
	if at, err := time.Parse(time.RFC3339, value); err == nil {
		return v.until(at)
	}
	if at, err := http.ParseTime(value); err == nil {
		return v.until(at)
	}
	return 0, time.Time{}
}
