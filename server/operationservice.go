package server

import (
	"context"
	"errors"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server/ledger"
)

// operationService says what became of operations.
type operationService struct {
	servicev1.UnimplementedOperationServiceServer

	server *Server
}

var _ servicev1.OperationServiceServer = (*operationService)(nil)

// viewer is who asks about operations.
type viewer struct {
	auth.Identity

	operator bool
}

func (o *operationService) viewer(ctx context.Context) viewer {
	var v viewer
	v.Identity, _ = auth.FromContext(ctx)
	if is := o.server.config.operators; is != nil {
		v.operator = is(ctx, v.Identity)
	}
	return v
}

// sees reports whether a row may be shown: one's own, and to operators those of their tenant.
func (v viewer) sees(row ledger.Row) bool {
	return row.State != ledger.None && row.Tenant == v.Tenant && (v.operator || row.Principal == v.Principal)
}

// find returns the row that a request names, as far as the viewer may see it.
func (o *operationService) find(ctx context.Context, v viewer, name *servicev1.OperationName) (ledger.Row, error) {
	var row ledger.Row
	var err error
	subject := name.GetId()
	switch key := name.GetKey(); {
	case key != nil:
		subject = key.GetOperationKey()
		full := ledger.Key{Tenant: v.Tenant, Scope: v.Principal, Tool: key.GetTool(), Key: subject}
		if tool := o.server.byName[key.GetTool()]; tool != nil && tool.scope == TenantScope {
			full.Scope = ""
		}
		row, err = o.server.ledger.Get(ctx, full)
	case subject != "":
		row, err = o.server.ledger.Find(ctx, v.Tenant, subject)
	default:
		return row, &errs.ValidationError{Subject: "remedy.service.v1.OperationName", Issues: []errs.Issue{
			{Path: "/operation", Keyword: "required", Message: "must have an id, or a tool and an operation_key"},
		}}
	}
	if err != nil {
		return row, unavailable(ctx, "", err)
	}
	if !v.sees(row) {
		return row, &errs.ServiceError{Code: errs.CodeOperationNotFound, Subject: subject}
	}
	return row, nil
}

func (o *operationService) GetOperation(
	ctx context.Context, r *servicev1.GetOperationRequest,
) (*servicev1.GetOperationResponse, error) {
	row, err := o.find(ctx, o.viewer(ctx), r.GetOperation())
	if err != nil {
		return nil, err
	}
	return &servicev1.GetOperationResponse{Operation: o.whole(row)}, nil
}

func (o *operationService) ListOperations(
	ctx context.Context, r *servicev1.ListOperationsRequest,
) (*servicev1.ListOperationsResponse, error) {
	v := o.viewer(ctx)
	filter := ledger.Filter{
		Tenant: v.Tenant, Principal: v.Principal, Tool: r.GetTool(), Key: r.GetOperationKey(), RunID: r.GetRunId(),
		Limit: int(r.GetPageSize()), Token: r.GetPageToken(),
	}
	var issues []errs.Issue
	switch asked := r.GetPrincipal(); {
	case v.operator:
		filter.Principal = asked
	case asked != "" && asked != v.Principal:
		issues = append(issues, errs.Issue{Path: "/principal", Keyword: "const", Message: "must be the caller's own: only operators see others"})
	}
	if filter.Limit < 0 || filter.Limit > maxPage {
		issues = append(issues, errs.Issue{Path: "/page_size", Keyword: "int32.gte_lte", Message: "must be from 0 to 1000"})
	} else if filter.Limit == 0 {
		filter.Limit = defaultPage
	}
	for _, state := range r.GetStates() {
		filter.States = append(filter.States, ledger.State(state)) //nolint:gosec // an enum with the same numbers
	}
	subject := string(r.ProtoReflect().Descriptor().FullName())
	if issues != nil {
		return nil, &errs.ValidationError{Subject: subject, Issues: issues}
	}
	rows, next, err := o.server.ledger.List(ctx, filter)
	if errors.Is(err, ledger.ErrToken) {
		const expected = "must be the next_page_token of the answer before"
		return nil, &errs.ValidationError{
			Subject: subject, Issues: []errs.Issue{{Path: "/page_token", Keyword: "page_token", Message: expected}}, Cause: err,
		}
	} else if err != nil {
		return nil, unavailable(ctx, "", err)
	}
	response := &servicev1.ListOperationsResponse{NextPageToken: next}
	for i := range rows {
		if v.sees(rows[i]) { // who has no name of its own asks for those of everybody
			response.Operations = append(response.Operations, operationOf(&rows[i]))
		}
	}
	return response, nil
}
