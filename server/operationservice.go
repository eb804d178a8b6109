package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server/internal/exact"
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
		return row, unavailable("", err)
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
		Tenant: v.Tenant, Scope: v.Principal, Tool: r.GetTool(), RunID: r.GetRunId(), Limit: int(r.GetPageSize()), Token: r.GetPageToken(),
	}
	var issues []errs.Issue
	switch asked := r.GetPrincipal(); {
	case v.operator:
		filter.Scope = asked
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
		return nil, unavailable("", err)
	}
	response := &servicev1.ListOperationsResponse{NextPageToken: next}
	for i := range rows {
		response.Operations = append(response.Operations, operationOf(&rows[i]))
	}
	return response, nil
}

func (o *operationService) WatchOperation(
	r *servicev1.WatchOperationRequest, stream grpc.ServerStreamingServer[servicev1.WatchOperationResponse],
) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	stop := context.AfterFunc(o.server.accepting, cancel)
	defer stop()
	v := o.viewer(ctx)
	row, err := o.find(ctx, v, r.GetOperation())
	if err != nil {
		return err
	}
	id := row.ID
	for {
		if row.ID != id || row.State == ledger.None {
			return &errs.ServiceError{Code: errs.CodeOperationNotFound, Subject: id} // its key was freed, and names another one
		}
		if err := stream.Send(&servicev1.WatchOperationResponse{Operation: o.whole(row)}); err != nil {
			return err
		}
		switch row.State {
		case ledger.Done, ledger.Closed, ledger.Free:
			return nil
		default:
		}
		version := row.Version
		for row.Version == version {
			if err = o.server.ledger.Wait(ctx, row.Key, version); err == nil {
				row, err = o.server.ledger.Get(ctx, row.Key)
			}
			switch {
			case o.server.accepting.Err() != nil:
				return &errs.ServiceError{Code: errs.CodeShuttingDown}
			case err != nil:
				return unavailable("", err)
			}
		}
	}
}

func (o *operationService) ReconcileOperation(
	ctx context.Context, r *servicev1.ReconcileOperationRequest,
) (*servicev1.ReconcileOperationResponse, error) {
	row, err := o.find(ctx, o.viewer(ctx), r.GetOperation())
	if err != nil {
		return nil, err
	}
	row, err = o.server.reconcile(ctx, row)
	if err != nil {
		return nil, err
	}
	return &servicev1.ReconcileOperationResponse{Operation: o.whole(row)}, nil
}

// reconcile looks what became of an operation, where anybody may look and something can, and returns its row afterwards.
func (s *Server) reconcile(ctx context.Context, row ledger.Row) (ledger.Row, error) {
	w, err := s.workOf(row)
	abandoned := row.State == ledger.Effect && !row.Leased
	doubtful := row.State == ledger.Unknown || row.State == ledger.Closed
	if err != nil || w.tool.recover == nil && doubtful || !abandoned && !doubtful {
		return row, nil //nolint:nilerr // nothing can look, and the row says so
	}
	got, err := ask(ctx, "recover", func(ctx context.Context) (ledger.Row, bool, error) {
		return s.ledger.Recover(ctx, s.recovery(w.tool, row.Key))
	})
	if err != nil {
		return row, unavailable(w.tool.name, err)
	}
	if !got.ok {
		return got.row, nil // somebody looked just now
	}
	if w, err = s.workOf(got.row); err != nil {
		return got.row, nil //nolint:nilerr // as above
	}
	settled := make(chan settlement, 1)
	s.carrying.begin()
	go s.carryOn(context.WithoutCancel(ctx), gonectx, w, settled)
	select {
	case <-settled:
	case <-ctx.Done():
		return row, gone(ctx, nil)
	}
	after, err := s.ledger.Get(ctx, row.Key)
	if err != nil {
		return row, unavailable(w.tool.name, err)
	}
	return after, nil
}

func (o *operationService) ResolveOperation(
	ctx context.Context, r *servicev1.ResolveOperationRequest,
) (*servicev1.ResolveOperationResponse, error) {
	v := o.viewer(ctx)
	row, err := o.ruled(ctx, v, r.GetId(), "resolve operations")
	if err != nil {
		return nil, err
	}
	if issues := resolutionIssues(r); issues != nil {
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
		return nil, &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: r.GetId(), RetryAfter: inFlightDelay, Cause: err}
	case err != nil:
		return nil, unavailable(row.Tool, err)
	case !got.ok:
		return nil, errNotResolved.New(errs.Value("id", r.GetId()), errs.Value("state", got.row.State.String()))
	}
	o.server.log(ctx, slog.LevelWarn, "an operation was resolved", nil, slog.String("operationId", r.GetId()),
		slog.String("actor", v.Principal), slog.String("state", got.row.State.String()))
	return &servicev1.ResolveOperationResponse{Operation: o.whole(got.row)}, nil
}

// errNotResolved says that an operation is not in doubt.
var errNotResolved = errs.MustDefine("operation_not_in_doubt", errs.Never,
	errs.Headline("Operation {id} is {state}, and not unknown: there is nothing to resolve."))

// ruled returns a row that an operator decides about.
func (o *operationService) ruled(ctx context.Context, v viewer, id, what string) (ledger.Row, error) {
	row, err := o.find(ctx, v, &servicev1.OperationName{Name: &servicev1.OperationName_Id{Id: id}})
	if err != nil {
		return row, err
	}
	if !v.operator {
		return row, &errs.AuthorizationError{Tool: row.Tool, Reason: "only operators " + what}
	}
	return row, nil
}

func resolutionIssues(r *servicev1.ResolveOperationRequest) []errs.Issue {
	const maxReason = 1024
	var issues []errs.Issue
	switch r.GetResolution() {
	case servicev1.OperationResolution_OPERATION_RESOLUTION_APPLIED:
		if text := r.GetOutputJson(); text != "" && (len(text) > exact.MaxBytes || !json.Valid([]byte(text))) {
			issues = append(issues, errs.Issue{Path: "/output_json", Keyword: "format", Message: "must be JSON of at most 1 MiB"})
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

func (o *operationService) PurgeOperation(
	ctx context.Context, r *servicev1.PurgeOperationRequest,
) (*servicev1.PurgeOperationResponse, error) {
	v := o.viewer(ctx)
	row, err := o.ruled(ctx, v, r.GetId(), "purge operations")
	if err != nil {
		return nil, err
	}
	got, err := ask(ctx, "purge", func(ctx context.Context) (ledger.Row, bool, error) {
		return o.server.ledger.Purge(ctx, v.Tenant, r.GetId())
	})
	switch {
	case err != nil:
		return nil, unavailable(row.Tool, err)
	case !got.ok:
		return nil, &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: r.GetId(), RetryAfter: inFlightDelay}
	}
	return &servicev1.PurgeOperationResponse{Operation: o.whole(got.row)}, nil
}
