package remedyd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors/auth"
)

// The headers in which a caller on loopback says who it is.
const (
	principalHeader = "remedy-dev-principal"
	tenantHeader    = "remedy-dev-tenant"

	maxIdentity = 128 // bytes
)

// anonymous is the principal of every caller where nobody says who it is.
const anonymous = "anonymous"

// stranger makes all callers one, and refuses those that take this for a daemon for development.
func stranger(ctx context.Context, _ string) (auth.Identity, error) {
	for _, header := range []string{principalHeader, tenantHeader} {
		if len(metadata.ValueFromIncomingContext(ctx, header)) > 0 {
			return auth.Identity{}, fmt.Errorf("the header %s is for callers on loopback: leave it out", header)
		}
	}
	return auth.Identity{Principal: anonymous}, nil
}

// everybody is an operator, in development.
func everybody(context.Context, auth.Identity) bool { return true }

// developer believes what callers on loopback say of themselves.
func developer(principal string) auth.Func {
	return func(ctx context.Context, _ string) (auth.Identity, error) {
		if p, ok := peer.FromContext(ctx); !ok || !fromLoopback(p.Addr) {
			return auth.Identity{}, errors.New("identities from headers are for callers on loopback")
		}
		id := auth.Identity{Principal: principal}
		for header, field := range map[string]*string{principalHeader: &id.Principal, tenantHeader: &id.Tenant} {
			switch values := metadata.ValueFromIncomingContext(ctx, header); {
			case len(values) > 1 || len(values) == 1 && len(values[0]) > maxIdentity:
				return auth.Identity{}, fmt.Errorf("the header %s must be given once, with at most %d bytes", header, maxIdentity)
			case len(values) == 1:
				*field = values[0]
			}
		}
		if id.Principal == "" {
			return auth.Identity{}, fmt.Errorf("the header %s must not be empty: leave it out to be %s", principalHeader, principal)
		}
		return id, nil
	}
}

// logged logs who is not believed, and why. The errors of what it wraps hold no values of headers. They go no further: with a
// cause, the mistake of a caller would be logged as an error of this service.
func logged(logger *slog.Logger, identify auth.Func) auth.Func {
	return func(ctx context.Context, method string) (auth.Identity, error) {
		id, err := identify(ctx, method)
		if err != nil {
			from := "unknown"
			if p, ok := peer.FromContext(ctx); ok && p.Addr != nil {
				from = p.Addr.String()
			}
			logger.LogAttrs(ctx, slog.LevelInfo, "a caller was not authenticated",
				slog.String("peer", from), slog.String("method", method), slog.String("error", err.Error()))
			return auth.Identity{}, &errs.ServiceError{Code: errs.CodeUnauthenticated}
		}
		return id, nil
	}
}

func fromLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}
