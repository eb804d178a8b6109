package corpus_test

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/internal/authored"
	"github.com/remedyrpc/remedy/internal/corpus/bound"
)

// TestLargest: what is as large as it may be is sent whole, and a field for which there is no room goes before anything else.
func TestLargest(t *testing.T) {
	t.Parallel()
	whole := bound.NewLargest(nil)
	p := whole.GRPCStatus().Proto()
	const listCost, room, most = 246, errs.DefaultLimit - 256, 16 // few bytes are left of it
	cost := listCost + authored.WireLen(p.GetMessage()) + (4*proto.Size(p)+2)/3
	if cost > room || cost < room-most || errs.InfoOf(whole).Truncated {
		t.Errorf("it takes %d bytes of %d, truncated: %t", cost, room, errs.InfoOf(whole).Truncated)
	}
	cut := bound.NewLargest(&bound.Largest{Id: strings.Repeat("i", most)})
	if !errs.InfoOf(cut).Truncated || !cut.Plan().Equal(whole.Plan()) {
		t.Errorf("truncated: %t, and the plan is whole: %t", errs.InfoOf(cut).Truncated, cut.Plan().Equal(whole.Plan()))
	}
	if got, ok := errors.AsType[*bound.LargestError](overWire(t, cut)); !ok || !got.Plan().Equal(whole.Plan()) {
		t.Error("the type or the plan is lost")
	}
}
