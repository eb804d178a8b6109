package vector

import (
	"errors"
	"fmt"
	"reflect"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
)

// Foreign is the class of a status that is not ours.
const Foreign = "Foreign"

// Describe says what an error says, by what its type offers to everyone.
func Describe(err error) (Expect, error) {
	st := status.Convert(err)
	e, ours := err.(errs.Error) //nolint:errorlint // the decoder returns the error itself
	if !ours {
		return Expect{Class: Foreign, GRPCCode: int(st.Proto().GetCode()), Message: st.Message()}, nil
	}
	info := errs.InfoOf(e)
	x := Expect{
		Class: reflect.TypeOf(e).Elem().Name(), GRPCCode: int(st.Proto().GetCode()), Code: string(errs.CodeOf(e)), Domain: info.Domain,
		Retry: errs.RetryOf(e).String(), Message: e.Error(), Truncated: info.Truncated, Inferred: errs.IsInferred(e),
	}
	if after, ok := errs.RetryAfterOf(e); ok {
		x.RetryAfter = durationText(after)
	}
	if unknown, ok := e.(*errs.OutcomeUnknownError); ok {
		x.Keyed = unknown.Keyed
	}
	known := Info{
		Tool: info.Tool, OperationKey: info.OperationKey, OperationID: info.OperationID, RunID: info.RunID, ErrorID: info.ErrorID,
		Effect: info.Effect.String(),
	}
	if known != (Info{}) {
		x.Info = &known
	}
	fields, err := toMessage(e)
	if err != nil {
		return x, err
	}
	if x.Fields, err = JSON(fields); err != nil {
		return x, err
	}
	if e.Plan() != nil {
		if x.Plan, err = JSON(planMessage(e.Plan())); err != nil {
			return x, err
		}
	}
	if _, ok := e.(errs.Declared); ok {
		x.Class, x.DeclaredClass = "ToolError", x.Class
		if x.Declared, err = declaredIn(st); err != nil {
			return x, err
		}
	}
	for _, cause := range causesOf(e) {
		c, err := Describe(cause)
		if err != nil {
			return x, err
		}
		x.Causes = append(x.Causes, c)
	}
	return x, nil
}

// declaredIn finds the declared message among the details.
func declaredIn(st *status.Status) ([]byte, error) {
	for _, detail := range st.Proto().GetDetails() {
		if declaredType(detail.MessageName()) {
			return JSON(detail)
		}
	}
	return nil, errors.New("a declared error carries no declared message")
}

// causesOf lists the typed errors directly below e.
func causesOf(e errs.Error) []error {
	inner := errors.Unwrap(e)
	if inner == nil {
		return nil
	}
	many, ok := inner.(interface{ Unwrap() []error })
	if !ok {
		return typedOnly([]error{inner})
	}
	return typedOnly(many.Unwrap())
}

func typedOnly(all []error) []error {
	var typed []error
	for _, err := range all {
		if _, ok := err.(errs.Error); ok { //nolint:errorlint // what wraps one is no cause that travelled
			typed = append(typed, err)
		}
	}
	return typed
}

// CheckFields reports where the exported fields of a decoded error differ from the identity message it came with.
func CheckFields(err error) error {
	e, ok := err.(errs.Error) //nolint:errorlint // the decoder returns the error itself
	if !ok {
		return nil
	}
	fields, err := toMessage(e)
	if err != nil {
		return err
	}
	for _, detail := range e.GRPCStatus().Proto().GetDetails() {
		if detail.MessageName() != fields.ProtoReflect().Descriptor().FullName() {
			continue
		}
		sent := fields.ProtoReflect().New().Interface()
		if err := (proto.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(detail.GetValue(), sent); err != nil {
			return fmt.Errorf("the identity of %T: %w", e, err)
		}
		if !proto.Equal(fields, sent) {
			return fmt.Errorf("%T holds %v, and %v was sent", e, fields, sent)
		}
		return nil
	}
	return fmt.Errorf("%T: no %s arrived", e, fields.ProtoReflect().Descriptor().FullName())
}

// Build encodes an input and describes all that a vector says of it.
func Build(name, about string, in Input) (Vector, error) {
	v := Vector{Name: name, About: about, Direction: Encode, Input: &in}
	err, problem := in.Error()
	if problem != nil {
		return v, fmt.Errorf("%s: %w", name, problem)
	}
	out := errs.Encoder{}.Encode(err, "", false)
	if out.Hidden != nil {
		return v, fmt.Errorf("%s: answered as internal: %s %w", name, out.Problem, out.Hidden)
	}
	problem = v.fill(out.Status, out.Pushback)
	return v, problem
}

func (v *Vector) fill(st *status.Status, trailer string) error {
	var err error
	if v.Status, err = proto.Marshal(st.Proto()); err != nil {
		return fmt.Errorf("%s: %w", v.Name, err)
	}
	v.Pushback = trailer
	v.ListCost = ListCost(v.Status, st.Message())
	if v.Google, err = Generic(st); err != nil {
		return fmt.Errorf("%s: %w", v.Name, err)
	}
	if v.Expect, err = Describe(v.Decoded()); err != nil {
		return fmt.Errorf("%s: %w", v.Name, err)
	}
	return nil
}

// Finish decodes the bytes of a vector and describes what comes out.
func (v *Vector) Finish() error {
	v.Direction = Decode
	var err error
	if v.Expect, err = Describe(v.Decoded()); err != nil {
		return fmt.Errorf("%s: %w", v.Name, err)
	}
	return nil
}
