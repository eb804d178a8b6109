package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/internal/exact"
	"github.com/remedyrpc/remedy/server/ledger"
)

// ruled returns a row that an operator decides about.
func (o *operationService) ruled(ctx context.Context, v viewer, id string) (ledger.Row, error) {
	row, err := o.find(ctx, v, &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: id}})
	if err != nil {
		return row, err
	}
	if !v.operator {
		return row, &errs.AuthorizationError{Tool: row.Tool, Message: "Only operators resolve and purge operations."}
	}
	return row, nil
}

func (o *operationService) ResolveOperation(
	ctx context.Context, r *servicev1.ResolveOperationRequest,
) (*servicev1.ResolveOperationResponse, error) {
	v := o.viewer(ctx)
	row, err := o.ruled(ctx, v, r.GetId())
	if err != nil {
		return nil, err
	}
	if issues := resolutionIssues(r, o.server.byName[row.Tool]); issues != nil {
		return nil, &errs.ValidationError{Subject: string(r.ProtoReflect().Descriptor().FullName()), Issues: issues}
	}
	got, err := ask(ctx, "resolve", func(ctx context.Context) (ledger.Row, bool, error) {
		return o.server.ledger.Resolve(ctx, ledger.Resolution{
			Tenant: v.Tenant, ID: r.GetId(), Applied: r.GetResolution() == servicev1.OperationResolution_OPERATION_RESOLUTION_APPLIED,
			Output: []byte(r.GetOutputJson()), Actor: v.Principal, Reason: r.GetReason(),
		})
	})
	switch {
	case errors.Is(err, ledger.ErrTooEarly):
		return nil, &errs.ServiceError{
			Code: errs.CodeOperationInFlight, Subject: r.GetId(), Cause: err,
			Message:    "The operation cannot be closed yet: an attempt at it could still act.",
			RetryAfter: max(time.Until(row.ActsUntil), inFlightDelay),
		}
	case err != nil:
		return nil, unavailable(ctx, row.Tool, err)
	case got.row.State == ledger.None: // it was forgotten just now
		return nil, &errs.ServiceError{Code: errs.CodeOperationNotFound, Subject: r.GetId()}
	case !got.ok && (got.row.State == ledger.Claimed || got.row.State == ledger.Effect): // it may come to be in doubt
		return nil, &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: r.GetId(), RetryAfter: inFlightDelay}
	case !got.ok:
		return nil, errNotResolved.New(errs.Value("id", r.GetId()), errs.Value("state", got.row.State.String()))
	case r.GetOutputJson() != "" && got.row.Receipt.Hash != sha256.Sum256([]byte(r.GetOutputJson())): // the first one stays
		return nil, errNotResolved.New(errs.Value("id", r.GetId()), errs.Value("state", "DONE with another output"))
	}
	o.server.log(ctx, slog.LevelWarn, "an operation was resolved", nil, slog.String("operationId", r.GetId()),
		slog.String("actor", v.Principal), slog.String("state", got.row.State.String()))
	return &servicev1.ResolveOperationResponse{Operation: o.whole(got.row)}, nil
}

// errNotResolved says that an operation is not in doubt.
var errNotResolved = errs.MustDefine("operation_not_in_doubt", errs.Never,
	errs.Headline("Operation {id} is {state}, and not unknown: there is nothing to resolve."))

// resolutionIssues checks a decision; the tool is that of the operation, or nil where it is gone.
func resolutionIssues(r *servicev1.ResolveOperationRequest, tool *AnyTool) []errs.Issue {
	const maxReason = 1024
	var issues []errs.Issue
	switch r.GetResolution() {
	case servicev1.OperationResolution_OPERATION_RESOLUTION_APPLIED:
		switch text := r.GetOutputJson(); {
		case text == "":
		case len(text) > exact.MaxBytes || !json.Valid([]byte(text)):
			issues = append(issues, errs.Issue{Path: "/output_json", Keyword: "format", Message: "must be JSON of at most 1 MiB"})
		case tool != nil && guard("decoding the output", func() error { _, err := tool.decodeOut([]byte(text)); return err }) != nil:
			issues = append(issues, errs.Issue{Path: "/output_json", Keyword: "type", Message: "must have the form that the tool returns"})
		}
	case servicev1.OperationResolution_OPERATION_RESOLUTION_NOT_APPLIED:
		if r.GetOutputJson() != "" {
			issues = append(issues, errs.Issue{Path: "/output_json", Keyword: "const", Message: "must be empty: what was not applied has no output"})
		}
	default:
		issues = append(issues, errs.Issue{Path: "/resolution", Keyword: "enum", Message: "must be applied or not applied"})
	}
	if r.GetReason() == "" || len(r.GetReason()) > maxReason {
		issues = append(issues, errs.Issue{Path: "/reason", Keyword: "string.len", Message: "must have 1 to 1024 bytes: say what was looked at"})
	}
	return issues
}
