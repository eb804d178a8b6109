// Package neversent proves that a call never left this process: that the server was not reached, so that nothing can
// have been executed, however the call ended. A lost answer is an unknown outcome; a call that was never sent is not.
//
//	conn, err := grpc.NewClient(target, credentials, neversent.DialOption())
//
//	ctx, record := neversent.Watch(ctx, method) // before one call
//	err := conn.Invoke(ctx, method, request, reply)
//	if record.Proves(err) { … } // nothing was sent
//
// The clients of package contract, and package client, do all of this by themselves, for methods that have an effect, and
// mark the error. The proof needs the dial option: over a connection without it nothing is ever proven, which is the safe
// side.
//
// The package imports nothing but grpc.
package neversent
