// Package client calls the tools of a Remedy service. An error says what failed, whether a retry is allowed and what must
// happen first; a lost answer is an unknown outcome, never something that looks safe to send again.
//
//	c, err := client.Dial("tools.example.com:443")
//	if err != nil {
//		return err
//	}
//	defer c.Close()
//
//	result, err := client.Call[CancelOrder, Cancelled](ctx, c, "cancel_order", CancelOrder{OrderID: "o-1"})
//	switch {
//	case err == nil:
//		fmt.Println(result.Output.Refund)
//	case errors.Is(err, errs.CodeOutcomeUnknown):
//		// It may have happened. Ask what became of result.OperationKey; never use a new key.
//	case errors.Is(err, errs.Code("order_already_shipped")):
//		fmt.Println(err) // the message says what to do, to people and to agents
//	case client.NeverSent(err):
//		// It is proven that nothing was sent: the same call may be made again.
//	}
//
// Every call with an effect carries an operation key, the name of one intent: made for you, or yours by
// [WithOperationKey]. Give your own, and store it first, where the intent must survive this process.
//
// After a lost answer, [Client.WaitOperation] tells what became of the operation that [OperationOf] takes from the error,
// and an equal call under the same key gets its stored result. [Client.Reconcile] makes the service look.
//
// Nothing is retried unless [WithRetry] asks for it, and nothing here caches what a service said.
package client
