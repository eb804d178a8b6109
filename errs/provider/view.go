package provider

import (
	"net/http"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/errs/provider/internal/chain"
)

// view is what a failure says, whatever it was wrapped in.
type view struct {
	failure *Failure
	now     time.Time
	// status is the HTTP status that counts; 0 where none is known.
	status int
	// written says that the status was found in a text.
	written bool
	// text is what was said to a reader, folded.
	text string
	// html says that the body was a page.
	html bool
	// layers are the error objects, outermost first.
	layers []layer
	// header are the headers inside the body.
	header http.Header
	// delays are members of the body that name a wait or a reset.
	delays []member
	// quotas are the quotas and metrics of Google, limits of zero among them.
	quotas []googleQuota
	// texts are the parts of text before they are folded.
	texts []string
	size  int
	// unread are objects that are no envelopes. They are read as text where there is no other.
	unread []string
}

// member is a named value of a body.
type member struct{ name, value string }

// layer is one error object and the names it gives the failure.
type layer struct{ code, kind, reason, status, exception string }

// googleQuota is one violation of a google.rpc.QuotaFailure, or the metadata of an ErrorInfo.
type googleQuota struct{ id, metric, value string }

// look makes a failure's view.
func look(f *Failure) *view {
	v := &view{failure: f, now: f.Now, header: http.Header{}}
	if v.now.IsZero() {
		v.now = time.Now()
	}
	v.body(f.Body)
	if f.Err != nil && len(v.layers) == 0 && strings.TrimSpace(strings.Join(v.texts, "")) == "" {
		v.say(chain.Text(f.Err), 0)
	}
	if len(v.texts) == 0 && len(v.layers) == 0 {
		v.texts = v.unread[:min(len(v.unread), 4)]
	}
	v.text = fold(strings.Join(v.texts, "\n"))
	v.status = v.statusOf()
	if v.echoes() {
		v.texts = withoutEchoes(v.texts)
		v.text = fold(strings.Join(v.texts, "\n"))
	}
	return v
}

// add keeps a text, as long as there is room.
func (v *view) add(text string) {
	if text = strings.TrimSpace(text); text == "" || v.size >= maxText {
		return
	}
	text = ends(text, maxText/4)
	v.size += len(text)
	v.texts = append(v.texts, text)
}

// get returns the first value of a header, of the answer first, then of the body.
func (v *view) get(name string) string {
	for _, h := range []http.Header{v.failure.Header, v.header} {
		if value := strings.TrimSpace(h.Get(name)); value != "" {
			return value
		}
		for key, values := range h { // not every caller makes them canonical
			if strings.EqualFold(key, name) && len(values) > 0 {
				return strings.TrimSpace(values[0])
			}
		}
	}
	return ""
}
