package remedyd_test

import (
	"context"
	"sync/atomic"

	"github.com/remedyrpc/remedy/server"
)

type doorInput struct {
	Door string `json:"door"`
}

type doorOutput struct {
	By string `json:"by"`
}

// doors is a tool whose effect waits where it is told to.
type doors struct {
	begun  chan struct{} // gets one for each effect that waits
	finish chan struct{} // one for each that may end
	opened atomic.Int64
}

func newDoors() *doors { return &doors{begun: make(chan struct{}, 1), finish: make(chan struct{}, 1)} }

func (d *doors) tools() []*server.AnyTool {
	return []*server.AnyTool{
		server.NewTool("open_door", "Open a door.", server.Tool[doorInput, doorOutput]{
			Immediate: func(_ context.Context, op *server.Op, _ doorInput) (doorOutput, error) {
				d.opened.Add(1)
				return doorOutput{By: op.Tenant + "/" + op.Principal}, nil
			},
		}),
		server.NewTool("open_gate", "Open a gate, which takes its time.", server.Tool[doorInput, doorOutput]{
			Immediate: func(_ context.Context, op *server.Op, _ doorInput) (doorOutput, error) {
				d.begun <- struct{}{}
				<-d.finish
				d.opened.Add(1)
				return doorOutput{By: op.Principal}, nil
			},
		}),
	}
}
