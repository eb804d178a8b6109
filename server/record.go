package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/server/internal/exact"
)

// record writes the receipt of a completed operation.
func (s *Server) record(ctx context.Context, w work, out any) settlement {
	text, err := encode(out)
	if err != nil {
		level := slog.LevelError
		if errors.Is(err, errTooLarge) {
			level = slog.LevelWarn
		}
		s.log(ctx, level, "the output of a completed operation was omitted", err,
			slog.String("tool", w.tool.name), slog.String("operationKey", w.op.Key), slog.String("operationId", w.attempt.id))
	}
	r := receipt{output: text, omitted: err != nil, completedAt: time.Now().UTC()}
	kept, err := s.ledger.record(ctx, w.attempt, r)
	if err != nil {
		return settlement{err: w.outcomeUnknown("the result could not be recorded", err)}
	}
	return settlement{receipt: kept, out: out}
}

// late takes what an effect returned after its outcome had been looked up: a result still is one.
func (s *Server) late(ctx context.Context, w work, r outcome[any]) {
	attrs := []slog.Attr{slog.String("tool", w.tool.name), slog.String("operationId", w.attempt.id)}
	if r.err != nil {
		s.log(ctx, slog.LevelWarn, "an effect failed long after its time", r.err, attrs...)
		return
	}
	s.record(ctx, w, r.value)
	s.log(ctx, slog.LevelWarn, "an effect completed long after its time", nil, attrs...)
}

var errTooLarge = errors.New("the output is too large")

// encode writes an output as JSON that every caller can be sent.
func encode(out any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := guard("encoding the output", func() error { return encoder.Encode(out) }); err != nil {
		return nil, fmt.Errorf("encoding the output: %w", err)
	}
	text := bytes.TrimRight(b.Bytes(), "\n")
	switch {
	case !utf8.Valid(text): // of a json.RawMessage, or of a MarshalJSON
		return nil, errors.New("the output is not valid UTF-8")
	case len(text) > exact.MaxBytes:
		return nil, fmt.Errorf("%w: %d bytes, of at most %d", errTooLarge, len(text), exact.MaxBytes)
	default:
		return text, nil
	}
}
