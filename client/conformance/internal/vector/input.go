package vector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/errs/trusted"
	remedyv1 "github.com/remedyrpc/remedy/gen/remedy/v1"
	_ "github.com/remedyrpc/remedy/internal/shop/shopv1" // the errors that it declares are decoded as what they are
)

// Classes of an Input that are no error of ours.
const (
	ClassStatus  = "Status"
	ClassContext = "Context"
	ClassPlain   = "Plain"
	ClassJoin    = "Join"
)

// Error builds the error that a handler returns.
func (in *Input) Error() (result, err error) {
	switch in.Class {
	case ClassStatus:
		return in.status()
	case ClassContext:
		switch in.Message {
		case string(errs.CodeCanceled):
			return context.Canceled, nil
		case string(errs.CodeDeadlineExceeded):
			return context.DeadlineExceeded, nil
		default:
			return nil, fmt.Errorf("context error %q is neither canceled nor deadline_exceeded", in.Message)
		}
	case ClassPlain:
		return errors.New(in.Message), nil
	case ClassJoin:
		return join(in.Errors)
	default:
		return in.typed()
	}
}

func join(inputs []Input) (result, err error) {
	all := make([]error, 0, len(inputs))
	for i := range inputs {
		e, err := inputs[i].Error()
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return errors.Join(all...), nil
}

func (in *Input) status() (result, err error) {
	if in.GRPCCode <= 0 || in.GRPCCode > math.MaxInt32 {
		return nil, fmt.Errorf("status with code %d", in.GRPCCode)
	}
	p := &spb.Status{Code: int32(in.GRPCCode), Message: in.Message}
	for _, text := range in.Details {
		var detail anypb.Any
		if err := parse(text, &detail); err != nil {
			return nil, err
		}
		p.Details = append(p.Details, &detail)
	}
	return status.FromProto(p).Err(), nil
}

// typed builds an error of ours.
func (in *Input) typed() (result, err error) {
	x := extra{status: codes.Code(in.GRPCCode), keyed: in.Keyed} //nolint:gosec // checked by the encoder
	if x.after, err = duration(in.RetryAfter); err != nil {
		return nil, err
	}
	var plan remedyv1.RepairPlan
	if err := parse(in.Plan, &plan); err != nil {
		return nil, err
	}
	x.plan = planOf(&plan)
	if x.cause, err = join(in.Causes); err != nil {
		return nil, err
	}
	m, err := identity(in.Class)
	if err != nil {
		return nil, err
	}
	if err := parse(in.Fields, m); err != nil {
		return nil, err
	}
	var e error
	switch tool, ok := m.(*remedyv1.ToolError); {
	case !ok && (len(in.Declared) > 0 || in.Doc != ""):
		return nil, fmt.Errorf("%s is not raised by a definition", in.Class)
	case len(in.Declared) > 0:
		e, err = declared(in.Declared, tool, x)
	case in.Doc != "":
		e, err = defined(tool, x, in.Doc)
	default:
		e, err = fromMessage(m, x)
	}
	if err != nil || in.Info == nil {
		return e, err
	}
	return errs.WithInfo(e, in.Info.errs()), nil
}

// declared raises a declared error by what its proto says; fields hold details only.
func declared(text json.RawMessage, fields *remedyv1.ToolError, x extra) (*errs.ToolError, error) {
	var packed anypb.Any
	if err := parse(text, &packed); err != nil {
		return nil, err
	}
	m, err := packed.UnmarshalNew()
	if err != nil {
		return nil, fmt.Errorf("declared error: %w", err)
	}
	d, err := errs.Declare(m.ProtoReflect().Descriptor())
	if err != nil {
		return nil, fmt.Errorf("declared error: %w", err)
	}
	return d.Wrap(m, raising(fields, x)...), nil
}

// defined raises an error that needs a definition.
func defined(fields *remedyv1.ToolError, x extra, doc string) (*errs.ToolError, error) {
	options := []errs.DefineOption{
		errs.Headline(trusted.Text(fields.GetMessage())), errs.Steps(x.plan.Steps()...), errs.Preserve(x.plan.Preserve()...),
		errs.Update(x.plan.Update()...), errs.Status(x.status), errs.Doc(doc),
	}
	d, err := errs.Define(fields.GetCode(), errs.RetryPolicy(fields.GetRetry()), options...)
	if err != nil {
		return nil, fmt.Errorf("defined error: %w", err)
	}
	return d.New(raising(fields, x)...), nil
}

func raising(fields *remedyv1.ToolError, x extra) []errs.Option {
	options := []errs.Option{errs.After(x.after)}
	if fields.GetDetails() != nil {
		options = append(options, errs.Details(fields.GetDetails().AsMap()))
	}
	if x.cause != nil {
		options = append(options, errs.Cause(x.cause))
	}
	return options
}

func (i *Info) errs() errs.Info {
	effects := map[string]errs.Effect{
		"none": errs.EffectNone, "applied": errs.EffectApplied, "unknown": errs.EffectUnknown,
	}
	return errs.Info{
		Tool: i.Tool, OperationKey: i.OperationKey, OperationID: i.OperationID, RunID: i.RunID, ErrorID: i.ErrorID,
		Effect: effects[i.Effect],
	}
}

// Received returns the error that a client gets before anything is decoded.
func (v *Vector) Received() *status.Status {
	var p spb.Status
	if v.Plain == nil && proto.Unmarshal(v.Status, &p) == nil {
		return status.FromProto(&p)
	}
	if v.Plain == nil {
		return nil
	}
	return status.FromProto(&spb.Status{Code: int32(v.Plain.GRPCCode), Message: v.Plain.Message}) //nolint:gosec // of a vector
}

// Decoded returns what a client makes of the vector.
func (v *Vector) Decoded() error {
	err := errs.FromStatus(v.Received())
	if v.Call == nil {
		return err
	}
	return errs.InferOutcome(err, errs.Call{
		Name: v.Call.Name, OperationKey: v.Call.OperationKey, Ledger: v.Call.Ledger, NeverSent: v.Call.NeverSent,
	})
}

// Anything packs a message the way an Input holds it.
func Anything(m proto.Message) (json.RawMessage, error) {
	packed, err := anypb.New(m)
	if err != nil {
		return nil, fmt.Errorf("packing %T: %w", m, err)
	}
	return JSON(packed)
}

// declaredType reports whether a type that this program knows is an error that a proto declares.
func declaredType(name protoreflect.FullName) bool {
	kind, err := protoregistry.GlobalTypes.FindMessageByName(name)
	if err != nil || name.Parent() == "remedy.v1" {
		return false
	}
	return proto.HasExtension(kind.Descriptor().Options(), remedyv1.E_Error)
}
