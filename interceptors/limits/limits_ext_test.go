package limits_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/interceptors"
	"github.com/remedyrpc/remedy/interceptors/limits"
	"github.com/remedyrpc/remedy/internal/grpctest"
)

func newStage(tb testing.TB, options ...limits.Option) *limits.Stage {
	tb.Helper()
	stage, err := limits.New(options...)
	if err != nil {
		tb.Fatal(err)
	}
	return stage
}

func TestEarlyDeadline(t *testing.T) {
	t.Parallel()
	tests := []struct{ left, want time.Duration }{
		{-time.Second, 0},
		{0, 0},
		{40 * time.Millisecond, 10 * time.Millisecond},  // a quarter
		{100 * time.Millisecond, 25 * time.Millisecond}, // a quarter and the least
		{200 * time.Millisecond, 25 * time.Millisecond}, // the least
		{500 * time.Millisecond, 25 * time.Millisecond}, // the least and 5 %
		{time.Second, 50 * time.Millisecond},            // 5 %
		{5 * time.Second, 250 * time.Millisecond},       // 5 % and the most
		{time.Hour, 250 * time.Millisecond},             // the most
		{math.MaxInt64, 250 * time.Millisecond},
	}
	for _, test := range tests {
		if got := limits.EarlyDeadline(test.left); got != test.want {
			t.Errorf("%v left: got %v, want %v", test.left, got, test.want)
		}
	}
}

func TestDeadlines(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		options []limits.Option
		caller  time.Duration // zero for none
		early   bool
		want    time.Duration // zero for none
	}{
		{"none", nil, 0, true, 0},
		{"the caller's, early", nil, time.Second, true, 950 * time.Millisecond},
		{"the caller's, for a handler that reads", nil, time.Second, false, time.Second},
		{"the caller's, late", []limits.Option{limits.WithoutEarlyDeadline()}, time.Second, true, time.Second},
		{"default", []limits.Option{limits.WithDefaultTimeout(time.Minute)}, 0, true, time.Minute},
		{"default is not for callers with one", []limits.Option{limits.WithDefaultTimeout(time.Minute)}, time.Hour, false, time.Hour},
		{"most", []limits.Option{limits.WithMaxTimeout(time.Minute)}, time.Hour, true, time.Minute},
		{"most without a caller's", []limits.Option{limits.WithMaxTimeout(time.Minute)}, 0, true, time.Minute},
		{"most bounds default", []limits.Option{limits.WithMaxTimeout(time.Minute), limits.WithDefaultTimeout(time.Hour)}, 0, true, time.Minute},
		{"most is not for shorter ones", []limits.Option{limits.WithMaxTimeout(time.Hour)}, time.Second, false, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if test.caller > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, test.caller)
					defer cancel()
				}
				ctx, release, err := newStage(t, test.options...).Enter(ctx, "/a.B/C", test.early)
				defer release()
				if err != nil {
					t.Fatal(err)
				}
				deadline, ok := ctx.Deadline()
				if got := time.Until(deadline); ok && got != test.want || ok != (test.want > 0) {
					t.Errorf("got %v %v, want %v", got, ok, test.want)
				}
			})
		})
	}
}

// TestDetailsArriveBeforeTheCallersDeadline has a handler that waits until its context ends. The typed error has to
// reach a caller that would otherwise give up.
func TestDetailsArriveBeforeTheCallersDeadline(t *testing.T) {
	t.Parallel()
	for _, kind := range []grpctest.Kind{grpctest.Unary, grpctest.ServerStream} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				options, err := interceptors.ServerOptions()
				if err != nil {
					t.Fatal(err)
				}
				conn := grpctest.Serve(t, &grpctest.Service{Handle: func(ctx context.Context) error {
					<-ctx.Done()
					return ctx.Err()
				}}, options, interceptors.DialOptions())
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				err = grpctest.Call(ctx, conn, kind).Err
				if e, ok := errors.AsType[*errs.ServiceError](err); !ok || e.Code != errs.CodeDeadlineExceeded {
					t.Errorf("got %T %v", err, err)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Error("errors.Is(err, context.DeadlineExceeded) is false")
				}
				if took := time.Since(start); took != 950*time.Millisecond {
					t.Errorf("it took %v, want 950ms", took)
				}
			})
		})
	}
}

