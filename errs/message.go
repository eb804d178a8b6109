package errs

import (
	"strconv"
	"strings"
	"time"

	"github.com/remedyrpc/remedy/internal/authored"
)

// Sizes of the portable message in a grpc-message header, and what the last rung of the ladder leaves of it.
const (
	fullMessage   = 768
	shortMessage  = 512
	shortHeadline = 120
)

// ruleText says the retry rule in a message.
func ruleText(retry RetryPolicy, after time.Duration, sameKeyOnly bool) string {
	switch retry.known() {
	case AsIs:
		if sameKeyOnly {
			return "retry with the same operation key only"
		}
		if after > 0 {
			return "retry unchanged is allowed, after " + wait(after)
		}
		return "retry unchanged is allowed"
	case AfterRepair:
		return "retry only after repair"
	default:
		return "do not retry"
	}
}

// message returns the one bounded text that Error, Status.message and grpc-message share.
func (f *form) message() string {
	if f.known != "" && f.messageSize == fullMessage {
		return f.known
	}
	return f.render()
}

// shown is the message as it is shown here: that of the status. Where somebody else wrote one that is empty, or holds what a
// reader would not see, it is made good; the status is sent on as it came.
func (w *wire) shown() string {
	message := w.st.Message()
	if !w.foreign || message != "" && !hasInvisible(message) {
		return message
	}
	if message = withoutInvisible(message); message != "" {
		return message
	}
	return defaultHeadline(w.code).Text() + " [" + w.code + "; " + ruleText(w.retry, w.after, false) + "]"
}

// render gives the room of a message away in this order: the bracket, the action of step 1, the headline, the other
// actions, instructions, invariants.
func (f *form) render() string {
	tail := " [" + f.code + "; " + ruleText(f.retry, f.after, f.sameKeyOnly) + "]"
	steps := shownSteps(f.plan)
	left := f.messageSize - len(tail)
	if len(steps) == 0 {
		return strings.TrimPrefix(f.shownHeadline(left)+tail, " ") // without a headline nothing is in front of the bracket
	}
	lead := " Next action: "
	if len(steps) > 1 {
		lead = " Next actions, in order, one at a time, never in parallel: "
	}
	more := 0 // room for saying that steps are missing
	if len(steps) > 1 {
		more = len(moreSteps(len(steps)))
	}
	left -= len(lead) + len(steps[0].lead) + more
	headline := f.shownHeadline(left)
	left -= authored.WireLen(headline) - more
	shown := 1
	for ; shown < len(steps); shown++ {
		room := left - len(" ") - len(steps[shown].lead)
		if missing := len(steps) - shown - 1; missing > 0 && room < more || room < 0 {
			break
		}
		left = room
	}
	if shown < len(steps) {
		left -= len(moreSteps(len(steps) - shown))
	}
	var b strings.Builder
	b.Grow(f.messageSize)
	b.WriteString(strings.TrimPrefix(headline+tail, " "))
	b.WriteString(lead)
	for i := range steps[:shown] {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(steps[i].lead)
		left = writeInstruction(&b, steps[i], left)
	}
	if shown < len(steps) {
		b.WriteString(moreSteps(len(steps) - shown))
	}
	left = writeNames(&b, " Keep unchanged: ", f.plan.preserves(), left)
	writeNames(&b, " Replace from repair output: ", f.plan.updates(), left)
	return b.String()
}

func (f *form) shownHeadline(room int) string {
	if f.headlineSize > 0 {
		room = min(room, f.headlineSize)
	}
	s, _ := cutWire(f.headline, room) // truncated is about the details, which have all of it
	return s
}

func moreSteps(n int) string {
	if n == 1 {
		return " (and 1 more step)"
	}
	return " (and " + strconv.Itoa(n) + " more steps)"
}

// shownStep is a step as a message shows it.
type shownStep struct {
	lead        string // number and action sentence
	instruction string
}

func shownSteps(p *Plan) []shownStep {
	list := p.list()
	if len(list) == 0 {
		return nil
	}
	steps := make([]shownStep, 0, len(list))
	for _, s := range list {
		instruction := s.instruction
		if cut, was := bound(instruction, 16*maxInstructionRunes); was { //nolint:mnd // far more than can be shown
			instruction = cut + ellipsis
		}
		shown := shownStep{lead: s.sentence()}
		shown.instruction, _ = cutRunes(authored.Clean(instruction), maxInstructionRunes)
		if shown != (shownStep{}) { // an action of a later version, without a word, is rendered as nothing
			steps = append(steps, shown)
		}
	}
	if len(steps) > 1 {
		for i := range steps {
			steps[i].lead = strings.TrimRight(strconv.Itoa(i+1)+". "+steps[i].lead, " ")
		}
	}
	return steps
}

// leastInstruction is the room below which the beginning of an instruction says nothing.
const leastInstruction = 24

// writeInstruction appends as much of the instruction as fits and returns the room that is left: none once something did not
// fit, so that nothing less telling takes its place.
func writeInstruction(b *strings.Builder, s shownStep, room int) int {
	if s.instruction == "" {
		return room
	}
	text := s.instruction
	gap := " "
	if s.lead == "" {
		gap = "" // an action of a later version is rendered as nothing
	}
	left := room - len(gap) - authored.WireLen(text)
	if left < 0 {
		if room < leastInstruction {
			return 0
		}
		text, _ = cutWire(text, room-len(gap))
		left = 0
	}
	b.WriteString(gap)
	b.WriteString(text)
	return left
}

// writeNames appends as many of the names as fit, at most eight, and returns the room that is left.
func writeNames(b *strings.Builder, lead string, names []string, room int) int {
	if len(names) == 0 {
		return room
	}
	text, shown := lead, 0
	for _, name := range names[:min(len(names), maxNamesShown)] {
		next := text
		if shown > 0 {
			next += ", "
		}
		next += fieldNamed(name)
		if authored.WireLen(next)+len(moreNames(len(names)-shown-1)) > room {
			break
		}
		text, shown = next, shown+1
	}
	if shown == 0 {
		return 0
	}
	text += moreNames(len(names) - shown)
	b.WriteString(text)
	if shown < min(len(names), maxNamesShown) {
		return 0
	}
	return room - authored.WireLen(text)
}

// moreNames ends a list of names of which n are not shown.
func moreNames(n int) string {
	if n <= 0 {
		return "."
	}
	return " (and " + strconv.Itoa(n) + " more)."
}
