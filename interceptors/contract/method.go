package contract

import (
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/internal/promise"
	"github.com/remedyrpc/remedy/internal/authored"
)

// method is a method with a contract, worked out once. A nil method has none.
type method struct {
	name    string // /package.Service/Method
	effect  bool
	tool    string // what its calls are named in errors
	keyed   protoreflect.Name
	permits permits
}

// methodOf reads a contract; nil where there is none.
func methodOf(described protoreflect.MethodDescriptor) *method {
	contract := promise.Contract(described)
	if contract == nil {
		return nil
	}
	name := fullName(described)
	m := &method{
		name: name, effect: contract.GetEffect(), tool: contract.GetTool(),
		keyed: protoreflect.Name(contract.GetOperationKeyField()), permits: permitsOf(contract.GetErrors()),
	}
	if m.tool == "" {
		m.tool = authored.LowerSnake(string(described.Name())) // as plans name it
	}
	return m
}

func fullName(m protoreflect.MethodDescriptor) string {
	return fmt.Sprintf("/%s/%s", m.Parent().FullName(), m.Name())
}

// hasEffect reports whether calls may change something.
func (m *method) hasEffect() bool { return m != nil && m.effect }

// isBrokenBy reports whether err, which a client received, is one that the contract does not list.
func (m *method) isBrokenBy(err error) bool {
	if m == nil {
		return false
	}
	code, domain := errs.CodeOf(err), errs.InfoOf(err).Domain
	return code != "" && domain != errs.DomainRemedy && !m.permits.include(domain, code)
}

// keyOf returns the operation key in a request, empty when there is none.
func (m *method) keyOf(request any) string {
	message, ok := request.(proto.Message)
	if !ok || m == nil || m.keyed == "" {
		return ""
	}
	reflected := message.ProtoReflect()
	field := reflected.Descriptor().Fields().ByName(m.keyed)
	if field == nil || field.Kind() != protoreflect.StringKind || field.Cardinality() == protoreflect.Repeated {
		return ""
	}
	return reflected.Get(field).String()
}

// book has every method that is linked in; it reads each when it is first asked for it.
type book struct {
	writing sync.Mutex
	read    atomic.Pointer[map[string]*method]
}

// method returns a method by its full name; nil where it has no contract.
func (b *book) method(name string) *method {
	if read := b.read.Load(); read != nil {
		if m, ok := (*read)[name]; ok {
			return m
		}
	}
	described := promise.Method(name)
	if described == nil {
		return nil // not remembered: there is no end of names
	}
	m := methodOf(described)
	b.writing.Lock()
	defer b.writing.Unlock()
	more := map[string]*method{name: m}
	if read := b.read.Load(); read != nil {
		maps.Copy(more, *read)
	}
	b.read.Store(&more)
	return m
}
