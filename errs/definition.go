package errs

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strconv"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs/internal/guide"
	"github.com/remedyrpc/remedy/internal/authored"
)

// Definition is an error that is specified once and raised often. It is immutable and safe for concurrent use.
type Definition struct {
	domain   string
	declares string // the full name of the message that declares it
	code     string
	retry    RetryPolicy
	status   codes.Code // zero for the default of the rule
	effect   Effect     // what the error itself proves
	headline authored.Template
	plan     *Plan
	doc      string
	message  string // the portable message where nothing in it depends on the raising; empty otherwise
}

// DefineOption completes a [Definition].
type DefineOption func(*Definition)

// Headline sets the headline, at most 300 code points. Placeholders in braces, such as {slot}, are filled with [Value]
// when the error is raised. Without it the headline is the code.
func Headline(text guide.Text) DefineOption {
	return func(d *Definition) { d.headline = authored.ParseTemplate(string(text)) }
}

// Steps sets the steps of the repair plan, at most five, each with an instruction of at most 160 code points.
func Steps(steps ...Step) DefineOption {
	return func(d *Definition) { d.plan = d.plan.withSteps(steps) }
}

// Preserve names the input fields whose values must survive the repair, at most eight.
func Preserve(fields ...string) DefineOption {
	return func(d *Definition) { d.plan = d.plan.WithPreserve(fields...) }
}

// Update names the input fields to be replaced from repair output, at most eight.
func Update(fields ...string) DefineOption {
	return func(d *Definition) { d.plan = d.plan.WithUpdate(fields...) }
}

// Status sets the status code. The default is FAILED_PRECONDITION, and UNAVAILABLE for [AsIs].
func Status(code codes.Code) DefineOption { return func(d *Definition) { d.status = code } }

// Doc sets a link to the documentation of the error, sent as google.rpc.Help where it is an https URL of at most 128 bytes.
func Doc(link string) DefineOption { return func(d *Definition) { d.doc = link } }

// Define specifies an error. It refuses what could not be sent whole: a code that is malformed or the catalog's, a
// status that does not go with the rule, after_repair without a step, a retry step with another rule, more than five
// steps or eight names, texts over their bounds, text that cleaning would change, and headline and plan that do not fit
// into the default limit even in an error that says nothing else.
func Define(code string, retry RetryPolicy, options ...DefineOption) (*Definition, error) {
	d := &Definition{domain: DomainTool, code: code, retry: retry}
	for _, option := range options {
		if option != nil {
			option(d)
		}
	}
	if d.headline.Text() == "" {
		d.headline = defaultHeadline(code)
	}
	if problem := d.problem(); problem != "" {
		return nil, fmt.Errorf("defining error %q: %s", code, problem)
	}
	return d.rendered(), nil
}

// rendered renders the message once for all raisings.
func (d *Definition) rendered() *Definition {
	if len(d.headline.Fields()) == 0 {
		d.message = d.form().message()
	}
	return d
}

// defaultHeadline makes a headline of the code.
func defaultHeadline(code string) authored.Template {
	return authored.ParseTemplate(strings.ReplaceAll(code, "_", " ") + ".")
}

// MustDefine is [Define] for package variables: it panics at start instead of returning an error.
func MustDefine(code string, retry RetryPolicy, options ...DefineOption) *Definition {
	d, err := Define(code, retry, options...)
	if err != nil {
		panic(err) //nolint:forbidigo // at start, as regexp.MustCompile does
	}
	return d
}

func (d *Definition) problem() string {
	if !d.retry.valid() {
		return "retry must be Never, AsIs or AfterRepair"
	}
	if p := toolProblem(d.code, d.retry, d.grpcCode(), d.plan); p != "" {
		return p
	}
	if p := authored.TextProblem(d.headline.Text(), maxHeadlineRunes); p != "" {
		return "headline " + p
	}
	if strings.HasPrefix(d.doc, authored.Secure) && !authored.IsLink(d.doc) {
		return "doc is not an https URL of at most " + strconv.Itoa(authored.MaxLink) + " bytes"
	}
	if d.plan == nil {
		return ""
	}
	if d.plan.cut || len(d.plan.preserve) > maxNamesShown || len(d.plan.update) > maxNamesShown {
		return "repair has more than five steps, or more than eight names in preserve or update"
	}
	for i, step := range d.plan.steps {
		field := "repair.steps[" + strconv.Itoa(i) + "].instruction"
		if p := authored.TextProblem(step.instruction, maxInstructionRunes); p != "" {
			return field + " " + p
		}
		if len(authored.ParseTemplate(step.instruction).Fields()) > 0 {
			return field + " has a placeholder: values go into headlines only"
		}
	}
	if _, cost := d.form().pack(); cost > room(DefaultLimit) {
		return "headline and repair together do not fit into a trailer: shorten the instructions"
	}
	return ""
}

func (d *Definition) grpcCode() codes.Code {
	if d.status == codes.OK {
		return d.retry.defaultStatus()
	}
	return d.status
}

