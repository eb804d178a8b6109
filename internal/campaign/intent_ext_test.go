//go:build crashpoint && linux

package campaign_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/client"
	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
	"github.com/remedyrpc/remedy/internal/shop"
)

// The tools of the carrier.
const (
	tracked   = "ship_tracked"   // with Recover and Verify
	untracked = "ship_untracked" // without
	now       = "ship_now"       // Immediate, with Recover
	once      = "ship_once"      // dedupes, without Recover
)

// What happens to a parcel on the way.
const (
	refused = "refused"
	closed  = "closed"
	lost    = "answer_lost"
)

// answer is what a caller was told, once or several times in a row.
type answer struct {
	at    time.Time
	text  string
	times int
}

func recovers(tool string) bool { return tool == tracked || tool == now }

// intent is what callers want to have once, under one key, and all that they were told of it.
type intent struct {
	number          int
	tool, key, fate string
	shared          bool // by callers that do not wait for each other

	mu       sync.Mutex
	answers  []answer
	receipt  *servicev1.ToolResult // the first that was acknowledged
	sent     bool                  // not all attempts are proven never to have been sent
	none     map[string]bool       // operations that were stated to have had no effect
	doubts   int                   // times that the service said that nobody knows
	over     bool                  // nothing more is to be asked
	problems []string
}

func (in *intent) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", in.key, in.tool, in.fate))
}

// wrongf notes a broken promise, once.
func (in *intent) wrongf(format string, args ...any) {
	if problem := fmt.Sprintf(format, args...); !slices.Contains(in.problems, problem) {
		in.problems = append(in.problems, problem)
	}
}

// acknowledged reports whether there was a receipt.
func (in *intent) acknowledged() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.receipt != nil
}

// attempted takes the answer to one attempt of a client, as its interceptors see it. Known says that there was a receipt before
// the attempt.
func (in *intent) attempted(w *world, known bool, result *servicev1.ToolResult, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.note(result, err)
	switch {
	case err == nil:
		in.sent = true
		w.count("receipt")
		in.succeeded(result)
	case provenUnsent(err):
		w.count("never sent")
	default:
		in.sent = true
		in.failed(w, known, err)
	}
}

// provenUnsent reports whether the client found that nothing was sent: else a lost answer is an unknown outcome.
func provenUnsent(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Canceled, codes.DeadlineExceeded:
		return errs.CodeOf(err) == ""
	default:
		return false
	}
}

func (in *intent) note(result *servicev1.ToolResult, err error) {
	said := fmt.Sprint(err)
	if err == nil {
		said = fmt.Sprintf("receipt of %s, replayed=%t: %s", result.GetOperationId(), result.GetReplayed(), result.GetOutputJson())
	} else if code := errs.CodeOf(err); code != "" {
		info := errs.InfoOf(err)
		said = fmt.Sprintf("%s effect=%q of %q", code, info.Effect, info.OperationID)
		if unknown, ok := errors.AsType[*errs.OutcomeUnknownError](err); ok {
			said += fmt.Sprintf(" inferred=%t %s", unknown.Inferred, unknown.Reason)
		}
	}
	if n := len(in.answers); n > 0 && in.answers[n-1].text == said {
		in.answers[n-1].times++
		return
	}
	in.answers = append(in.answers, answer{at: time.Now(), text: said, times: 1})
}

// succeeded checks that a receipt is the one that was acknowledged before.
func (in *intent) succeeded(result *servicev1.ToolResult) {
	if in.fate == refused && in.tool != now || in.fate == closed {
		in.wrongf("success, which cannot be: %v", result)
	}
	if in.none[result.GetOperationId()] {
		in.wrongf("a receipt of %s, which was stated to have had no effect", result.GetOperationId())
	}
	if in.receipt == nil {
		in.receipt = result
		return
	}
	if in.receipt.GetOperationId() != result.GetOperationId() || in.receipt.GetOutputJson() != result.GetOutputJson() {
		in.wrongf("the receipt changed: %v, then %v", in.receipt, result)
	}
	if first, then := in.receipt.GetFirstCompletedAt().AsTime(), result.GetFirstCompletedAt().AsTime(); !first.Equal(then) {
		in.wrongf("it was first completed at %v, then at %v", first, then)
	}
}

