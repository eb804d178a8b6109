package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	otelcodes "go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/errs"
)

// Attributes of spans and metrics. error.type is that of the OpenTelemetry conventions, with our code as its value: the
// gRPC code has an attribute of its own.
const (
	keyErrorType = attribute.Key("error.type")
	keyCode      = attribute.Key("remedy.error.code")
	keyRetry     = attribute.Key("remedy.error.retry")
	keyEffect    = attribute.Key("remedy.error.effect")
	keyErrorID   = attribute.Key("remedy.error.id")

	otherCode = "_OTHER"
)

// Handler is a stats handler for servers and clients. It is immutable and safe for concurrent use.
type Handler struct {
	counter metric.Int64Counter
	series  map[series]metric.MeasurementOption
}

var _ stats.Handler = (*Handler)(nil)

// series is one time series of the counter.
type series struct {
	code  errs.Code
	retry errs.RetryPolicy
}

func newHandler(counter metric.Int64Counter, definitions []*errs.Definition) *Handler {
	h := &Handler{counter: counter, series: make(map[series]metric.MeasurementOption)}
	for _, s := range catalog() {
		h.start(s)
	}
	for _, d := range definitions {
		h.start(series{d.Code(), d.RetryPolicy()})
	}
	for _, retry := range []errs.RetryPolicy{errs.Never, errs.AsIs, errs.AfterRepair} {
		h.start(series{otherCode, retry})
	}
	return h
}

// start makes a series that counts from zero.
func (h *Handler) start(s series) {
	h.series[s] = metric.WithAttributeSet(attribute.NewSet(keyErrorType.String(string(s.code)), keyRetry.String(s.retry.String())))
	h.counter.Add(context.Background(), 0, h.series[s])
}

// TagRPC implements [stats.Handler].
func (h *Handler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

// HandleRPC implements [stats.Handler]: it acts on the end of a call.
func (h *Handler) HandleRPC(ctx context.Context, event stats.RPCStats) {
	end, ok := event.(*stats.End)
	if !ok || end.Error == nil {
		return
	}
	code := errs.CodeOf(end.Error)
	if code == "" {
		return // not ours: otelgrpc says what there is to say
	}
	s := series{code, errs.RetryOf(end.Error)}
	if _, known := h.series[s]; !known {
		s.code = otherCode
	}
	h.counter.Add(ctx, 1, h.series[s])
	h.stamp(trace.SpanFromContext(ctx), s, code, end.Error)
}

// stamp says on the span what kind of error the call ended with. The message is not said: it may name values.
func (h *Handler) stamp(span trace.Span, s series, code errs.Code, err error) {
	if !span.IsRecording() {
		return
	}
	info := errs.InfoOf(err)
	attrs := []attribute.KeyValue{
		keyErrorType.String(string(s.code)), keyCode.String(string(code)), keyRetry.String(s.retry.String()),
	}
	if effect := info.Effect.String(); effect != "" {
		attrs = append(attrs, keyEffect.String(effect))
	}
	if info.ErrorID != "" {
		attrs = append(attrs, keyErrorID.String(info.ErrorID))
	}
	span.SetAttributes(attrs...)
	if status.Code(err) != codes.Canceled {
		span.SetStatus(otelcodes.Error, "")
	}
}

// TagConn implements [stats.Handler].
func (h *Handler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn implements [stats.Handler].
func (h *Handler) HandleConn(context.Context, stats.ConnStats) {}
