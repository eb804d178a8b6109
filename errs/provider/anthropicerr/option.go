package anthropicerr

// Option configures [FailureOf] and [ToTypedError]. Nil is none.
type Option func(*config)

type config struct{ provider string }

// WithProvider names the provider, for a client that talks to another one than Anthropic's own API, such as aws-bedrock or
// google-vertex. The default, also for an empty name, is anthropic.
func WithProvider(name string) Option {
	return func(c *config) {
		if name != "" {
			c.provider = name
		}
	}
}

func configOf(options []Option) config {
	c := config{provider: "anthropic"}
	for _, option := range options {
		if option != nil {
			option(&c)
		}
	}
	return c
}
