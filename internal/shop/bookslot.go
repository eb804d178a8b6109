package shop

import (
	"context"
	"time"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
	errs.Headline("The selected slot is no longer available."),
	errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")))

type slotOutput struct {
	SlotID string    `json:"slotId"`
	Start  time.Time `json:"start"`
}

type listSlotsOutput struct {
	Slots []slotOutput `json:"slots"`
}

func listAvailableSlots(s *Store) *server.AnyTool {
	return server.NewReadTool("list_available_slots", "List the slots that can be booked now.",
		func(context.Context, *server.Op, struct{}) (listSlotsOutput, error) {
			out := listSlotsOutput{Slots: []slotOutput{}}
			for _, slot := range s.freeSlots() {
				out.Slots = append(out.Slots, slotOutput{SlotID: slot.id, Start: slot.start})
			}
			return out, nil
		})
}

// operationID is the caller's name for what it wants, part of the input of the tools that keep it over a repair.
type operationID string

// JSONSchema says what an operation key may look like.
func (operationID) JSONSchema() string {
	return `{"type":"string","pattern":"^[A-Za-z0-9_.:-]{1,64}$","description":"Your name for this intent; keep it on every retry."}`
}

type bookSlotInput struct {
	OperationID operationID `json:"operationId"`
	SlotID      string      `json:"slotId"      jsonschema:"A slot from list_available_slots."`
}

func bookSlot(s *Store) *server.AnyTool {
	return server.NewTool("book_slot", "Book one slot.", server.Tool[bookSlotInput, slotOutput]{
		Authorize: func(_ context.Context, op *server.Op, _ bookSlotInput) error { return s.mayChange(op.Principal) },
		Key:       func(_ context.Context, in bookSlotInput) string { return string(in.OperationID) },
		Execute: func(_ context.Context, op *server.Op, in bookSlotInput) (server.Effect[slotOutput], error) {
			if err := s.bookable(in.SlotID); err != nil {
				return nil, err
			}
			return func(context.Context) (slotOutput, error) { return s.book(op, in.SlotID) }, nil
		},
		Recover: func(_ context.Context, op *server.Op, in bookSlotInput) (server.Recovered[slotOutput], error) {
			if out, ok := s.booked(op.ID, in.SlotID); ok {
				return server.Committed(out), nil
			}
			return server.NotFound[slotOutput](), nil
		},
		Verify: func(_ context.Context, op *server.Op, in bookSlotInput, _ slotOutput) (server.Verdict, error) {
			if _, ok := s.booked(op.ID, in.SlotID); ok {
				return server.Verified, nil
			}
			return server.NotVerified("the slot is not booked by this operation"), nil
		},
		Errors: []*errs.Definition{slotStale},
	})
}

func (s *Store) bookable(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots[id].problem(id)
}

func (slot *slot) problem(id string) error {
	if slot == nil || slot.takenBy != "" {
		return slotStale.New(errs.Detail("slotId", id))
	}
	return nil
}

// book is the effect. Somebody else may have taken the slot since it was looked at.
func (s *Store) book(op *server.Op, id string) (slotOutput, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slot := s.slots[id]
	if err := slot.problem(id); err != nil {
		return slotOutput{}, op.NotApplied(err)
	}
	slot.takenBy = op.ID
	return slotOutput{SlotID: slot.id, Start: slot.start}, nil
}

func (s *Store) booked(operationID, id string) (slotOutput, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slot := s.slots[id]; slot != nil && slot.takenBy == operationID {
		return slotOutput{SlotID: slot.id, Start: slot.start}, true
	}
	return slotOutput{}, false
}
