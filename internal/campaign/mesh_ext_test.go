//go:build crashpoint && linux

package campaign_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// mesh is a proxy as they are between services: it knows nothing of what it carries, and sends a request again whenever it is
// answered CANCELLED or UNAVAILABLE, or not at all, whatever trailers say. It loses answers, too. What it sees of the daemon, it
// tells.
type mesh struct {
	target    atomic.Pointer[string]
	transport *http.Transport
	server    *http.Server
	addr      string
	seen      func(request []byte, answer meshAnswer) // of the daemon

	mu     sync.Mutex
	random *rand.Rand
	did    map[string]int
}

const meshTries = 4

func newMesh(random *rand.Rand, seen func([]byte, meshAnswer)) (*mesh, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	plain := new(http.Protocols)
	plain.SetUnencryptedHTTP2(true)
	m := &mesh{
		transport: &http.Transport{Protocols: plain}, addr: listener.Addr().String(), seen: seen, random: random, did: map[string]int{},
	}
	m.server = &http.Server{Protocols: plain, Handler: m}
	go func() { _ = m.server.Serve(listener) }()
	return m, nil
}

func (m *mesh) lead(addr string) { m.target.Store(&addr) }

func (m *mesh) close() {
	_ = m.server.Close()
	m.transport.CloseIdleConnections()
}

// chance is true so many times of a hundred.
func (m *mesh) chance(percent int, what string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.random.IntN(100) >= percent {
		return false
	}
	m.did[what]++
	return true
}

func (m *mesh) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	request, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	ctx := r.Context()
	if !m.chance(50, "ends with its caller") {
		ctx = context.WithoutCancel(ctx)
	}
	for try := 1; ; try++ {
		answer := m.forward(ctx, r, request)
		again := repeats(answer.code)
		if !answer.none {
			m.seen(request, answer)
			if answer.code == codes.OK && m.chance(30, "answer lost") {
				again, answer = true, noAnswer()
			}
		}
		if again && try < meshTries && ctx.Err() == nil {
			m.chance(100, "sent again")
			pause(ctx, 5*time.Millisecond)
			continue
		}
		maps.Copy(w.Header(), answer.header)
		_, _ = w.Write(answer.body)
		for name, values := range answer.trailer {
			w.Header()[http.TrailerPrefix+name] = values
		}
		return
	}
}

// meshAnswer is an answer of the daemon, or what the proxy says where there is none.
type meshAnswer struct {
	none            bool
	code            codes.Code
	header, trailer http.Header
	body            []byte
}

// repeats reports whether the proxy sends a request again after a status.
func repeats(code codes.Code) bool { return code == codes.Unavailable || code == codes.Canceled }

// said is the code of the error that an answer tells of, where it is a typed one.
func (a meshAnswer) said() errs.Code {
	text := a.trailer.Get("Grpc-Status-Details-Bin")
	if text == "" {
		text = a.header.Get("Grpc-Status-Details-Bin")
	}
	details, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	var p spb.Status
	if err != nil || proto.Unmarshal(details, &p) != nil {
		return ""
	}
	return errs.CodeOf(errs.FromStatus(status.FromProto(&p)))
}

func noAnswer() meshAnswer {
	return meshAnswer{
		none: true, code: codes.Unavailable, header: http.Header{"Content-Type": {"application/grpc"}},
		trailer: http.Header{"Grpc-Status": {strconv.Itoa(int(codes.Unavailable))}, "Grpc-Message": {"upstream reset"}},
	}
}

