package report_test

import (
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/cmd/remedy/internal/report"
	"github.com/remedyrpc/remedy/errs"
)

// People and agents are told the same, in the same words.
func TestSentencesAreThoseOfTheMessage(t *testing.T) {
	t.Parallel()
	for _, plan := range []*errs.Plan{
		errs.NewPlan(errs.ChangeInput("Use a current slot."), errs.CallTool("list_slots", "Choose one.")),
		errs.NewPlan(errs.RefreshState("", ""), errs.RefreshState("read_order", ""), errs.AskUser("Ask once.")),
		errs.NewPlan(errs.RetrySameOperation("", ""), errs.RetrySameOperation("send_payment", "")),
		errs.NewPlan(errs.Reconcile("")),
		errs.NewPlan(errs.Stop("")),
		errs.NewPlan(errs.Stop("")).WithPreserve("amount", "receiverId").WithUpdate("authorizationId"),
	} {
		message := (&errs.ToolError{Code: "sample_code", Message: "Headline.", Retry: errs.AfterRepair, Repair: plan}).Error()
		for _, sentence := range report.PlanOf(plan).Sentences() {
			if !strings.Contains(message, sentence) {
				t.Errorf("%q is not in %q", sentence, message)
			}
		}
	}
	if got := report.PlanOf(nil).Sentences(); got != nil {
		t.Errorf("no plan: got %v", got)
	}
}
