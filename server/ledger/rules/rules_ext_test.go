package rules_test

import (
	"testing"

	"github.com/remedyrpc/remedy/server/ledger"
	"github.com/remedyrpc/remedy/server/ledger/rules"
)

// TestRowsShareNoTrail makes two moves of one row: neither may write into the trail of the other.
func TestRowsShareNoTrail(t *testing.T) {
	t.Parallel()
	row := ledger.Row{Key: key, Trail: make([]ledger.Move, 0, 8)}
	row, _ = rules.Claim(row, ledger.Claim{Key: key, ID: "op1", Attempt: "w0", Lease: leaseTime}, now)
	row.Trail = append(make([]ledger.Move, 0, 8), row.Trail...) // with room to write into
	freed, _ := rules.Free(row, row.Hold(), ledger.Failure{}, now)
	crossed, _ := rules.Cross(row, row.Hold(), ledger.Crossing{}, now)
	if freed.Trail[1].To != ledger.Free || crossed.Trail[1].To != ledger.Effect {
		t.Errorf("the trails end with %v and %v; want free and effect", freed.Trail[1].To, crossed.Trail[1].To)
	}
}
