package telemetry_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/telemetry"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

const secret = "hunter2"

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair, errs.Steps(errs.ChangeInput("")))

// observed is a server and a client that are traced and counted.
type observed struct {
	spans  *tracetest.SpanRecorder
	reader *sdkmetric.ManualReader
	conn   *grpc.ClientConn
	ended  endSignal
}

// endSignal is a stats handler, registered after the others, that says when they have seen the end of a call.
type endSignal chan struct{}

func (s endSignal) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context   { return ctx }
func (s endSignal) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (s endSignal) HandleConn(context.Context, stats.ConnStats)                       {}

func (s endSignal) HandleRPC(_ context.Context, event stats.RPCStats) {
	if _, ok := event.(*stats.End); ok {
		s <- struct{}{}
	}
}

func observe(t *testing.T, handle func(context.Context) error) observed {
	t.Helper()
	o := observed{spans: tracetest.NewSpanRecorder(), reader: sdkmetric.NewManualReader(), ended: make(endSignal, 2)}
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(o.spans))
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(o.reader))
	handler, err := telemetry.New(telemetry.WithMeterProvider(meters), telemetry.WithDefinitions(slotStale))
	if err != nil {
		t.Fatal(err)
	}
	server, err := interceptors.ServerOptions(interceptors.WithTelemetry(
		handler, otelgrpc.NewServerHandler(otelgrpc.WithTracerProvider(tracers)), o.ended))
	if err != nil {
		t.Fatal(err)
	}
	clientSide, err := telemetry.New(telemetry.WithMeterProvider(sdkmetric.NewMeterProvider()))
	if err != nil {
		t.Fatal(err)
	}
	o.conn = grpctest.Serve(t, &grpctest.Service{Handle: handle}, server, append(interceptors.DialOptions(),
		grpc.WithStatsHandler(clientSide), grpc.WithStatsHandler(otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(tracers))),
		grpc.WithStatsHandler(o.ended)))
	return o
}

// call makes one call and returns the spans of both sides.
func (o observed) call(t *testing.T, kind grpctest.Kind) []sdktrace.ReadOnlySpan {
	t.Helper()
	_ = grpctest.Call(t.Context(), o.conn, kind)
	<-o.ended
	<-o.ended
	return o.spans.Ended()
}

func (o observed) counts(t *testing.T) map[string]int64 {
	t.Helper()
	var all metricdata.ResourceMetrics
	if err := o.reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int64)
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			sum, ok := m.Data.(metricdata.Sum[int64])
			if !ok || m.Name != "remedy.errors" {
				continue
			}
			for _, point := range sum.DataPoints {
				code, _ := point.Attributes.Value("error.type")
				retry, _ := point.Attributes.Value("remedy.error.retry")
				if point.Attributes.Len() != 2 {
					t.Errorf("a series has other attributes: %v", point.Attributes.ToSlice())
				}
				counts[code.AsString()+"/"+retry.AsString()] = point.Value
			}
		}
	}
	return counts
}

func TestSpansAndCounts(t *testing.T) {
	t.Parallel()
	unlisted := errs.MustDefine("made_up_"+"code", errs.Never)
	tests := []struct {
		name   string
		err    error
		series string // empty for none
		attrs  map[string]string
		status otelcodes.Code
	}{
		{
			"listed", slotStale.New(errs.Detail("slotId", secret)), "slot_stale/after_repair",
			map[string]string{"error.type": "slot_stale", "remedy.error.code": "slot_stale", "remedy.error.retry": "after_repair"},
			otelcodes.Error,
		},
		{
			"not listed", unlisted.New(), "_OTHER/never",
			map[string]string{"error.type": "_OTHER", "remedy.error.code": "made_up_code", "remedy.error.retry": "never"},
			otelcodes.Error,
		},
		{
			"catalog", &errs.OutcomeUnknownError{Tool: "x", OperationKey: secret}, "outcome_unknown/never",
			map[string]string{
				"error.type": "outcome_unknown", "remedy.error.code": "outcome_unknown", "remedy.error.retry": "never",
				"remedy.error.effect": "unknown",
			},
			otelcodes.Error,
		},
		{
			"canceled", &errs.AbortedError{RunID: secret}, "aborted/never",
			map[string]string{"error.type": "aborted", "remedy.error.code": "aborted", "remedy.error.retry": "never"},
			otelcodes.Unset,
		},
		{"foreign", status.Error(codes.NotFound, "no"), "", nil, otelcodes.Unset},
	}
	for _, test := range tests {
		for _, kind := range grpctest.Kinds() {
			t.Run(test.name+"/"+string(kind), func(t *testing.T) {
				t.Parallel()
				o := observe(t, func(context.Context) error { return test.err })
				spans := o.call(t, kind)
				if len(spans) != 2 {
					t.Fatalf("got %d spans, want one of each side", len(spans))
				}
				for _, span := range spans {
					want := test.attrs
					if span.SpanKind() == trace.SpanKindClient && test.name == "listed" {
						want = map[string]string{"error.type": "_OTHER", "remedy.error.code": "slot_stale", "remedy.error.retry": "after_repair"}
					}
					if diff := cmp.Diff(want, ours(span.Attributes())); diff != "" {
						t.Errorf("%v span (-want +got):\n%s", span.SpanKind(), diff)
					}
					// otelgrpc itself marks every failed client span.
					if got := span.Status().Code; span.SpanKind() == trace.SpanKindServer && got != test.status {
						t.Errorf("server span has status %v, want %v", got, test.status)
					}
					if strings.Contains(fmt.Sprint(span.Attributes()), secret) {
						t.Errorf("a value is on the span: %v", span.Attributes())
					}
				}
				for name, count := range o.counts(t) {
					want := int64(0)
					if name == test.series {
						want = 1
					}
					if count != want {
						t.Errorf("series %s: got %d, want %d", name, count, want)
					}
				}
			})
		}
	}
}

// ours returns the attributes that this package may set.
func ours(attrs []attribute.KeyValue) map[string]string {
	var found map[string]string
	for _, a := range attrs {
		if key := string(a.Key); strings.HasPrefix(key, "remedy.") || key == "error.type" {
			if found == nil {
				found = make(map[string]string)
			}
			found[key] = a.Value.AsString()
		}
	}
	return found
}

func TestEverySeriesStartsAtZero(t *testing.T) {
	t.Parallel()
	counts := observe(t, nil).counts(t)
	for _, name := range []string{
		"invalid_input/after_repair", "outcome_unknown/never", "outcome_unknown/as_is", "provider_error/as_is", "internal/never",
		"slot_stale/after_repair", "_OTHER/never",
	} {
		if count, ok := counts[name]; !ok || count != 0 {
			t.Errorf("series %s: got %d %v, want zero", name, count, ok)
		}
	}
	if len(counts) < 40 {
		t.Errorf("got %d series, fewer than the catalog has codes", len(counts))
	}
}

func ExampleNew() {
	handler, err := telemetry.New(telemetry.WithDefinitions(slotStale))
	if err != nil {
		fmt.Println(err)
		return
	}
	options, err := interceptors.ServerOptions(interceptors.WithTelemetry(handler, otelgrpc.NewServerHandler()))
	fmt.Println(len(options), errors.Is(err, nil))
	// Output: 4 true
}