// forward sends a request to the daemon once.
func (m *mesh) forward(ctx context.Context, r *http.Request, request []byte) meshAnswer {
	target := m.target.Load()
	if target == nil || *target == "" {
		return noAnswer()
	}
	out, err := http.NewRequestWithContext(ctx, r.Method, "http://"+*target+r.URL.Path, bytes.NewReader(request))
	if err != nil {
		return noAnswer()
	}
	out.Header = r.Header.Clone()
	answer, err := m.transport.RoundTrip(out)
	if err != nil {
		return noAnswer()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	text := answer.Trailer.Get("Grpc-Status")
	if text == "" {
		text = answer.Header.Get("Grpc-Status") // trailers only
	}
	code, convErr := strconv.ParseUint(text, 10, 32)
	if err != nil || convErr != nil {
		return noAnswer()
	}
	return meshAnswer{code: codes.Code(code), header: answer.Header, trailer: answer.Trailer, body: body}
}

// keyOf is the operation key of a request; empty for one that is no call of a tool.
func keyOf(request []byte) string {
	const prefix = 5
	var call servicev1.CallToolRequest
	if len(request) < prefix || int(binary.BigEndian.Uint32(request[1:])) != len(request)-prefix ||
		proto.Unmarshal(request[prefix:], &call) != nil {
		return ""
	}
	return call.GetOperationKey()
}

// TestMesh has callers that do not retry, and now and then have little time, behind a proxy that does, while the daemon is killed
// or stopped: one effect for each key; and past its boundary no operation is answered CANCELLED or UNAVAILABLE, which the proxy
// would repeat.
func TestMesh(t *testing.T) {
	t.Parallel()
	const number, kills, keys, callers = 1 << 32, 12, 240, 8
	folder := keep(t)
	w := newWorld(folder, filepath.Join(folder, "operations.db"), *seedFlag, number)
	w.crowd, w.hasty = 0, true
	random := rand.New(rand.NewPCG(*seedFlag, number))
	var look atomic.Pointer[client.Client] // past the proxy
	var mu sync.Mutex
	said := map[string]int{}
	m, err := newMesh(rand.New(rand.NewPCG(*seedFlag, number+1)), func(request []byte, answer meshAnswer) {
		key := keyOf(request)
		if key == "" {
			return
		}
		mu.Lock()
		said[answer.code.String()+" "+string(answer.said())]++
		mu.Unlock()
		// A daemon that stops answers that without looking at the operation, and the next one takes the call.
		if repeats(answer.code) && answer.said() != errs.CodeShuttingDown {
			w.beforeBoundary(t.Context(), look.Load(), key, answer.code)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	c, err := w.dialOnce(m.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	calling, leave := context.WithCancel(t.Context())
	defer leave()
	w.focus(0, anything)
	wait := w.callers(calling, callers, c)
	var d *daemon
	var ahead time.Duration
	for range kills {
		ahead += leasesOut
		if d, err = w.start(life{ahead: ahead, sweep: time.Second}); err != nil {
			t.Fatal(err)
		}
		past, err := w.dialOnce(d.addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = past.Close() })
		look.Store(past)
		m.lead(d.addr)
		w.focus(keys/kills, anything)
		d.ended(time.Duration(500+random.IntN(1000)) * time.Millisecond)
		if random.IntN(3) == 0 {
			d.signal(syscall.SIGTERM)
			d.ended(10 * time.Second)
		}
		d.kill()
		m.lead("")
	}
	leave()
	wait()
	if d, err = w.start(life{ahead: ahead + leasesOut, sweep: time.Second}); err != nil {
		t.Fatal(err)
	}
	defer d.kill()
	last, err := w.dial(d.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer last.Close()
	_, late := settle(t.Context(), last, settling)
	reports, states := w.audit(t.Context(), last)
	t.Logf("seed %d: %d daemons, %d operations\nthe proxy: %v\nthe daemon: %v\nanswers and moves: %v\nended: %v",
		*seedFlag, kills, len(w.intents), m.did, said, w.counts, states)
	if err := broken(late, reports); err != nil {
		t.Fatalf("seed %d, kept in %s\n%v", *seedFlag, folder, err)
	}
	if m.did["answer lost"] == 0 || m.did["sent again"] == 0 {
		t.Error("the proxy did nothing")
	}
	_ = os.RemoveAll(folder)
}

// beforeBoundary checks that an operation that was answered with a status that proxies retry is not past its boundary. Nobody else
// calls for it at this moment.
func (w *world) beforeBoundary(ctx context.Context, c *client.Client, key string, code codes.Code) {
	w.mu.Lock()
	in := w.intents[key]
	w.mu.Unlock()
	operation, err := c.Operation(ctx, client.OperationKey(in.tool, key))
	if err != nil { // none, or the daemon was killed
		return
	}
	if state := operation.GetState(); state != stateFree && (state != stateClaimed || operation.GetCrossings() > 0) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.wrongf("answered %v, while it is %v", code, state)
	}
}
