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
// What is known of operations is kept in memory, for 24 hours. It does not survive the process: after a restart an old
// key is a new operation. Nothing here retries a call, and an effect that may have happened is not called again.
package server
