package server

import (
	"context"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/ledger"
)

func (o *operationService) WatchOperation(
	r *servicev1.WatchOperationRequest, stream grpc.ServerStreamingServer[servicev1.WatchOperationResponse],
) error {
	ctx, cancel := context.WithCancel(stream.Context())
	defer cancel()
	stop := context.AfterFunc(o.server.accepting, cancel)
	defer stop()
	row, err := o.find(ctx, o.viewer(ctx), r.GetOperation())
	switch {
	case o.server.accepting.Err() != nil:
		return &errs.ServiceError{Code: errs.CodeShuttingDown}
	case err != nil:
		return err
	}
	for {
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
			var now ledger.Row
			if err = o.server.ledger.Wait(ctx, row.Key, version); err == nil {
				now, err = o.server.ledger.Get(ctx, row.Key)
			}
			switch {
			case o.server.accepting.Err() != nil:
				return &errs.ServiceError{Code: errs.CodeShuttingDown}
			case err != nil:
				return unavailable(ctx, "", err)
			}
			if row, err = follow(row, now); err != nil {
				return err
			}
		}
	}
}

// follow returns an operation as it is now, by the row of its key, which may be that of a later operation: then this one was
// freed before anybody looked.
func follow(was, now ledger.Row) (ledger.Row, error) {
	if now.ID == was.ID {
		return now, nil
	}
	for i, m := range now.Trail {
		if m.ID == was.ID && m.To == ledger.Free {
			was.State, was.Version, was.MovedAt, was.Trail = ledger.Free, now.Version, m.At, now.Trail[:i+1]
			return was, nil
		}
	}
	return was, &errs.ServiceError{Code: errs.CodeOperationNotFound, Subject: was.ID}
}
