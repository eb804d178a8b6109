package remedyd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/interceptors/encode"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/interceptors/validate"
	"github.com/remedyrpc/remedy/server"
	"github.com/remedyrpc/remedy/server/ledger"
)

// serve opens the database, serves until ctx ends, and closes the database last.
func (p *program) serve(ctx context.Context, f *flags) int {
	logger := newLogger(f, p.err)
	if err := f.database.makeFolder(); err != nil {
		p.complain(databaseError{err})
		return ExitDatabase
	}
	store, err := f.open(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		logger.LogAttrs(ctx, slog.LevelInfo, "stopped before the database was open")
		return ExitOK
	case err != nil:
		p.complain(err)
		return ExitDatabase
	}
	warnDatabase(ctx, logger, f)
	warnEmpty(ctx, logger, f, store)
	code := p.serveWith(ctx, f, logger, store)
	if store == nil {
		return code
	}
	if err := store.Close(); err != nil {
		logger.LogAttrs(ctx, slog.LevelError, "the database could not be closed", slog.Any("error", err))
		if code == ExitOK {
			code = ExitDatabase
		}
	}
	return code
}

// warnDatabase says what is known of no operation, and what may be forgotten.
func warnDatabase(ctx context.Context, logger *slog.Logger, f *flags) {
	warnCrash(ctx, logger)
	switch {
	case f.database.kind == inMemory:
		logger.LogAttrs(ctx, slog.LevelWarn, "operations are kept in memory: a retry after the end of this process has its effect again")
	case f.DBDurability != "full":
		logger.LogAttrs(ctx, slog.LevelWarn, "a power cut may lose operations, and a retry after that has its effect again")
	}
	if f.SweepInterval == 0 {
		logger.LogAttrs(ctx, slog.LevelWarn, "operations whose process is gone stay as they are, and nothing is ever forgotten")
	}
}

// warnEmpty says that nothing is known of what was done before: the database is new, or not the one that was meant.
func warnEmpty(ctx context.Context, logger *slog.Logger, f *flags, store ledger.Ledger) {
	known, ok := store.(emptier)
	if !ok {
		return
	}
	db := slog.String("db", f.database.String())
	switch empty, err := known.Empty(ctx); {
	case err != nil:
		logger.LogAttrs(ctx, slog.LevelWarn, "it is not known whether there are operations in the database", db, slog.Any("error", err))
	case empty:
		logger.LogAttrs(ctx, slog.LevelWarn, "there is no operation in the database: a retry of what was done before has its effect again; "+
			"if there should be some, stop this, and look whether --db names the right one", db)
	}
}

// serveWith makes a daemon that listens, says so, and runs it.
func (p *program) serveWith(ctx context.Context, f *flags, logger *slog.Logger, store ledger.Ledger) int {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.Listen)
	if err != nil {
		p.complain(fmt.Errorf("--listen %s: %w: %s", f.Listen, err, unheard(err)))
		return ExitFailed
	}
	development := fromLoopback(listener.Addr())
	if !development && !f.AllowRemote {
		p.complain(errors.Join(fmt.Errorf("--listen %s: here it is %s, which is not a loopback address: write 127.0.0.1 or [::1]",
			f.Listen, listener.Addr()), listener.Close()))
		return ExitFailed
	}
	d, err := f.daemon(logger, store, development, p.tools)
	if err != nil {
		p.complain(errors.Join(err, listener.Close()))
		return ExitFailed
	}
	if _, err := fmt.Fprintf(p.out, "%s: operations are kept in %s\n%[1]s: listening on %[3]s\n",
		p.name, f.database, listener.Addr()); err != nil {
		p.complain(errors.Join(fmt.Errorf("printing the address: %w", err), listener.Close()))
		return ExitFailed
	}
	logger.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("address", listener.Addr().String()),
		slog.String("db", f.database.String()), slog.Int("tools", len(p.tools)))
	return d.serve(ctx, listener)
}

// daemon is everything that serves.
type daemon struct {
	stopTimeout time.Duration
	development bool
	logger      *slog.Logger
	server      *server.Server
	grpc        *grpc.Server
}

