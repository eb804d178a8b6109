package encode

import (
	"fmt"
	"log/slog"

	"github.com/remedyrpc/remedy/errs"
)

// Option configures a [Stage].
type Option func(*Stage)

// WithLimit bounds the trailer list of an error in bytes, from [errs.MinLimit] to [errs.MaxLimit]. The default is
// [errs.DefaultLimit], which passes a default nginx; raise it only where no proxy and no C-core or Java client is.
func WithLimit(bytes int) Option { return func(s *Stage) { s.encoder.Limit = bytes } }

// WithUnmaskedStatuses lets the text of INTERNAL, UNKNOWN and DATA_LOSS statuses that are not ours reach the caller. By
// default it is masked, because it usually is the text of an exception.
func WithUnmaskedStatuses() Option { return func(s *Stage) { s.encoder.Unmasked = true } }

// WithLogger sets where hidden errors are logged, under the errorId that the caller got. The default, also for nil, is
// [slog.Default] at the time of the call. The text of hidden errors goes there as it is: it may hold secrets.
func WithLogger(logger *slog.Logger) Option { return func(s *Stage) { s.logger = logger } }

// New returns the stage. It fails when an option is out of its range.
func New(options ...Option) (*Stage, error) {
	s := &Stage{}
	for _, option := range options {
		option(s)
	}
	if l := s.encoder.Limit; l != 0 && (l < errs.MinLimit || l > errs.MaxLimit) {
		return nil, fmt.Errorf("encode: limit %d must be from %d to %d bytes", l, errs.MinLimit, errs.MaxLimit)
	}
	return s, nil
}
