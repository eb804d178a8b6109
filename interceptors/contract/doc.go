// Package contract holds both sides of a call to what its method promises: to the (remedy.v1.contract) option of the
// method in its proto. Generated clients are built on it.
//
//	tools := servicev1.NewTypedToolServiceClient(conn) // any conn, with no dial option
//
//	_, err := tools.CallTool(ctx, request)
//	switch {
//	case errors.Is(err, errs.CodeOutcomeUnknown):
//		// The contract says effect, and the answer was lost: it may have happened.
//	case contract.NeverSent(err):
//		// It is proven that nothing was sent: the same call may be made again.
//	}
//
// [Client] makes the connection of such a client. [UnaryClientInterceptor] and [StreamClientInterceptor] do the same for
// every method of one connection; chained after interceptors that retry, they keep those from sending a lost call again.
// [UnaryServerInterceptor] and [StreamServerInterceptor] tell tests and logs what a handler returned and its contract
// does not list. Nobody's error is changed for that.
//
// A method without a contract promises nothing: its errors are decoded, and that is all.
package contract
