package parse

import (
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// fromBinary reads the protobuf bytes of a status and says where they end or go wrong.
func fromBinary(raw []byte) (*spb.Status, error) {
	st := &spb.Status{}
	if proto.Unmarshal(raw, st) == nil {
		return st, nil
	}
	if problem := locate(raw); problem != nil {
		return nil, problem
	}
	return nil, errors.New("expected a google.rpc.Status; one of its fields cannot be read")
}

// locate finds what is wrong with the bytes of a status, nil when it cannot tell.
func locate(raw []byte) error {
	for at := 0; at < len(raw); {
		number, kind, n := protowire.ConsumeTag(raw[at:])
		if n < 0 {
			return fmt.Errorf("expected a google.rpc.Status; at byte %d there is no field", at)
		}
		size := protowire.ConsumeFieldValue(number, kind, raw[at+n:])
		if size < 0 {
			return fmt.Errorf("expected a google.rpc.Status; in %s at byte %d of %d, %s", fieldName(number), at, len(raw), reason(size))
		}
		if value, _ := protowire.ConsumeBytes(raw[at+n:]); number == 2 && kind == protowire.BytesType && !utf8.Valid(value) {
			return errors.New("the message is not valid UTF-8, so that every gRPC client loses the details; " +
				"whoever sent the status has to make it valid")
		}
		at += n + size
	}
	return nil
}

func fieldName(number protowire.Number) string {
	switch number {
	case 1:
		return "the code"
	case 2:
		return "the message"
	case 3:
		return "a detail"
	default:
		return fmt.Sprintf("field %d, which it does not have,", number)
	}
}

func reason(n int) string {
	if errors.Is(protowire.ParseError(n), io.ErrUnexpectedEOF) {
		return "it was cut off"
	}
	return "the bytes make no sense"
}
