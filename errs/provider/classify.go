package provider

// Classify tells what a failure is. It never fails: what cannot be told is a provider_error that is not retryable by
// anybody's word.
func Classify(f Failure) Classified {
	if found, ok := own(f.Err); ok {
		return found
	}
	if f.Canceled {
		return Classified{Kind: KindAborted}
	}
	if MatchesContextExceeded(string(f.Body)) {
		return Classified{Kind: KindContextExceeded}
	}
	return Classified{Kind: KindProviderError}
}
