package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/interceptors/validate"
	"github.com/remedyrpc/remedy/internal/shop"
	"github.com/remedyrpc/remedy/server"
)

// The exit codes; the package comment and --help say what they mean.
const (
	exitOK = iota
	exitFailed
	exitUsage
	exitCutOff
)

// run runs one command line until ctx ends, and returns the exit code.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	f, err := parse(args, out, errs)
	switch {
	case err != nil:
		complain(errs, fmt.Errorf("%w; see remedyd --help", err))
		return exitUsage
	case f == nil:
		return exitOK
	}
	d, err := f.daemon(newLogger(f, errs))
	if err != nil {
		complain(errs, err)
		return exitFailed
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.Listen)
	if err != nil {
		complain(errs, fmt.Errorf("--listen %s: %w: stop what listens there, or choose another port; port 0 takes a free one",
			f.Listen, err))
		return exitFailed
	}
	if _, err := fmt.Fprintf(out, "remedyd: listening on %s\n", listener.Addr()); err != nil {
		complain(errs, fmt.Errorf("printing the address: %w", err))
		return exitFailed
	}
	return d.serve(ctx, listener)
}

func complain(w io.Writer, err error) {
	_, _ = fmt.Fprintf(w, "remedyd: %v\n", err) // there is nobody else to tell
}

// daemon is everything that serves.
type daemon struct {
	flags  *flags
	logger *slog.Logger
	server *server.Server
	grpc   *grpc.Server
}

// daemon assembles what the flags ask for.
func (f *flags) daemon(logger *slog.Logger) (*daemon, error) {
	srv, err := server.New(shop.Tools(shop.New(shop.DefaultSeed())),
		server.WithLogger(logger), server.WithMaxOperations(f.MaxOperations), server.WithStopDelay(f.StopDelay))
	if err != nil {
		return nil, fmt.Errorf("making the server: %w", err)
	}
	rules, err := validate.New(nil)
	if err != nil {
		return nil, fmt.Errorf("making the validation: %w", err)
	}
	suppressed := &encode.Suppressed{Report: func(ctx context.Context, method string) {
		logger.LogAttrs(ctx, slog.LevelWarn, "an error was larger than its caller takes, and did not arrive", slog.String("method", method))
	}}
	stages := []interceptors.ServerOption{
		interceptors.WithTelemetry(suppressed),
		interceptors.WithEncode(encode.WithLogger(logger)), interceptors.WithValidate(rules),
		interceptors.WithLimits(limits.WithDefaultTimeout(f.CallTimeout), limits.WithMaxConcurrent(f.MaxConcurrent)),
	}
	if host, _, err := net.SplitHostPort(f.Listen); err == nil && isLoopback(host) {
		identities, err := auth.New(logged(logger, developer(f.DevPrincipal)))
		if err != nil {
			return nil, fmt.Errorf("making the identities: %w", err)
		}
		stages = append(stages, interceptors.WithAuth(identities))
	}
	options, err := interceptors.ServerOptions(stages...)
	if err != nil {
		return nil, fmt.Errorf("making the interceptors: %w", err)
	}
	g := grpc.NewServer(options...)
	srv.Register(g)
	return &daemon{flags: f, logger: logger, server: srv, grpc: g}, nil
}

// serve serves until ctx ends, then stops.
func (d *daemon) serve(ctx context.Context, listener net.Listener) int {
	if d.flags.AllowRemote {
		d.logger.LogAttrs(ctx, slog.LevelWarn, "callers are not authenticated and nothing is encrypted")
	} else {
		d.logger.LogAttrs(ctx, slog.LevelWarn, "development: callers on loopback say themselves who they are")
	}
	served := make(chan error, 1)
	go func() { served <- d.grpc.Serve(listener) }()
	select {
	case err := <-served:
		d.logger.LogAttrs(ctx, slog.LevelError, "serving ended", slog.Any("error", err))
		return exitFailed
	case <-ctx.Done():
	}
	d.logger.LogAttrs(ctx, slog.LevelInfo, "stopping", slog.Duration("timeout", d.flags.StopTimeout))
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.flags.StopTimeout)
	defer cancel()
	if err := d.server.Shutdown(limited, d.grpc); err != nil {
		d.logger.LogAttrs(ctx, slog.LevelError, "stopped with work left running", slog.Any("error", err))
		return exitCutOff
	}
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		d.logger.LogAttrs(ctx, slog.LevelError, "serving ended", slog.Any("error", err))
		return exitFailed
	}
	d.logger.LogAttrs(ctx, slog.LevelInfo, "stopped")
	return exitOK
}

func newLogger(f *flags, w io.Writer) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		level = slog.LevelInfo // the flag allows no other text
	}
	options := &slog.HandlerOptions{Level: level}
	if f.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}
