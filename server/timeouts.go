package server

import "time"

// Defaults of [Timeouts].
const (
	DefaultPrepareTimeout = 10 * time.Second
	DefaultEffectTimeout  = 30 * time.Second
	DefaultRecoverTimeout = 10 * time.Second
	DefaultVerifyTimeout  = 5 * time.Second
)

const (
	// margin is what an effect that does not heed its context gets on top of its time before its outcome is looked up.
	margin = 10 * time.Second
	// grace is the same for the hooks that only read.
	grace = time.Second
)

// Timeouts bounds the hooks of a tool. Zero means the default; a negative one is refused by [New]. A hook is told by its
// context; one that does not heed it is left behind, except before the effect, where the call waits for it.
type Timeouts struct {
	// Prepare bounds Authorize and Execute, each; default 10 s. What it cuts off is operation_timeout.
	Prepare time.Duration
	// Effect bounds the effect; default 30 s. What it cuts off is looked up with Recover.
	Effect time.Duration
	// Recover bounds Recover; default 10 s.
	Recover time.Duration
	// Verify bounds Verify; default 5 s.
	Verify time.Duration
	// Window is the least time that a caller has to leave for a call that would execute; one with less is answered
	// deadline_too_short, and nothing is done. It does not hold for what is known already: a result, or a doubt. The default
	// is any time at all, since an effect goes on without its caller, who may ask for the result afterwards.
	Window time.Duration
}

func (t Timeouts) withDefaults() Timeouts {
	fill := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	fill(&t.Prepare, DefaultPrepareTimeout)
	fill(&t.Effect, DefaultEffectTimeout)
	fill(&t.Recover, DefaultRecoverTimeout)
	fill(&t.Verify, DefaultVerifyTimeout)
	return t
}

func (t Timeouts) negative() bool {
	return t.Prepare < 0 || t.Effect < 0 || t.Recover < 0 || t.Verify < 0 || t.Window < 0
}

// prepareLease is how long a call may be before its boundary: Authorize, asked again after a wait, and Execute.
func (t Timeouts) prepareLease() time.Duration { return 2*t.Prepare + margin } //nolint:mnd // two hooks

// effectLease is how long an attempt past its boundary may act, from when it asked to cross.
func (t Timeouts) effectLease() time.Duration { return t.Effect + margin }

// recoverLease is how long who looks what became of an operation may take.
func (t Timeouts) recoverLease() time.Duration { return t.Recover + grace + margin }
