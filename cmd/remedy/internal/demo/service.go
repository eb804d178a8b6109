package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger/sqlite"
)

// ServiceCommand is the command of this program that calls [Serve].
const ServiceCommand = "demo-service"

// What the service says on its standard output, a line each: where it listens, and that an effect, of an operation, took place
// and waits.
const (
	saysListening = "listening "
	saysHolding   = "holding "
)

// Service is a service in a process of its own, which the story kills.
type Service struct {
	// DB is the SQLite file of the operations, Book the file in which the carrier notes what it was asked for.
	DB, Book string
	// Ahead is how far the clock of the store is ahead of that of the machine.
	Ahead time.Duration
	// Hold is the tool whose effects, once they took place, wait for the end of the process; empty for none.
	Hold string
}

// operator is who may resolve operations.
const operator = "olivia"

// Serve serves at a free port of the loopback interface until ctx or in ends: in is open for as long as the process that
// started this one is there.
func (o *Service) Serve(ctx context.Context, in io.Reader, out io.Writer) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // however it ended
	}()
	store, err := sqlite.Open(ctx, o.DB, sqlite.WithClock(func() time.Time { return time.Now().Add(o.Ahead) }))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	carrier := shop.NewCarrier(o.Book)
	carrier.Hold(func(effect context.Context, r shop.Request) {
		if r.Tool != o.Hold {
			return
		}
		_, _ = fmt.Fprintln(out, saysHolding+r.OperationID) // nobody is there to read it
		select {
		case <-effect.Done():
		case <-ctx.Done():
		}
	})
	srv, g, err := serviceOf(shop.CarrierTools(carrier, server.Timeouts{}), server.WithLedger(store), server.WithStopDelay(0),
		server.WithOperators(func(_ context.Context, id auth.Identity) bool { return id.Principal == operator }))
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err //nolint:wrapcheck // it says where
	}
	served := make(chan error, 1)
	go func() { served <- g.Serve(listener) }()
	if _, err := fmt.Fprintln(out, saysListening+listener.Addr().String()); err != nil {
		cancel()
	}
	select {
	case err := <-served:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	limited, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer done()
	return srv.Shutdown(limited, g)
}
