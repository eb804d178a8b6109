package server

import (
	"context"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/ledger"
)

func (o *operationService) PurgeOperation(
	ctx context.Context, r *servicev1.PurgeOperationRequest,
) (*servicev1.PurgeOperationResponse, error) {
	v := o.viewer(ctx)
	row, err := o.ruled(ctx, v, r.GetId())
	if err != nil {
		return nil, err
	}
	got, err := ask(ctx, "purge", func(ctx context.Context) (ledger.Row, bool, error) {
		return o.server.ledger.Purge(ctx, v.Tenant, r.GetId())
	})
	switch {
	case err != nil:
		return nil, unavailable(ctx, row.Tool, err)
	case got.row.State == ledger.None: // it was forgotten just now
		return nil, &errs.ServiceError{Code: errs.CodeOperationNotFound, Subject: r.GetId()}
	case !got.ok && got.row.State == ledger.Unknown:
		return nil, errInDoubt.New(errs.Value("id", r.GetId()))
	case !got.ok:
		return nil, &errs.ServiceError{Code: errs.CodeOperationInFlight, Subject: r.GetId(), RetryAfter: inFlightDelay}
	}
	return &servicev1.PurgeOperationResponse{Operation: o.whole(got.row)}, nil
}

// errInDoubt says that an operation cannot be purged yet: what it holds may end the doubt.
var errInDoubt = errs.MustDefine("operation_in_doubt", errs.Never,
	errs.Headline("Nobody knows what became of operation {id}: resolve it before it is purged."))