// daemon assembles what the flags ask for.
func (f *flags) daemon(logger *slog.Logger, store ledger.Ledger, development bool, tools []*server.AnyTool) (*daemon, error) {
	options := []server.Option{
		server.WithLogger(logger), server.WithLedger(store), server.WithRetention(f.KeepOutputs, f.KeepKeys),
		server.WithSweepInterval(f.SweepInterval), server.WithStopDelay(f.StopDelay),
	}
	if f.MaxOperations > 0 {
		options = append(options, server.WithMaxOperations(f.MaxOperations))
	}
	identify := auth.Func(stranger)
	if development {
		identify = developer(f.DevPrincipal)
		options = append(options, server.WithOperators(everybody))
	}
	srv, err := server.New(tools, options...)
	if err != nil {
		return nil, err // it says what it is of
	}
	for _, tool := range tools {
		if f.CallTimeout > 0 && tool.Window() > f.CallTimeout {
			return nil, fmt.Errorf("--call-timeout %v: the tool %s needs a window of %v, so every caller without a deadline would be refused: "+
				"raise it", f.CallTimeout, tool.Name(), tool.Window())
		}
	}
	stages, err := f.stages(logger, identify)
	if err != nil {
		return nil, err
	}
	g := grpc.NewServer(append(stages, grpc.WaitForHandlers(true))...)
	srv.Register(g)
	return &daemon{stopTimeout: f.StopTimeout, development: development, logger: logger, server: srv, grpc: g}, nil
}

// stages are what is around every call, in the order of package interceptors.
func (f *flags) stages(logger *slog.Logger, identify auth.Func) ([]grpc.ServerOption, error) {
	rules, err := validate.New(nil)
	if err != nil {
		return nil, fmt.Errorf("making the validation: %w", err)
	}
	identities, err := auth.New(logged(logger, identify))
	if err != nil {
		return nil, fmt.Errorf("making the identities: %w", err)
	}
	suppressed := &encode.Suppressed{Report: func(ctx context.Context, method string) {
		logger.LogAttrs(ctx, slog.LevelWarn, "an error was larger than its caller takes, and did not arrive", slog.String("method", method))
	}}
	options, err := interceptors.ServerOptions(
		interceptors.WithTelemetry(suppressed), interceptors.WithEncode(encode.WithLogger(logger)), interceptors.WithAuth(identities),
		interceptors.WithLimits(limits.WithDefaultTimeout(f.CallTimeout), limits.WithMaxConcurrent(f.MaxConcurrent)),
		interceptors.WithValidate(rules))
	if err != nil {
		return nil, fmt.Errorf("making the interceptors: %w", err)
	}
	return options, nil
}

// serve serves until ctx ends, then stops.
func (d *daemon) serve(ctx context.Context, listener net.Listener) int {
	if d.development {
		d.logger.LogAttrs(ctx, slog.LevelWarn, "development: callers on loopback say themselves who they are, and each is an operator")
	} else {
		d.logger.LogAttrs(ctx, slog.LevelWarn, "callers are not authenticated, all of them are one, and nothing is encrypted")
		d.logger.LogAttrs(ctx, slog.LevelWarn, "nobody is an operator, so nobody can resolve or purge an operation: for that, serve the same "+
			"database on loopback, an SQLite file once this has stopped")
	}
	served := make(chan error, 1)
	go func() { served <- d.grpc.Serve(listener) }()
	select {
	case err := <-served:
		d.logger.LogAttrs(ctx, slog.LevelError, "serving ended", slog.Any("error", err))
		return ExitFailed
	case <-ctx.Done():
	}
	d.logger.LogAttrs(ctx, slog.LevelInfo, "stopping", slog.Duration("timeout", d.stopTimeout))
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), d.stopTimeout)
	defer cancel()
	if err := d.server.Shutdown(limited, d.grpc); err != nil {
		d.logger.LogAttrs(ctx, slog.LevelError, "stopped with work left running", slog.Any("error", err))
		return ExitCutOff
	}
	if err := <-served; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		d.logger.LogAttrs(ctx, slog.LevelError, "serving ended", slog.Any("error", err))
		return ExitFailed
	}
	d.logger.LogAttrs(ctx, slog.LevelInfo, "stopped")
	return ExitOK
}
