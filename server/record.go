package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"unicode/utf8"

	"github.com/remedyrpc/remedy/server/internal/exact"
	"github.com/remedyrpc/remedy/server/ledger"
)

// record writes the receipt of a completed operation, and keeps trying until the server stops. A caller is told of success
// only once the receipt is kept.
func (s *Server) record(ctx context.Context, w *work, out any, settled chan<- settlement) {
	receipt := s.receiptOf(ctx, w, out)
	for delay := askDelay; ; delay = min(2*delay, mostDelay) { //nolint:mnd // twice
		got, err := ask(ctx, "record", func(ctx context.Context) (ledger.Row, bool, error) { return s.ledger.Record(ctx, w.hold, receipt) })
		if err == nil && got.ok {
			if got.row.Contradicted {
				s.log(ctx, slog.LevelError, "an operation that had been closed as not applied took effect", nil, w.attrs()...)
			}
			if got.row.Receipt.Hash != receipt.Hash {
				out = nil // the first receipt stays, and it is of another attempt
			}
			say(settled, settlement{row: got.row, out: out})
			return
		}
		say(settled, settlement{err: w.outcomeUnknown("the result could not be recorded", err)})
		// Others look what became of it: their word, done or unknown, makes room for this one.
		busy := err == nil && got.row.ID == w.hold.ID && (got.row.State == ledger.Effect || got.row.State == ledger.Claimed)
		if err == nil && !busy || !pause(s.lifetime, delay) { //nolint:contextcheck // for as long as the server lives
			s.log(ctx, slog.LevelError, "the receipt of a completed operation is lost", err,
				append(w.attrs(), slog.String("state", got.row.State.String()))...)
			return
		}
	}
}

// receiptOf makes the receipt of an output.
func (s *Server) receiptOf(ctx context.Context, w *work, out any) ledger.Receipt {
	text, err := encode(out)
	if err != nil {
		level := slog.LevelError
		if errors.Is(err, errTooLarge) {
			level = slog.LevelWarn
		}
		s.log(ctx, level, "the output of a completed operation was omitted", err, w.attrs()...)
		return ledger.Receipt{Omitted: ledger.Unfit}
	}
	return ledger.Receipt{Output: text, Size: int64(len(text)), Hash: sha256.Sum256(text)}
}

// late takes what an effect returned after its outcome had been looked up: a result still is one.
func (s *Server) late(ctx context.Context, w *work, r outcome[any]) {
	if r.err != nil {
		s.log(ctx, slog.LevelWarn, "an effect failed long after its time", r.err, w.attrs()...)
		return
	}
	s.record(ctx, w, r.value, make(chan settlement, 1))
	s.log(ctx, slog.LevelWarn, "an effect completed long after its time", nil, w.attrs()...)
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
