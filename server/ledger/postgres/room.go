package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// countEvery is how often operations are counted.
const countEvery = 5 * time.Second

// room says whether another operation may be stored.
type room struct {
	mu   sync.Mutex
	at   time.Time
	full bool
}

// hasRoom counts operations now and then, up to the bound. Where they cannot be counted, the claim will say why.
func (l *Ledger) hasRoom(ctx context.Context) bool {
	most := l.options.maxOperations
	if most == 0 {
		return true
	}
	l.room.mu.Lock()
	defer l.room.mu.Unlock()
	if time.Since(l.room.at) >= countEvery {
		var n int64
		err := l.pool.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM (SELECT 1 FROM %s LIMIT $1) AS o", l.dialect().Table), most).Scan(&n)
		if err == nil {
			l.room.at, l.room.full = time.Now(), n >= most
		}
	}
	return !l.room.full
}