// failed checks that an error says what it may say.
func (in *intent) failed(w *world, known bool, err error) {
	code, info := errs.CodeOf(err), errs.InfoOf(err)
	unknown, _ := errors.AsType[*errs.OutcomeUnknownError](err)
	if unknown != nil && unknown.Inferred {
		w.count("answer lost")
		return // the client concluded it
	}
	w.count(string(code))
	if !slices.Contains(in.allowed(w), code) {
		in.wrongf("got %q: %v", code, err)
	}
	if known && !slices.Contains(outOfTime(w), code) && code != errs.CodeLedgerUnavailable {
		in.wrongf("got %q after a receipt: %v", code, err)
	}
	if unknown != nil {
		in.doubts++
	}
	if info.Effect == errs.EffectNone {
		in.stated(w, info.OperationID)
	}
}

// stated checks the word that there was no effect.
func (in *intent) stated(w *world, id string) {
	if id != "" {
		in.none[id] = true
	}
	if in.shared {
		return // another call may have been at it in the meantime
	}
	requests, err := w.carrier.Requests()
	if err != nil {
		in.wrongf("%v", err)
	}
	if n := len(in.of(requests)); n > 0 {
		in.wrongf("effect=none, and the carrier was asked %d times", n)
	}
}

// outOfTime are the errors of a call whose time is up, or whose caller has left.
func outOfTime(w *world) []errs.Code {
	if w.hasty { // there was none left to verify a receipt
		return []errs.Code{errs.CodeCanceled, errs.CodeDeadlineExceeded, errs.CodeVerificationFailed}
	}
	return []errs.Code{errs.CodeCanceled, errs.CodeDeadlineExceeded}
}

// allowed are the errors that a service may answer with.
func (in *intent) allowed(w *world) []errs.Code {
	all := append(outOfTime(w), errs.CodeOutcomeUnknown, errs.CodeOperationInFlight, errs.CodeLedgerUnavailable,
		errs.CodeOperationTimeout, "not_applied") // where the machine is slow
	switch in.fate {
	case refused:
		return append(all, "parcel_refused")
	case closed:
		return append(all, "depot_closed")
	default:
		return all
	}
}

// called takes what a whole call of a client ended with, and decides whether to go on.
func (in *intent) called(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	const enough = 3 // times that the answer was the same, and will be
	code := errs.CodeOf(err)
	in.over = in.over || err == nil || code == "parcel_refused" || code == "depot_closed" || in.doubts >= enough
}

func (in *intent) isOver() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.over
}

// of are the requests of this intent.
func (in *intent) of(requests []shop.Request) (mine []shop.Request) {
	for _, r := range requests {
		if r.Tool == in.tool && r.OperationKey == in.key {
			mine = append(mine, r)
		}
	}
	return mine
}

// effects checks what the carrier was asked for.
func (in *intent) effects(mine []shop.Request) {
	in.mu.Lock()
	defer in.mu.Unlock()
	operations := map[string]bool{}
	for _, r := range mine {
		operations[r.OperationID] = true
		if in.none[r.OperationID] {
			in.wrongf("an effect of %s, which was stated to have had none", r.OperationID)
		}
	}
	effects := len(mine)
	if in.tool == once { // the carrier takes the requests of one operation for one
		effects = len(operations)
	}
	switch {
	case effects > 1:
		in.wrongf("%d effects: %v", effects, mine)
	case effects > 0 && !in.sent:
		in.wrongf("an effect of a call that was proven never to have been sent")
	case in.receipt != nil && !operations[in.receipt.GetOperationId()]:
		in.wrongf("a receipt of %s without an effect", in.receipt.GetOperationId())
	}
}

const (
	stateFree    = servicev1.OperationState_OPERATION_STATE_FREE
	stateClaimed = servicev1.OperationState_OPERATION_STATE_CLAIMED
	stateEffect  = servicev1.OperationState_OPERATION_STATE_EFFECT
	stateDone    = servicev1.OperationState_OPERATION_STATE_DONE
	stateUnknown = servicev1.OperationState_OPERATION_STATE_UNKNOWN
	stateNone    = servicev1.OperationState_OPERATION_STATE_UNSPECIFIED
)

