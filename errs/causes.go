package errs

import (
	"errors"
	"slices"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Bounds of the Causes detail.
const (
	maxCauses     = 8
	maxCauseDepth = 3
)

// causesOf collects the typed causes of e, and the other errors of the join whose head it is.
func causesOf(e typed, also []Error) []*remedyv1.Cause {
	cause := causes(e)
	if cause == nil && len(also) == 0 {
		return nil
	}
	c := newCollector(e)
	return append(c.below(cause, maxCauseDepth), c.nodes(also, maxCauseDepth)...)
}

// othersOf turns the other errors of the join whose head e is into causes.
func othersOf(e typed, also []Error) []*remedyv1.Cause {
	return newCollector(e).nodes(also, maxCauseDepth)
}

type collector struct {
	left   int            // causes that may still be taken
	walker *walker        // errors that may still be looked at
	seen   map[*core]bool // errors that are there already: one may cause itself, or be in a join twice
}

func newCollector(head typed) *collector {
	c := &collector{left: maxCauses, walker: newWalker(), seen: make(map[*core]bool)}
	c.isNew(head.state())
	return c
}

// isNew reports whether neither the error nor a copy of it was seen before.
func (c *collector) isNew(s *core) bool {
	if original := s.besides().copyOf; original != nil {
		s = original
	}
	if c.seen[s] {
		return false
	}
	c.seen[s] = true
	return true
}

// below returns the outermost typed errors below err, each with its own causes.
func (c *collector) below(err error, depth int) []*remedyv1.Cause {
	if err == nil || depth == 0 || c.left == 0 {
		return nil
	}
	return c.nodes(c.walker.outermost(err), depth)
}

func (c *collector) nodes(list []Error, depth int) []*remedyv1.Cause {
	var found []*remedyv1.Cause
	for _, e := range list {
		if c.left == 0 {
			break
		}
		s := baseOf(e).state()
		if s == nil || s.relay == Translate || !c.isNew(s) {
			continue // with Translate, what went wrong behind this server is not the caller's affair
		}
		c.left--
		found = append(found, c.node(e, depth))
	}
	return found
}

func (c *collector) node(e Error, depth int) *remedyv1.Cause {
	p := alone(e).Proto()
	node := &remedyv1.Cause{GrpcCode: p.GetCode(), Message: p.GetMessage()}
	node.Details = slices.DeleteFunc(p.GetDetails(), func(d *anypb.Any) bool { return messageName(d) == causesName })
	node.Causes = c.below(causes(baseOf(e)), depth-1)
	return node
}

// alone returns the status of e, with or without its causes. It does not build the causes of an error that nobody has
// asked for yet, so that errors that cause each other come to an end.
func alone(e Error) *status.Status {
	t := baseOf(e)
	if t.state().said.Load() != nil {
		return saidBy(e).st
	}
	w := build(t, DefaultLimit, false)
	if w.problem != "" {
		w = buildInternal(w.problem)
	}
	return w.st
}

// readCauses reads a Causes detail.
func readCauses(b []byte, depth int) error {
	var m remedyv1.Causes
	if proto.Unmarshal(b, &m) == nil {
		return decodeCauses(boundCauses(m.GetCauses()), depth)
	}
	return nil
}

// decodeCauses rebuilds what was collected, several causes as a join.
func decodeCauses(nodes []*remedyv1.Cause, depth int) error {
	found := make([]error, 0, min(len(nodes), maxCauses))
	for _, node := range nodes[:min(len(nodes), maxCauses)] {
		details := node.GetDetails()
		if len(node.GetCauses()) > 0 {
			details = append(slices.Clone(details), anyOf(&remedyv1.Causes{Causes: node.GetCauses()}))
		}
		st := status.FromProto(&spb.Status{Code: node.GetGrpcCode(), Message: node.GetMessage(), Details: details})
		if st.Code() == codes.OK {
			continue
		}
		if e := decode(st, depth-1); e != nil {
			found = append(found, e)
		}
	}
	if len(found) == 1 {
		return found[0]
	}
	return errors.Join(found...)
}
