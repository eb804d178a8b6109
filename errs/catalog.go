package errs

import (
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	"github.com/remedyrpc/remedy/internal/authored"
)

// row is what the catalog says of one code: the options of a message in errors.proto, read once.
type row struct {
	code     string
	status   codes.Code
	retry    RetryPolicy
	effect   Effect
	headline authored.Template
	plan     *Plan
}

// table holds the rows of one message by the value of its discriminator; a message with one code has the value "".
type table struct {
	rows          map[string]*row
	discriminator string
}

// catalog is keyed by the full name of the message. It is the proto's own text, so the two cannot drift apart.
var catalog = sync.OnceValue(func() map[protoreflect.FullName]table {
	tables := make(map[protoreflect.FullName]table)
	messages := remedyv1.File_remedy_v1_errors_proto.Messages()
	for i := range messages.Len() {
		m := messages.Get(i)
		if options, ok := optionsOf(m); ok {
			tables[m.FullName()] = tableOf(options)
		}
	}
	return tables
})

// isReserved reports whether a code belongs to the catalog.
func isReserved(code string) bool {
	_, ok := effects()[code]
	return ok
}

// provenEffect is what an error of the catalog proves by itself.
func provenEffect(code string) Effect { return effects()[code] }

// effects holds what the codes of the catalog prove; every row of one code proves the same.
var effects = sync.OnceValue(func() map[string]Effect {
	all := make(map[string]Effect)
	for _, t := range catalog() {
		for _, r := range t.rows {
			all[r.code] = r.effect
		}
	}
	return all
})

// optionsOf returns the (remedy.v1.error) option of a message, if it has one.
func optionsOf(m protoreflect.MessageDescriptor) (*remedyv1.ErrorOptions, bool) {
	options := m.Options()
	if !proto.HasExtension(options, remedyv1.E_Error) {
		return nil, false
	}
	declared, ok := proto.GetExtension(options, remedyv1.E_Error).(*remedyv1.ErrorOptions)
	return declared, ok
}

func tableOf(options *remedyv1.ErrorOptions) table {
	t := table{rows: make(map[string]*row), discriminator: options.GetDiscriminator()}
	if t.discriminator == "" {
		t.rows[""] = rowOf(options)
	}
	for _, c := range options.GetCases() {
		t.rows[c.GetValue()] = rowOf(c.GetError())
	}
	return t
}

func rowOf(options *remedyv1.ErrorOptions) *row {
	r := &row{
		code:     options.GetCode(),
		status:   codes.Code(options.GetStatus()), //nolint:gosec // an enum with the same numbers
		retry:    RetryPolicy(options.GetRetry()),
		effect:   Effect(options.GetEffect()),
		headline: authored.ParseTemplate(options.GetMessage()),
	}
	if options.GetRepair() != nil {
		r.plan = planOf(options.GetRepair())
	}
	if r.status == codes.OK {
		r.status = r.retry.defaultStatus()
	}
	return r
}
