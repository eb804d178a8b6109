package server

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/server/ledger"
)

const (
	// progressEvery is how often at most a word of progress is written.
	progressEvery = time.Second
	// maxProgressMessage is the longest message of it, in bytes.
	maxProgressMessage = 256
)

// Progress tells those who watch the operation how far it is: done of total, in any unit, total being zero where nobody knows,
// and a message of at most 256 bytes, which may be empty. It is for Execute and the effect; elsewhere, and once the operation
// has ended, nobody is told. It does not wait, and never fails: what cannot be told is left out. At most one word a second is
// written to the ledger, always the latest. Whoever may see the operation sees it, also after it was lost.
func (o *Op) Progress(done, total float64, message string) {
	if o.reporter == nil {
		return
	}
	text := authored.Clean(message)
	if len(text) > maxProgressMessage {
		text = strings.ToValidUTF8(text[:maxProgressMessage], "")
	}
	word, err := proto.Marshal(&servicev1.OperationProgress{
		Done: amount(done), Total: amount(total), Message: text, Time: timestamppb.Now(),
	})
	if err == nil {
		o.reporter.tell(word)
	}
}

// amount is a number of progress: what is none, or is endless, is zero.
func amount(x float64) float64 {
	if x > 0 && !math.IsInf(x, 1) {
		return x
	}
	return 0
}

// reporter writes what one attempt says of how far it is.
type reporter struct {
	server *Server
	hold   ledger.Hold

	mu      sync.Mutex
	latest  []byte             // still to be written; nil for nothing
	writing context.CancelFunc // ends whoever writes; nil for nobody
	ended   bool
}

// tell has a word be written, in place of one that was not yet.
func (r *reporter) tell(word []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.latest = word
	if r.writing == nil {
		ctx, cancel := context.WithCancel(r.server.lifetime)
		r.writing = cancel
		go r.write(ctx)
	}
}

// end has nothing be written any more.
func (r *reporter) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended, r.latest = true, nil
	if r.writing != nil {
		r.writing()
	}
}

// next is the word to write. Without one nobody writes, until there is another.
func (r *reporter) next() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	word := r.latest
	if r.latest = nil; word == nil {
		r.writing()
		r.writing = nil
	}
	return word
}

// write writes words while there are any, and the attempt has its row.
func (r *reporter) write(ctx context.Context) {
	timer := time.NewTimer(progressEvery)
	defer timer.Stop()
	for word := r.next(); word != nil; word = r.next() {
		timer.Reset(progressEvery)
		if _, ours, err := r.server.ledger.Progress(ctx, r.hold, word); err == nil && !ours {
			r.end()
		}
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
}

// progressOf reads what a row says of how far its operation is.
func progressOf(row *ledger.Row) *servicev1.OperationProgress {
	var p servicev1.OperationProgress
	if len(row.Progress) == 0 || proto.Unmarshal(row.Progress, &p) != nil || row.State == ledger.Closed {
		return nil
	}
	return &p
}
