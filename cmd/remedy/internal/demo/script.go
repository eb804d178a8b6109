package demo

import (
	"context"
	"errors"

	"github.com/remedyrpc/remedy/errs"
)

// script is every error that a tool can end with, in the order of the documentation.
func script() []scene {
	return []scene{
		invalidInput(), orderAlreadyShipped(), slotStale(), paymentSourceStale(), authorizationDenied(), confirmationDeclined(),
		verificationFailed(), outcomeUnknown(),
	}
}

// customer makes most of the calls.
const customer = "alice"

func cancelOrder(orderID, reason string) func(context.Context, *stage, string) (*Call, error) {
	return func(_ context.Context, _ *stage, name string) (*Call, error) {
		return &Call{Tool: "cancel_order", Input: fields{"orderId": orderID, "reason": reason}, Key: name}, nil
	}
}

func invalidInput() scene {
	return scene{
		code: errs.CodeInvalidInput, principal: customer,
		why: "the agent left out the order and made up a reason",
		prepare: func(_ context.Context, _ *stage, name string) (*Call, error) {
			return &Call{Tool: "cancel_order", Input: fields{"reason": "changed_my_mind"}, Key: name}, nil
		},
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.ValidationError](err)
			return ok && len(e.Issues) == 2 && e.Issues[0].Keyword == "required" && e.Issues[1].Keyword == "enum"
		},
		repaired: func(fields) (fields, error) { return fields{"orderId": "ord_1", "reason": "customer_request"}, nil },
	}
}

func orderAlreadyShipped() scene {
	return scene{
		code: "order_already_shipped", principal: customer,
		why:     "the order left the house before the call",
		prepare: cancelOrder("ord_2", "customer_request"),
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.ToolError](err)
			return ok && e.Code == "order_already_shipped" && e.Details["orderId"] == "ord_2"
		},
	}
}

func authorizationDenied() scene {
	return scene{
		code: errs.CodeAuthorizationDenied, principal: "auditor",
		why:     "the caller is an auditor, who may only read",
		prepare: cancelOrder("ord_3", "duplicate"),
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.AuthorizationError](err)
			return ok && e.Tool == "cancel_order"
		},
	}
}

func slotStale() scene {
	return scene{
		code: "slot_stale", principal: customer,
		why: "the calendar was published again after the agent had read it, and the slots have new numbers",
		prepare: func(ctx context.Context, s *stage, name string) (*Call, error) {
			list := &Call{Tool: "list_available_slots"}
			if err := s.call(ctx, list); err != nil {
				return nil, err
			}
			slot, err := firstSlot(list.Output)
			if err != nil {
				return nil, err
			}
			s.shop.Republish()
			return &Call{Tool: "book_slot", Input: slot.with(fields{"operationId": name})}, nil
		},
		matches: func(err error) bool {
			e, ok := errors.AsType[*errs.ToolError](err)
			return ok && e.Code == "slot_stale" && e.Plan().Steps()[0].Tool() == "list_available_slots"
		},
		repaired: firstSlot,
	}
}

// firstSlot takes the first slot of a list.
func firstSlot(list fields) (fields, error) {
	slots, _ := list["slots"].([]any)
	if len(slots) == 0 {
		return nil, errors.New("no slot is free")
	}
	slot, _ := slots[0].(map[string]any)
	return fields{"slotId": slot["slotId"]}, nil
}
