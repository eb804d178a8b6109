package contract

import "google.golang.org/grpc"

// NoEffect says of one call that it changes nothing, although the contract of its method says that calls may: for methods
// that stand for several tools. Its error is then the one that was received, whatever became of the call. A call that
// does have an effect must not be made with it.
func NoEffect() grpc.CallOption { return noEffect{} }

type noEffect struct{ grpc.EmptyCallOption }
