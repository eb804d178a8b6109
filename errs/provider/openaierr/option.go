package openaierr

import "net/http"

// Option configures [FailureOf] and [ToTypedError]. Nil is none.
type Option func(*config)

type config struct {
	provider string
	response *http.Response
}

// WithProvider names the provider, for a client with a base URL of another one. The default, also for an empty name, is
// openai. It is not guessed from the host: the error of a stream does not tell it, and one client should have one name.
func WithProvider(name string) Option {
	return func(c *config) {
		if name != "" {
			c.provider = name
		}
	}
}

// WithResponse gives the response of the call, as option.WithResponseInto of the SDK stores it. It is used where the SDK's
// error does not hold the response: for {"error": "text"}, which some providers send, the SDK returns an error of the JSON
// decoder, without status, headers or body. The default, and nil, is none; a response that is no failure is not used.
func WithResponse(response *http.Response) Option {
	return func(c *config) { c.response = response }
}

func configOf(options []Option) config {
	c := config{provider: "openai"}
	for _, option := range options {
		if option != nil {
			option(&c)
		}
	}
	return c
}