// settled checks how an operation ended, with nobody calling; nil is no operation. Where processes were stopped, one may have had
// its effect after another one had looked in vain.
func (in *intent) settled(operation *servicev1.Operation, mine []shop.Request, stopped bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	effect := len(mine) > 0
	switch state := operation.GetState(); state {
	case stateDone:
		if !effect {
			in.wrongf("done without an effect")
		}
	case stateUnknown:
		if recovers(in.tool) && effect && !stopped {
			in.wrongf("unknown, and Recover finds the effect")
		}
	case stateFree, stateNone:
		if effect {
			in.wrongf("%v, with an effect", state)
		}
	default:
		in.wrongf("it has not ended: %v", state)
	}
	if in.receipt != nil && (operation.GetState() != stateDone || operation.GetId() != in.receipt.GetOperationId()) {
		in.wrongf("the receipt that was acknowledged is lost")
	}
	if operation.GetCrossings() > 1 && in.tool != once {
		in.wrongf("it crossed %d times", operation.GetCrossings())
	}
	in.trail(operation.GetTrail())
}

// trail checks the moves.
func (in *intent) trail(moves []*servicev1.OperationMove) {
	for i, m := range moves {
		if i == 0 {
			continue
		}
		before := moves[i-1]
		if m.GetFrom() != before.GetTo() || m.GetFence() < before.GetFence() && m.GetTo() != stateDone { // a receipt may come late
			in.wrongf("move %d of the trail does not follow the one before", i)
		}
		if m.GetFrom() != stateFree && m.GetOperationId() != before.GetOperationId() {
			in.wrongf("move %d of the trail is of another operation", i)
		}
		if m.GetFrom() == stateEffect && m.GetTo() == stateClaimed && in.tool != once || m.GetFrom() == stateDone && m.GetTo() != stateDone {
			in.wrongf("move %d of the trail, from %v to %v", i, m.GetFrom(), m.GetTo())
		}
	}
}

// answered checks that the same key answers as the ledger says.
func (in *intent) answered(operation *servicev1.Operation, mine []shop.Request, result client.Result[shipped], err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	code := errs.CodeOf(err)
	unknown, _ := errors.AsType[*errs.OutcomeUnknownError](err)
	doubt := unknown != nil && !unknown.Inferred
	var ok bool
	switch state := operation.GetState(); {
	case state == stateDone:
		ok = err == nil && result.Replayed && result.OperationID == operation.GetId() && (in.tool != tracked || result.Verified)
	case state == stateUnknown && recovers(in.tool) && len(mine) > 0: // it is looked up now
		ok = err == nil && result.OperationID == operation.GetId()
	case state == stateUnknown && in.tool == once && err == nil: // it is executed again, as what it was
		ok = result.OperationID == operation.GetId()
	case state == stateUnknown:
		ok = doubt && unknown.OperationID == operation.GetId()
	case in.fate == refused && in.tool != now:
		ok = code == "parcel_refused"
	case in.fate == closed:
		ok = code == "depot_closed"
	case in.fate == lost && !recovers(in.tool):
		ok = doubt
	default:
		ok = err == nil && result.OperationID != operation.GetId()
	}
	if !ok {
		in.wrongf("the ledger said %v of %s, and the same key is answered %+v, %v", operation.GetState(), operation.GetId(), result, err)
	}
}

// report says what is wrong and all that is known; empty where nothing is.
func (in *intent) report(operation *servicev1.Operation, mine []shop.Request) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.problems) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%v\n", in)
	for _, p := range in.problems {
		fmt.Fprintf(&b, "  WRONG %s\n", p)
	}
	for _, a := range in.answers {
		fmt.Fprintf(&b, "  told  %s %d×: %s\n", a.at.Format("15:04:05.000"), a.times, a.text)
	}
	for _, r := range mine {
		fmt.Fprintf(&b, "  asked %+v\n", r)
	}
	fmt.Fprintf(&b, "  row   %v %v crossings=%d reason=%q\n",
		operation.GetId(), operation.GetState(), operation.GetCrossings(), operation.GetReason())
	for _, m := range operation.GetTrail() {
		fmt.Fprintf(&b, "  moved %s %v → %v, %s, fence %d, %s\n", m.GetTime().AsTime().Format("15:04:05.000"), m.GetFrom(), m.GetTo(),
			m.GetOperationId(), m.GetFence(), m.GetNote())
	}
	return b.String()
}
