package provider

import "github.com/remedyrpc/remedy/errs"

// Classify tells what a failure is. It never fails and never panics; what cannot be told is a provider_error whose
// retryable is nil. An error of errs in Failure.Err is read back as it was classified. It reads at most 128 KiB of a body,
// in linear time.
func Classify(f Failure) Classified {
	if found, ok := own(f.Err); ok {
		return found
	}
	if f.Canceled {
		return Classified{Kind: KindAborted}
	}
	v := look(&f)
	return v.classified(v.judge())
}

// judge asks what may be the cause, in the order in which one hides the next.
func (v *view) judge() verdict {
	for _, step := range []func(*view) (verdict, bool){
		(*view).pairing,
		(*view).context,
		(*view).proxy, // whose credential is none of the provider's
		(*view).tokenEndpoint,
		(*view).money, // an account that is suspended for its balance is no dead credential
		(*view).credential,
		(*view).rejection,
		(*view).quota,
		(*view).overload,
		(*view).rate,
		(*view).code,
		(*view).transport,
		(*view).byStatus,
		(*view).generic,
	} {
		if found, ok := step(v); ok {
			return found
		}
	}
	return verdict{}
}

// classified completes a verdict with the code, the delay and the window.
func (v *view) classified(found verdict) Classified {
	c := Classified{Kind: found.kind, ProviderCode: v.providerCode()}
	switch {
	case found.kind == KindAborted:
		return Classified{Kind: KindAborted}
	case found.kind != "":
		return c
	case found.auth != "":
		c.Kind = KindProviderError
		c.Auth = &errs.AuthFailure{Kind: found.auth, Source: v.source(), Provider: v.failure.Provider}
		c.Retryable = retryOfAuth(found.auth).pointer()
		if found.auth == errs.AuthBusy {
			c.RetryAfter, _ = v.delay()
		}
		return c
	}
	c.Kind = KindProviderError
	c.Limit = v.limit(found)
	again := v.shouldRetry(found)
	c.Retryable = again.pointer()
	if c.Limit == nil && again == retryYes {
		c.RetryAfter, _ = v.asked()
	}
	return c
}

func (v *view) source() errs.AuthSource {
	if v.failure.Source == "" {
		return errs.AuthProvider
	}
	return v.failure.Source
}

// shouldRetry applies x-should-retry, which beats the status. A spent quota stays spent.
func (v *view) shouldRetry(found verdict) retry {
	switch header := v.get("X-Should-Retry"); {
	case found.limit == errs.LimitQuota:
		return retryNo
	case header == "true":
		return retryYes
	case header == "false":
		return retryNo
	default:
		return found.retry
	}
}

// limit makes the limit of a verdict; nil where it is none.
func (v *view) limit(found verdict) *errs.ProviderLimit {
	if found.limit == "" {
		return nil
	}
	l := &errs.ProviderLimit{Kind: found.limit, Window: found.window}
	if !found.endless {
		l.RetryAfter, l.ResetsAt = v.delay()
	}
	if l.Kind == errs.LimitQuota && l.ResetsAt.IsZero() {
		l.ResetsAt = v.regained()
	}
	if l.Window != "" {
		return l
	}
	switch found.limit {
	case errs.LimitRate:
		l.Window = v.rateWindow()
	case errs.LimitQuota:
		if l.Window, _ = v.planWindow(); l.Window == "" {
			l.Window = windowIn(planWindows(), v.text)
		}
	case errs.LimitOverload:
	}
	return l
}

// rateWindow is the window of a rate: that of the quotas of Google, the longest of several, or what the text names, or the
// bucket that is exhausted.
func (v *view) rateWindow() string {
	window, longest := "", 0
	for _, q := range v.quotas {
		if w, length := q.window(); length > longest {
			window, longest = w, length
		}
	}
	if window == "" {
		window = windowIn(rateWindows(), v.text)
	}
	if window != "" {
		return window
	}
	if empty := v.exhausted(); len(empty) == 1 {
		return empty[0].window
	}
	return ""
}