func TestConcurrentCalls(t *testing.T) {
	t.Parallel()
	stage := newStage(t, limits.WithMaxConcurrent(2))
	enter := func(method string) (context.CancelFunc, error) {
		_, release, err := stage.Enter(t.Context(), method, true)
		return release, err
	}
	first, err1 := enter("/a.B/C")
	second, err2 := enter("/a.B/C")
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	refused, err := enter("/a.B/C")
	if !errors.Is(err, errs.CodeOverloaded) || !errs.Retryable(err) {
		t.Errorf("the third call: %v", err)
	}
	refused()
	if _, err := enter("/grpc.health.v1.Health/Check"); err != nil {
		t.Errorf("health is refused: %v", err)
	}
	first()
	third, err := enter("/a.B/C")
	if err != nil {
		t.Errorf("after one ended: %v", err)
	}
	second()
	third()
	if _, err := enter("/a.B/C"); err != nil {
		t.Errorf("after all ended: %v", err)
	}
}

func TestConcurrentCallsUnderLoad(t *testing.T) {
	t.Parallel()
	stage := newStage(t, limits.WithMaxConcurrent(3))
	var wg sync.WaitGroup
	for range 64 {
		wg.Go(func() {
			for range 100 {
				_, release, _ := stage.Enter(t.Context(), "/a.B/C", true)
				release()
			}
		})
	}
	wg.Wait()
	for i := range 3 {
		if _, _, err := stage.Enter(t.Context(), "/a.B/C", true); err != nil {
			t.Errorf("call %d after the load: %v", i, err)
		}
	}
}

type tenantKey struct{}

func TestTenantRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		stage := newStage(t, limits.WithTenantRate(2, 2, func(ctx context.Context) string {
			name, _ := ctx.Value(tenantKey{}).(string)
			return name
		}))
		call := func(tenant string) error {
			_, release, err := stage.Enter(context.WithValue(t.Context(), tenantKey{}, tenant), "/a.B/C", true)
			release()
			return err
		}
		for range 2 {
			if err := call("a"); err != nil {
				t.Error(err)
			}
		}
		err := call("a")
		if after, ok := errs.RetryAfterOf(err); !errors.Is(err, errs.CodeOverloaded) || !ok || after != 500*time.Millisecond {
			t.Errorf("third call: %v after %v", err, after)
		}
		if err := call("b"); err != nil {
			t.Errorf("another tenant: %v", err)
		}
		time.Sleep(500 * time.Millisecond)
		if err := call("a"); err != nil {
			t.Errorf("after the delay: %v", err)
		}
	})
}

func TestTenantsAreBounded(t *testing.T) {
	t.Parallel()
	name := ""
	stage := newStage(t, limits.WithTenantRate(0.001, 1, func(context.Context) string { return name }))
	call := func(tenant string) error {
		name = tenant
		_, release, err := stage.Enter(t.Context(), "/a.B/C", true)
		release()
		return err
	}
	for i := range 10_001 {
		if err := call(strconv.Itoa(i)); err != nil {
			t.Fatalf("tenant %d: %v", i, err)
		}
	}
	if err := call("10000"); err == nil {
		t.Error("the newest tenant was forgotten")
	}
	if err := call("0"); err != nil {
		t.Errorf("the tenant that was idle longest is still remembered: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tenant := func(context.Context) string { return "" }
	for name, option := range map[string]limits.Option{
		"default timeout": limits.WithDefaultTimeout(-1),
		"max timeout":     limits.WithMaxTimeout(-1),
		"concurrent":      limits.WithMaxConcurrent(-1),
		"rate":            limits.WithTenantRate(0, 1, tenant),
		"no rate":         limits.WithTenantRate(math.NaN(), 1, tenant),
		"burst":           limits.WithTenantRate(1, 0, tenant),
		"tenant":          limits.WithTenantRate(1, 1, nil),
	} {
		if _, err := limits.New(option); err == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// TestYield has a call that waits leave its place to another one.
func TestYield(t *testing.T) {
	t.Parallel()
	stage := newStage(t, limits.WithMaxConcurrent(1))
	enters := func() (context.Context, func(), bool) {
		t.Helper()
		ctx, release, err := stage.Enter(t.Context(), "/x.Y/Z", true)
		return ctx, release, err == nil
	}
	ctx, release, ok := enters()
	if !ok {
		t.Fatal("the first was refused")
	}
	if _, _, ok := enters(); ok {
		t.Error("a second was admitted")
	}
	resume := limits.Yield(ctx)
	_, releaseOther, ok := enters()
	if !ok {
		t.Error("the place of who waits was not given to another")
	}
	resume() // above the limit, for a moment
	releaseOther()
	if _, _, ok := enters(); ok {
		t.Error("a second was admitted after the first came back")
	}
	release()
	if _, _, ok := enters(); !ok {
		t.Error("nobody is admitted after the end")
	}
	limits.Yield(t.Context())() // where no limit applies
}
