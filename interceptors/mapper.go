package interceptors

import (
	"context"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/recovery"
)

// Mapper turns a foreign Go error into a typed one where it arises, for example sql.ErrNoRows into an error of the
// domain. It returns err unchanged, or nil, for what it does not know. It is not asked about typed errors and
// panics.
type Mapper func(ctx context.Context, err error) error

func chained(first, second Mapper) Mapper {
	return func(ctx context.Context, err error) error {
		if mapped := first(ctx, err); mapped != nil {
			err = mapped
		}
		return second(ctx, err)
	}
}

// mapped asks the mapper. It must not lose an error, and a panic in it is one more.
func (c *chain) mapped(ctx context.Context, err error) (result error) {
	if c.mapper == nil || err == nil || errs.CodeOf(err) != "" {
		return err
	}
	if _, panicked := err.(*recovery.PanicError); panicked { //nolint:errorlint // itself
		return err
	}
	defer func() {
		if value := recover(); value != nil {
			result = recovery.Caught(value)
		}
	}()
	if mapped := c.mapper(ctx, err); mapped != nil {
		return mapped
	}
	return err
}
