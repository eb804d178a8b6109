// Package server runs tools for callers that retry, so that a failure always says what may be done next, and equal
// retries of a tool with an effect have it once.
//
//	cancel := server.NewTool("cancel_order", "Cancel one unshipped order.", server.Tool[In, Out]{
//		Execute: func(ctx context.Context, op *server.Op, in In) (server.Effect[Out], error) {
//			order, err := orders.Find(ctx, in.OrderID) // checks and prepares; what fails here did nothing
//			if err != nil {
//				return nil, err
//			}
//			return func(ctx context.Context) (Out, error) { return order.Cancel(ctx, op.ID) }, nil
//		},
//		Errors: []*errs.Definition{alreadyShipped},
//	})
//	srv, err := server.New([]*server.AnyTool{cancel})
//	srv.Register(grpcServer)
//
// Execute returns its effect instead of having it: the server first notes that it crosses, then calls the effect once.
// From there on an answer is a result, a typed error that proves what became of the effect, or outcome_unknown.
//
// What an operation key names is an operation of one tool, for one principal of one tenant, or for all of them where the
// tool says so. It is kept in a ledger: package ledger says what that promises. Servers that share one share operations, and
// each finishes what another left behind. Without [WithLedger] it is memory of the server's own, bounded by
// [WithMaxOperations], and nothing survives the process. Outputs and keys are kept as long as [WithRetention] says; a running
// operation, and one whose outcome is unknown, is not forgotten. A key that has been forgotten names a new operation: a
// retry after that has the effect again.
//
// The effect that an error states is about the operation and not about the call alone. None is stated for an operation that
// was claimed and freed again, and where there is no key. Any other call that fails before it has claimed anything, for
// instance with invalid_input or authorization_denied, did nothing itself, and its error states no effect: its key may be
// that of an operation that has been forgotten, or that an equal call is about to begin.
//
// Nothing here retries a call, and an effect that may have happened is not called again while its operation is known.
package server
