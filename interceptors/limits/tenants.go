package limits

import (
	"container/list"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxTenants bounds the memory that names chosen by callers can take.
const maxTenants = 10_000

// tenants holds a token bucket for each tenant, the most recently used first.
type tenants struct {
	limit  rate.Limit
	burst  int
	tenant func(context.Context) string

	mu     sync.Mutex
	byName map[string]*list.Element
	order  *list.List
}

type bucket struct {
	name    string
	limiter *rate.Limiter
}

// bucketOf returns what an element holds; only buckets are in the list.
func bucketOf(e *list.Element) *bucket {
	b, _ := e.Value.(*bucket)
	return b
}

func newTenants(limit rate.Limit, burst int, tenant func(context.Context) string) *tenants {
	return &tenants{limit: limit, burst: burst, tenant: tenant, byName: make(map[string]*list.Element), order: list.New()}
}

// take starts one call of the tenant, or returns how long it has to wait.
func (t *tenants) take(ctx context.Context, now time.Time) time.Duration {
	reservation := t.limiter(t.tenant(ctx)).ReserveN(now, 1)
	wait := reservation.DelayFrom(now)
	if wait > 0 {
		reservation.CancelAt(now)
	}
	return wait
}

func (t *tenants) limiter(name string) *rate.Limiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e, ok := t.byName[name]; ok {
		t.order.MoveToFront(e)
		return bucketOf(e).limiter
	}
	if t.order.Len() >= maxTenants {
		oldest := t.order.Back()
		t.order.Remove(oldest)
		delete(t.byName, bucketOf(oldest).name)
	}
	b := &bucket{name: name, limiter: rate.NewLimiter(t.limit, t.burst)}
	t.byName[name] = t.order.PushFront(b)
	return b.limiter
}
