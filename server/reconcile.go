package server

import (
	"context"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/ledger"
)

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
	w := s.workOf(&row)
	abandoned := row.State == ledger.Effect && !row.Leased
	doubtful := row.State == ledger.Unknown || row.State == ledger.Closed
	if !abandoned && (!doubtful || !w.looks()) {
		return row, nil // nothing is to be found out, or nothing can, and the row says so
	}
	got, err := s.beginRecovery(ctx, w.tool, row.Key)
	switch {
	case err != nil:
		return row, unavailable(ctx, w.tool.name, err)
	case got.ok:
		settled := make(chan settlement, 1)
		s.carrying.begin()
		go s.carryOn(context.WithoutCancel(ctx), gonectx, s.workOf(&got.row), settled)
		select {
		case <-settled:
		case <-ctx.Done():
			return row, gone(ctx, nil)
		}
	}
	after, err := s.ledger.Find(ctx, row.Tenant, row.ID)
	switch {
	case err != nil:
		return row, unavailable(ctx, w.tool.name, err)
	case after.State == ledger.None: // its key was freed, and names another one
		return row, &errs.ServiceError{Code: errs.CodeOperationNotFound, Subject: row.ID}
	default:
		return after, nil
	}
}
