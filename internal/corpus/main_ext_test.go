package corpus_test

import (
	"log/slog"
	"os"
	"testing"
)

// TestMain keeps what impossible errors log out of the output.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	os.Exit(m.Run())
}
