package neversent_test

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/remedyrpc/remedy/interceptors/neversent"
)

// TestErrorIsWhatItMarks in everything but the mark.
func TestErrorIsWhatItMarks(t *testing.T) {
	t.Parallel()
	refused := status.Error(codes.Unavailable, "refused")
	err := error(&neversent.Error{Err: refused})
	st, ok := status.FromError(err)
	if !ok || st.Code() != codes.Unavailable || st.Message() != "refused" {
		t.Errorf("got %v, %v", st, ok)
	}
	if !errors.Is(err, refused) || err.Error() != refused.Error() {
		t.Errorf("%v is not %v", err, refused)
	}
	plain := errors.New("no number")
	if _, ok := status.FromError(&neversent.Error{Err: plain}); ok {
		t.Error("a plain error has a status")
	}
}
