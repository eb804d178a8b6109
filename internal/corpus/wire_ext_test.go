package corpus_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/anypb"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/corpus/one"
)

// TestOverTheWire sends every error twice: as the type it was, equal to what was sent, and in equal bytes.
func TestOverTheWire(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		for _, message := range []proto.Message{s.new().Interface(), filledTo(s.new(), 0).Interface()} {
			sent := s.raise(message, errs.Detail("key", "value"))
			var err error = sent
			first := marshaled(t, sent)
			for trip := range 3 {
				err = overWire(t, err)
				says(t, s, err)
				got, ok := s.as(err)
				if !ok {
					t.Fatalf("trip %d: got %T", trip, err)
				}
				if !errs.Equal(got, sent) || !errs.Equal(sent, err) {
					t.Errorf("trip %d: not Equal", trip)
				}
				same(t, s, messageOf(got), message, got)
				if got.Base().Details["key"] != "value" && !errs.InfoOf(got).Truncated {
					t.Errorf("trip %d: details: got %v", trip, got.Base().Details)
				}
				if !bytes.Equal(marshaled(t, err), first) {
					t.Errorf("trip %d: other bytes", trip)
				}
			}
		}
	})
}

// same compares a received message with the one that was sent. One that did not fit is empty, and only such a one.
func same(t tester, s sample, got, want proto.Message, received error) {
	t.Helper()
	if proto.Equal(got, want) {
		return
	}
	p := errs.ToStatus(received).Proto()
	for _, detail := range p.GetDetails() {
		if detail.MessageName() == s.message.Descriptor().FullName() {
			detail.Value, _ = proto.MarshalOptions{AllowPartial: true}.Marshal(want)
		}
	}
	const listCost, room = 246, errs.DefaultLimit - 256
	cost := listCost + authored.WireLen(p.GetMessage()) + (4*proto.Size(p)+2)/3
	if size(got) > 0 || cost <= room || !errs.InfoOf(received).Truncated {
		t.Errorf("message of %s: got %v, want %v, which takes %d bytes", s.name(), got, want, cost)
	}
}

// TestCauses: a typed cause arrives, whatever its type, and a plain one stays.
func TestCauses(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		if s.domain() == "bound.of.a.package.as.long.as.a.domain.may.be.on.the.wire.x.v1" {
			return // it has no room for a cause
		}
		outer := overWire(t, s.raise(s.new().Interface(), errs.Cause(one.NewGone(&one.Gone{What: "all"})), errs.Cause(errors.New("plain"))))
		gone, ok := errors.AsType[*one.GoneError](errors.Unwrap(outer))
		if !ok || gone.GetWhat() != "all" {
			t.Errorf("a declared cause: got %v", gone)
		}
		if strings.Contains(outer.Error(), "plain") {
			t.Errorf("a plain cause crossed: %v", outer)
		}
		inner := overWire(t, one.NewGone(nil, errs.Cause(s.raise(s.new().Interface()))))
		if _, ok := s.as(errors.Unwrap(inner)); !ok {
			t.Errorf("as a cause: got %v", errors.Unwrap(inner))
		}
	})
}

// TestGarbledPayload sends bytes that are not the message: what can be read is the type, the rest keeps code, rule and plan.
func TestGarbledPayload(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s sample) {
		t.Helper()
		sent := s.raise(filledTo(s.new(), 1).Interface())
		original := unmarshaled(t, marshaled(t, sent))
		index := slices.IndexFunc(original.GetDetails(), func(d *anypb.Any) bool {
			return d.MessageName() == s.message.Descriptor().FullName()
		})
		payload := original.GetDetails()[index].GetValue()
		for _, garbled := range garblings(payload) {
			p := proto.CloneOf(original)
			p.GetDetails()[index].Value = garbled
			err := errs.FromStatus(status.FromProto(p))
			says(t, s, err)
			readable := proto.UnmarshalOptions{AllowPartial: true}.Unmarshal(garbled, s.new().Interface()) == nil
			if _, ok := s.as(err); ok != readable {
				t.Errorf("%x: got %T, and can be read: %t", garbled, err, readable)
			}
			if tool, ok := errors.AsType[*errs.ToolError](err); !ok || !tool.Plan().Equal(sent.Plan()) {
				t.Errorf("%x: got %T", garbled, err)
			}
			_, _ = err.Error(), marshaled(t, err)
		}
	})
}

// garblings are bytes that may or may not be a message.
func garblings(payload []byte) [][]byte {
	all := [][]byte{
		nil, {0}, {0xff}, {0x07}, bytes.Repeat([]byte{0xff}, 11), bytes.Repeat([]byte{0x0b}, 20_000), // groups in groups
		bytes.Repeat([]byte{0x12, 0x7f}, 60), []byte("\x0a\x02\xff\xfe"), []byte("not a message at all"),
	}
	for number := range protowire.Number(50) { // every field, with every type that it may not have
		all = append(all,
			protowire.AppendVarint(protowire.AppendTag(nil, number+1, protowire.VarintType), 1<<63),
			protowire.AppendFixed32(protowire.AppendTag(nil, number+1, protowire.Fixed32Type), 1<<31),
			protowire.AppendFixed64(protowire.AppendTag(nil, number+1, protowire.Fixed64Type), 1<<63),
			protowire.AppendBytes(protowire.AppendTag(nil, number+1, protowire.BytesType), []byte{0xff, 0xfe}),
			protowire.AppendTag(protowire.AppendTag(nil, number+1, protowire.StartGroupType), number+1, protowire.EndGroupType),
			protowire.AppendTag(nil, number+1, protowire.EndGroupType),
		)
	}
	for n := range min(len(payload), 60) {
		all = append(all, payload[:n], payload[n:])
		flipped := slices.Clone(payload)
		flipped[n] ^= 0x55
		all = append(all, flipped)
	}
	return all
}