func (d *Definition) form() *form {
	f := &form{
		domain: d.domain, code: d.code, status: d.grpcCode(), retry: d.retry, plan: d.plan, headline: d.headline.Text(),
		tool: true, help: d.help(), messageSize: fullMessage, info: Info{Effect: d.effect},
	}
	if d.declares != "" {
		f.declared = &anypb.Any{TypeUrl: typePrefix + d.declares}
	}
	return f
}

// help is the link as a detail, nil when there is none.
func (d *Definition) help() *errdetails.Help {
	if !strings.HasPrefix(d.doc, authored.Secure) {
		return nil
	}
	return &errdetails.Help{Links: []*errdetails.Help_Link{{Description: d.code, Url: d.doc}}}
}

// covers reports whether what e says is what the definition was checked for.
func (d *Definition) covers(e *ToolError) bool {
	return e.Code == d.code && e.Retry == d.retry && e.Status == d.status && e.Repair == d.plan
}

// messageOf returns the message of an error raised from d, where it is known.
func (d *Definition) messageOf(e *ToolError) string {
	if e.RetryAfter > 0 || string(e.Message) != d.headline.Text() {
		return ""
	}
	return d.message
}

// Code returns the code, to match with [errors.Is].
func (d *Definition) Code() Code { return Code(d.code) }

// Sentinel returns domain and code, to match with [errors.Is].
func (d *Definition) Sentinel() Sentinel { return Sentinel{Domain: d.domain, Code: d.code} }

// RetryPolicy returns the rule.
func (d *Definition) RetryPolicy() RetryPolicy { return d.retry }

// Status returns the status code on the wire.
func (d *Definition) Status() codes.Code { return d.grpcCode() }

// Headline returns the headline with its placeholders.
func (d *Definition) Headline() string { return d.headline.Text() }

// Plan returns the repair plan, nil when there is none.
func (d *Definition) Plan() *Plan { return d.plan }

// Doc returns the link to the documentation, empty when there is none.
func (d *Definition) Doc() string { return d.doc }

// New raises the error. A nil Definition raises one that is answered as internal.
func (d *Definition) New(options ...Option) *ToolError {
	if d == nil {
		return &ToolError{}
	}
	o := raisedBy(options)
	return d.raise(o, o.shown)
}

// raise raises the error; shown returns what the headline shows for a placeholder.
func (d *Definition) raise(o *raised, shown func(name string) string) *ToolError {
	return &ToolError{
		Code: d.code, Retry: d.retry, Status: d.status, Repair: d.plan,
		Message: guide.Text(d.headline.Fill(shown)),
		Details: o.details, RetryAfter: o.after, Cause: o.cause, definition: d,
	}
}

// Option is what differs from one raising of an error to the next.
type Option func(*raised)

type raised struct {
	values, details map[string]any
	after           time.Duration
	cause           error
}

func raisedBy(options []Option) *raised {
	var o raised
	for _, option := range options {
		if option != nil {
			option(&o)
		}
	}
	return &o
}

// shown is what a headline shows for a placeholder.
func (o *raised) shown(name string) string {
	if v, ok := o.values[name]; ok {
		return shown(v)
	}
	return unknownValue
}

const unknownValue = "(unknown)"

// Value fills the placeholder {name} of the headline. Text is quoted, cleaned and cut to 64 code points; numbers are
// written without an exponent, times as RFC 3339 in UTC. A placeholder that gets no value shows (unknown).
func Value(name string, v any) Option {
	return func(o *raised) {
		if o.values == nil {
			o.values = make(map[string]any)
		}
		o.values[name] = v
	}
}

// Detail adds a field for application code. It never enters a message.
func Detail(name string, v any) Option {
	return func(o *raised) {
		if o.details == nil {
			o.details = make(map[string]any)
		}
		o.details[name] = v
	}
}

// Details adds fields for application code. They never enter a message.
func Details(fields map[string]any) Option {
	return func(o *raised) {
		if o.details == nil {
			o.details = make(map[string]any, len(fields))
		}
		maps.Copy(o.details, fields)
	}
}

// Cause keeps err as the cause, in process; typed causes travel too. Several are joined.
func Cause(err error) Option {
	return func(o *raised) {
		if o.cause != nil {
			err = errors.Join(o.cause, err)
		}
		o.cause = err
	}
}

// After says how long to wait before a retry. Zero and negative delays are not sent.
func After(d time.Duration) Option { return func(o *raised) { o.after = d } }

// shown writes a value into a headline.
func shown(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case int:
		return strconv.Itoa(v)
	case float64:
		return number(v)
	case float32:
		return strconv.FormatFloat(float64(v), 'f', -1, 32) //nolint:mnd // bits
	case time.Duration:
		return v.String()
	case time.Time:
		return v.UTC().Format(time.RFC3339)
	case string:
		return quoted(v)
	case fmt.Stringer, error, fmt.Formatter:
		return quoted(fmt.Sprint(v)) // survives a method that panics
	default:
		return shownKind(v)
	}
}

// shownKind writes a value of a type that only its kind says something about.
func shownKind(v any) string {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return strconv.FormatInt(r.Int(), 10)
	case r.CanUint():
		return strconv.FormatUint(r.Uint(), 10)
	case r.CanFloat():
		return number(r.Float())
	default:
		return quoted(fmt.Sprint(v))
	}
}
