package errs

import (
	"errors"
	"slices"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/anypb"

	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
)

// Bounds of the Causes detail.
const (
	maxCauses     = 8
	maxCauseDepth = 3
	maxWalk       = 1000 // errors looked at in one tree, whatever its shape
)

// causesOf collects the typed causes of e, and the other errors of the join whose head it is.
func causesOf(e typed, also []error) []*remedyv1.Cause {
	c := collector{left: maxCauses, walk: maxWalk}
	found := c.collect(causes(e), maxCauseDepth)
	for _, other := range also {
		found = append(found, c.collect(other, maxCauseDepth)...)
	}
	return found
}

type collector struct {
	left int // causes that may still be taken
	walk int // errors that may still be looked at
}

// collect returns the outermost typed errors below err, each with its own causes.
func (c *collector) collect(err error, depth int) []*remedyv1.Cause {
	var found []*remedyv1.Cause
	if err == nil || depth == 0 {
		return nil
	}
	for _, e := range outermost(err, &c.walk) {
		if c.left == 0 {
			break
		}
		c.left--
		found = append(found, c.node(e, depth))
	}
	return found
}

func (c *collector) node(e Error, depth int) *remedyv1.Cause {
	p := alone(e).Proto()
	node := &remedyv1.Cause{GrpcCode: p.GetCode(), Message: p.GetMessage()}
	node.Details = slices.DeleteFunc(p.GetDetails(), func(d *anypb.Any) bool { return d.GetTypeUrl() == causesURL })
	if t, ok := baseOf(e); ok {
		node.Causes = c.collect(causes(t), depth-1)
	}
	return node
}

// alone returns the status of e, with or without its causes. It does not build the causes of an error that nobody has
// asked for yet, so that errors that cause each other come to an end.
func alone(e Error) *status.Status {
	t, ok := baseOf(e)
	if !ok || t.state() == nil || t.state().said.Load() != nil {
		return e.GRPCStatus()
	}
	w := build(t, DefaultLimit, false)
	if w.problem != "" {
		w = buildInternal(w.problem)
	}
	return w.st
}

// decodeCauses rebuilds what was collected, several causes as a join.
func decodeCauses(nodes []*remedyv1.Cause, depth int) error {
	found := make([]error, 0, len(nodes))
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
