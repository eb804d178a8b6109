package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"time"

	"github.com/remedyrpc/remedy/server/internal/exact"
)

// record writes the receipt of a completed operation.
func (s *Server) record(ctx context.Context, w work, out any) settlement {
	r, err := encode(out)
	if err != nil {
		s.log(ctx, slog.LevelError, "the output of a completed operation was omitted", err,
			slog.String("tool", w.tool.name), slog.String("operationId", w.attempt.id))
		r.omitted = true
	}
	r.completedAt = time.Now().UTC()
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

// encode writes an output as JSON. One that is too large is omitted, which is no error.
func encode(out any) (r receipt, err error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := guard("encoding the output", func() error { return encoder.Encode(out) }); err != nil {
		return receipt{}, fmt.Errorf("encoding the output: %w", err)
	}
	text := bytes.TrimRight(b.Bytes(), "\n")
	if len(text) > exact.MaxBytes {
		return receipt{omitted: true}, nil
	}
	return receipt{output: text}, nil
}
