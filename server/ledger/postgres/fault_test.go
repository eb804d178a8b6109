package postgres

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/remedyrpc/remedy/server/ledger"
)

func TestFault(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	tests := []struct {
		err  error
		want string
	}{
		{refused, "look whether the server runs, and whether host and port are right"},
		{&net.DNSError{Err: "no such host", Name: "db"}, "correct the name of the host"},
		{&pgconn.PgError{Code: "28P01"}, "correct the password"},
		{errors.Join(refused, &pgconn.PgError{Code: "3D000"}), "make the database"}, // one of several addresses answered
		{errors.New("unheard of"), "unheard of"},
	}
	for _, test := range tests {
		err := fault(t.Context(), "connecting", fmt.Errorf("failed to connect: %w", test.err))
		if !errors.Is(err, ledger.ErrUnavailable) || !errors.Is(err, test.err) || !strings.Contains(err.Error(), "connecting: "+test.want) &&
			!strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("got %v, want %q", err, test.want)
		}
	}
}
