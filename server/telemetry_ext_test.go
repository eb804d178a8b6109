package server_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"google.golang.org/grpc"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/internal/grpctest"
	"github.com/remedyrpc/remedy/server"
)

// down is whatever takes spans and log lines away, and is not there.
type down struct{ tried atomic.Int32 }

var errDown = errors.New("the collector is down")

func (d *down) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	d.tried.Add(1)
	return errDown
}
func (d *down) Shutdown(context.Context) error { return errDown }

func (d *down) Enabled(context.Context, slog.Level) bool  { return true }
func (d *down) Handle(context.Context, slog.Record) error { d.tried.Add(1); panic(errDown) }
func (d *down) WithAttrs([]slog.Attr) slog.Handler        { return d }
func (d *down) WithGroup(string) slog.Handler             { return d }
func (d *down) observe(context.Context, server.Event)     { d.tried.Add(1); panic(errDown) }

// TestTelemetryDown has everything that is told of calls fail on each of them. The calls go on as if nobody were told.
func TestTelemetryDown(t *testing.T) {
	t.Parallel()
	var spans, lines, events down
	s := script{effect: func(_ context.Context, _ *server.Op, in in) (out, error) {
		if in.N == 1 {
			return out{}, errors.New("lost")
		}
		return out(in), nil
	}}
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(&spans)) // in the call, where it would do most harm
	defer func() { _ = provider.Shutdown(t.Context()) }()
	srv := s.server(t, server.WithLogger(slog.New(&lines)), server.WithObserver(events.observe))
	options, err := interceptors.ServerOptions()
	if err != nil {
		t.Fatal(err)
	}
	options = append(options, grpc.StatsHandler(otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(provider))))
	conn := grpctest.ServeAny(t, func(r grpc.ServiceRegistrar) { srv.Register(r) }, options, interceptors.DialOptions())
	tools := servicev1.NewToolServiceClient(conn)
	for i, want := range []errs.Code{"", errs.CodeOutcomeUnknown, errs.CodeInvalidInput} {
		for range 2 {
			input := []string{`{"id":"a"}`, `{"id":"a","n":1}`, `{"id":7}`}[i]
			response, err := tools.CallTool(t.Context(), request("k"+string(rune('0'+i)), input))
			if want == "" && (err != nil || response.GetResult().GetOutputJson() != input) ||
				errs.CodeOf(err) != want {
				t.Errorf("%s: got %v, %v", input, response, err)
			}
		}
	}
	if got := s.count("effect"); got != 2 {
		t.Errorf("%d effects", got)
	}
	conn.Close() // the span of the last call has ended with it
	if spans.tried.Load() == 0 || lines.tried.Load() == 0 || events.tried.Load() != 6 {
		t.Errorf("tried: %d spans, %d lines, %d events", spans.tried.Load(), lines.tried.Load(), events.tried.Load())
	}
}
