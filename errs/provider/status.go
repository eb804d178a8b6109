package provider

import (
	"regexp"
	"strconv"
)

// statusWords find the HTTP status that a client put into its text. Only the head is read, where clients put it.
var statusWords = regexp.MustCompile(`(?:^|^error:? |error code:? |status(?: code)?[:=]? ?|` +
	`status_?code[:=] ?|\bhttp(?:/[\d.]+)? |api error:? ?\(?|api_error: |` +
	`failed:? (?:with )?(?:http |status |code )*|\| |^\w+error: |\[)([45]\d\d)\b` +
	`|[: ]([45]\d\d) (?:bad request|unauthorized|payment|forbidden|not found|request entity|too many|internal|` +
	`bad gateway|service|gateway|status code)`)

// maxStatusWords is how much of a text is searched for a status.
const maxStatusWords = 600

// statusOf is the status that counts: that of the answer where it failed, or else that of the body, or that of its text.
func (v *view) statusOf() int {
	if v.failure.Status >= 400 || v.failure.Status >= 300 && v.status == 0 {
		return v.failure.Status
	}
	if v.status != 0 {
		return v.status
	}
	found := statusWords.FindStringSubmatch(head(v.text, maxStatusWords))
	if found == nil {
		return 0
	}
	v.written = true
	status, _ := strconv.Atoi(found[1] + found[2]) // three digits, as the pattern says
	return status
}
