package errs

import (
	"slices"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// form is everything that one error says, before it is fitted into a status. It owns the messages it holds.
type form struct {
	domain, code string
	status       codes.Code
	retry        RetryPolicy
	headline     string
	plan         *Plan
	info         Info
	after        time.Duration // wait before a retry; zero when not known
	sameKeyOnly  bool          // as_is, but under the same operation key only
	identity     proto.Message // of the catalog
	tool         bool          // the identity is a ToolError: code, headline, rule and details
	details      []byte        // the bytes of the Struct of a ToolError
	scratch      []byte        // memory for them
	declared     *anypb.Any    // the message of a declared error

	badRequest   *errdetails.BadRequest
	quota        *errdetails.QuotaFailure
	precondition *errdetails.PreconditionFailure
	resource     *errdetails.ResourceInfo
	help         *errdetails.Help
	causes       []*remedyv1.Cause
	extras       []*anypb.Any // what a received status holds besides

	known        string // the message at its full size, where it is known beforehand
	messageSize  int    // bytes of the message on the wire
	headlineSize int    // bytes of the headline in it; zero for what the message leaves
	problem      string // why this cannot be sent

	packer packer
}

// wire is what an error says, fixed once.
type wire struct {
	st      *status.Status
	cost    int // bytes of the trailer list that carries st
	limit   int // what st was fitted to; zero for one that came as it is
	code    string
	domain  string
	plan    *Plan
	after   time.Duration
	ids     *ids   // nil where there are none
	problem string // why the error is answered as internal
	retry   RetryPolicy
	effect  Effect

	truncated bool
	foreign   bool // st came off the wire
	invalid   bool // st holds a detail that cannot be marshaled
}

// build says what e says in a status whose trailer list stays within limit, with its causes or without.
func build(e typed, limit int, withCauses bool) *wire {
	f := newForm()
	defer f.free()
	e.describe(f)
	if f.problem != "" {
		return &wire{problem: f.problem}
	}
	var also []Error
	if m := e.state().more; m != nil {
		f.declared, also = m.declared, m.also
		proven := f.info.Effect
		f.info = m.info.merged(f.info).bounded()
		if proven != EffectUnspecified {
			f.info.Effect = proven // by the error itself
		}
	}
	f.info.Domain = f.domain
	f.info.Truncated = f.info.Truncated || f.plan != nil && f.plan.cut
	f.after = max(f.after, 0)
	if withCauses {
		f.causes = causesOf(e, also)
	}
	return f.wire(limit)
}

// forms keeps forms that are done with: all that is written on the way to a status is copied into it, and most of the time
// that an error takes would go into allocating it.
var forms = sync.Pool{New: func() any { return new(form) }} //nolint:gochecknoglobals // it holds no state

func newForm() *form {
	f, ok := forms.Get().(*form)
	if !ok {
		f = new(form)
	}
	f.messageSize = fullMessage
	return f
}

// free gives the form back. Memory that one large error needed is not kept.
func (f *form) free() {
	scratch, buf := f.scratch, f.packer.buf
	*f = form{}
	if cap(scratch)+cap(buf) <= MaxLimit {
		f.scratch, f.packer.buf = scratch, buf
	}
	forms.Put(f)
}

// buildInternal is the answer to an error that cannot be sent.
func buildInternal(problem string) *wire {
	w := build(&ServiceError{Code: CodeInternal, core: core{more: &more{info: Info{ErrorID: newErrorID()}}}}, DefaultLimit, false)
	w.problem = problem
	return w
}

// wire fits the form and keeps what it says beside the status.
func (f *form) wire(limit int) *wire {
	st, cost := f.fit(limit)
	w := &wire{st: st, cost: cost, limit: room(limit), code: f.code, retry: f.retry.known(), plan: f.plan, after: f.after}
	w.setInfo(&f.info)
	return w
}

// fromCatalog takes code, status, rule, effect, plan and headline from the row of the identity message. The headline is
// message where the author gave one, else computed where it is not empty, else the row's.
func (f *form) fromCatalog(identity proto.Message, value string, message guide.Text, computed string) {
	f.identity = identity
	t := catalog()[identity.ProtoReflect().Descriptor().FullName()]
	r := t.rows[value]
	if r == nil {
		f.invalid(t.discriminator + " has no such value")
		return
	}
	f.domain, f.code, f.status, f.retry, f.plan = DomainRemedy, r.code, r.status, r.retry, r.plan
	f.info.Effect = r.effect
	switch {
	case message != "":
		f.headline = f.sentence(string(message))
	case computed != "":
		f.headline = f.sentence(computed)
	default:
		reflected := identity.ProtoReflect()
		f.headline = r.headline.Fill(func(name string) string { return fieldShown(reflected, name) })
	}
}

// invalid says why this cannot be sent; the first reason counts.
func (f *form) invalid(problem string) {
	if f.problem == "" {
		f.problem = problem
	}
}

// sentence cleans a headline and bounds it.
func (f *form) sentence(s string) string { return f.cleaned(s, maxHeadlineRunes) }

// override is the headline as the identity message carries it: empty unless the author gave one.
func (f *form) override(message guide.Text) string {
	if message == "" {
		return ""
	}
	return f.sentence(string(message))
}

func (f *form) cleaned(s string, runes int) string {
	s, cut := cutRunes(authored.Clean(s), runes)
	f.info.Truncated = f.info.Truncated || cut
	return s
}

func (f *form) bounded(s string, size int) string {
	s, cut := bound(s, size)
	f.info.Truncated = f.info.Truncated || cut
	return s
}

// name and text shorten what is only shown. An identifier is left out where it is too long.
func (f *form) name(s string) string { return f.bounded(s, maxNameBytes) }
func (f *form) text(s string) string { return f.bounded(s, maxStringBytes) }
func (f *form) id(s string) string   { return f.identifier(s, maxIDBytes) }
func (f *form) key(s string) string  { return f.identifier(s, maxKeyBytes) }

func (f *form) identifier(s string, size int) string {
	if isIdentifier(s, size) {
		return s
	}
	f.info.Truncated = true
	return ""
}

// list bounds a list and each of its strings.
func (f *form) list(items []string, most int) []string {
	if len(items) > most {
		f.info.Truncated = true
		items = items[:most]
	}
	items = slices.Clone(items)
	for i := range items {
		items[i] = f.text(items[i])
	}
	return items
}
