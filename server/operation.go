package server

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/server/ledger"
)

// whole is everything that may be shown of an operation. The result of a tool that authorizes its callers is not: an equal
// call gets it, and is authorized.
func (o *operationService) whole(row ledger.Row) *servicev1.Operation {
	operation := operationOf(&row)
	for _, move := range row.Trail {
		operation.Trail = append(operation.Trail, &servicev1.OperationMove{
			Time: timestamp(move.At), From: stateOf(move.From), To: stateOf(move.To), OperationId: move.ID, Fence: move.Fence,
			Actor: move.Actor, Note: move.Note,
		})
	}
	tool := o.server.byName[row.Tool]
	if tool != nil && row.State == ledger.Unknown && tool.mayRedo(&row) {
		operation.RedoUntil = timestamp(tool.redoUntil(&row))
	}
	if row.State == ledger.Done && tool != nil && tool.authorize == nil {
		operation.Result = resultOf(Result{
			Output: row.Receipt.Output, OutputOmitted: row.Receipt.Omitted != ledger.Kept, Verified: row.Verdict == ledger.OK,
			Replayed: true, FirstCompletedAt: row.Receipt.CompletedAt, OperationID: row.ID,
		}, true)
	}
	return operation
}

// operationOf is what lists show of an operation.
func operationOf(row *ledger.Row) *servicev1.Operation {
	return &servicev1.Operation{
		Id: row.ID, Tool: row.Tool, OperationKey: row.Key.Key, Principal: row.Principal, State: stateOf(row.State), RunId: row.RunID,
		Crossings:  int32(row.Crossings), //nolint:gosec // a few
		CreateTime: timestamp(row.CreatedAt), CrossTime: timestamp(row.CrossedAt), UpdateTime: timestamp(row.MovedAt),
		Verdict: verdictOf(row.Verdict), VerdictReason: row.VerdictReason, Reason: row.Reason, FailureCode: row.Failure.Code,
		Contradicted: row.Contradicted, Progress: progressOf(row),
	}
}

func stateOf(state ledger.State) servicev1.OperationState { return servicev1.OperationState(state) }

func verdictOf(verdict ledger.Verdict) servicev1.OperationVerdict {
	return servicev1.OperationVerdict(verdict)
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}
