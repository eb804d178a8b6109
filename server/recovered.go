package server

// Recovered is what Recover of a [Tool] found. The zero value is [NotFound].
type Recovered[Out any] struct {
	out       Out
	committed bool
}

// Committed says that the effect took place, with this result.
func Committed[Out any](out Out) Recovered[Out] { return Recovered[Out]{out: out, committed: true} }

// NotFound says that no effect is to be seen. It proves nothing, because the effect may still be on its way: the outcome
// stays unknown and the effect is not called again.
func NotFound[Out any]() Recovered[Out] { return Recovered[Out]{} }
