package remedyd_test

import (
	"context"
	"strings"
	"testing"

	"github.com/remedyrpc/remedy/errs"
	servicev1 "github.com/remedyrpc/remedy/gen/remedy/service/v1"
)

// TestMistakes has callers that do everything wrong: nothing of that is an error of this service.
func TestMistakes(t *testing.T) {
	t.Parallel()
	d := start(t, newDoors().tools(), "--db", "memory")
	ctx := t.Context()
	operations, tools := servicev1.NewOperationServiceClient(d), servicev1.NewToolServiceClient(d)
	if _, err := d.call(ctx, "open_door", "k", front); err != nil {
		t.Fatal(err)
	}
	call := func(ctx context.Context, tool, key, input string) error {
		_, err := d.call(ctx, tool, key, input)
		return err
	}
	tests := []struct {
		want errs.Code
		do   func() error
	}{
		{errs.CodeToolNotFound, func() error { return call(ctx, "open_window", "k", front) }},
		{errs.CodeOperationKeyRequired, func() error { return call(ctx, "open_door", "", front) }},
		{errs.CodeInvalidInput, func() error { return call(ctx, "open_door", "a b", front) }},
		{errs.CodeInvalidInput, func() error { return call(ctx, "open_door", "other", "{") }},
		{errs.CodeInvalidInput, func() error { return call(ctx, "open_door", "other", `{"door":1}`) }},
		{errs.CodeOperationConflict, func() error { return call(ctx, "open_door", "k", `{"door":"back"}`) }},
		{errs.CodeUnauthenticated, func() error { return call(as(ctx, strings.Repeat("x", 200)), "open_door", "k", front) }},
		{errs.CodeUnauthenticated, func() error { return call(as(as(ctx, "alice"), "bob"), "open_door", "k", front) }},
		{errs.CodeInvalidInput, func() error {
			_, err := tools.ListTools(ctx, &servicev1.ListToolsRequest{PageToken: "?"})
			return err
		}},
		{errs.CodeInvalidInput, func() error {
			_, err := operations.ListOperations(ctx, &servicev1.ListOperationsRequest{PageToken: "?"})
			return err
		}},
		{errs.CodeOperationNotFound, func() error {
			_, err := operations.PurgeOperation(ctx, &servicev1.PurgeOperationRequest{Id: "op_none"})
			return err
		}},
		{errs.CodeInvalidInput, func() error {
			_, err := operations.ResolveOperation(ctx, &servicev1.ResolveOperationRequest{Id: "op_none"})
			return err
		}},
		{"", func() error { // grpc itself refuses it
			return d.Invoke(ctx, "/remedy.service.v1.ToolService/None", &servicev1.ListToolsRequest{}, &servicev1.ListToolsResponse{})
		}},
	}
	for i, test := range tests {
		before := len(d.log.String())
		if err := test.do(); err == nil || errs.CodeOf(err) != test.want {
			t.Errorf("mistake %d: got %v, want %s", i, err, test.want)
		}
		if log := d.log.String()[before:]; strings.Contains(log, "level=ERROR") || strings.Contains(log, "level=WARN") {
			t.Errorf("mistake %d: %s", i, log)
		}
	}
}
