package telemetry

import (
	"fmt"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"

	"github.com/remedyrpc/remedy/errs"
)

const scope = "github.com/remedyrpc/remedy/interceptors/telemetry"

// Option configures a [Handler].
type Option func(*settings)

type settings struct {
	meters      metric.MeterProvider
	definitions []*errs.Definition
}

// WithMeterProvider sets where errors are counted. The default, also for nil, is the global provider at the time of New.
func WithMeterProvider(provider metric.MeterProvider) Option {
	return func(s *settings) { s.meters = provider }
}

// WithDefinitions adds the errors of the service, whose codes become values of error.type. Without it every code outside
// the catalog counts as _OTHER, so that no caller can make new time series.
func WithDefinitions(definitions ...*errs.Definition) Option {
	return func(s *settings) { s.definitions = append(s.definitions, definitions...) }
}

// New returns the handler. Every code of the catalog and of the definitions starts with a count of zero, because a
// series that begins with its first error hides that error from a rate. It fails when the counter cannot be made.
func New(options ...Option) (*Handler, error) {
	var s settings
	for _, option := range options {
		option(&s)
	}
	if s.meters == nil {
		s.meters = otel.GetMeterProvider()
	}
	counter, err := s.meters.Meter(scope).Int64Counter("remedy.errors",
		metric.WithUnit("{error}"), metric.WithDescription("Calls that ended with a typed error."))
	if err != nil {
		return nil, fmt.Errorf("telemetry: making the counter: %w", err)
	}
	return newHandler(counter, s.definitions), nil
}
