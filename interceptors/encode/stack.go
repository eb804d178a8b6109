package encode

// stacked is an error that knows where it came from, such as a recovered panic.
type stacked interface{ StackTrace() string }

// maxWrapped is how deep a stack is looked for: an error may wrap itself.
const maxWrapped = 100

// stackOf returns the stack that err or an error it wraps knows, empty where there is none. The methods of somebody
// else's error may panic; a typed nil pointer is enough.
func stackOf(err error) (trace string) {
	defer func() {
		if recover() != nil {
			trace = ""
		}
	}()
	for range maxWrapped {
		if s, ok := err.(stacked); ok {
			return s.StackTrace()
		}
		inner, ok := err.(interface{ Unwrap() error })
		if !ok {
			return ""
		}
		err = inner.Unwrap()
	}
	return ""
}
