package errs

import "reflect"

// WithInfo returns a copy of a typed error that also says what info holds; fields of info that are empty leave those of
// the error as they are. An effect that the error itself proves is kept. A typed error that something wraps, or that is
// one of a join, is annotated where it is the one that [Encoder] would send; what wraps it still matches. Errors that are
// not ours are returned unchanged.
//
// Only the tool boundary states an effect.
func WithInfo(err error, info Info) error {
	if err == nil {
		return nil
	}
	h := choose(err)
	if h.ours == nil || baseOf(h.ours).state() == nil {
		return err
	}
	e := annotate(joined(h.ours, h.others), info)
	if h.direct && reflect.TypeOf(e) == reflect.TypeOf(err) {
		return e
	}
	return &sent{ours: e, also: h.others, orig: err}
}

// annotate returns a copy of e that says info.
func annotate(e Error, info Info) Error {
	base, w := baseOf(e), saidBy(e)
	copied := duplicate(base)
	c := copied.state()
	own := c.own()
	own.info = info.merged(own.info)
	if w.foreign {
		said := info.merged(w.info()).bounded()
		if proven := provenEffect(w.code); w.domain == DomainRemedy && proven != EffectUnspecified {
			said.Effect = proven
		}
		c.said.Store(w.withInfo(said))
	}
	return rewrap(e, copied)
}

// duplicate copies a typed error so that it can say something else.
func duplicate(e typed) typed {
	copied := e.clone()
	from, to := e.state(), copied.state()
	again := from.besides()
	if again.copyOf == nil {
		again.copyOf = from
	}
	to.relay, to.more = from.relay, &again
	return copied
}

// rewrap puts a copy of the struct behind e into the type of e.
func rewrap(e Error, base typed) Error {
	switch e := e.(type) {
	case *sent:
		return &sent{ours: rewrap(e.ours, base), also: e.also, orig: e.orig}
	case Declared:
		if tool, ok := base.(*ToolError); ok {
			return e.WithBase(tool)
		}
	}
	return base
}
