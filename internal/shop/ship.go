package shop

import (
	"context"
	"errors"

	"github.com/remedyrpc/remedy/errs"
	"github.com/remedyrpc/remedy/server"
)

var (
	parcelRefused = errs.MustDefine("parcel_refused", errs.Never,
		errs.Headline("The carrier does not take such parcels."))
	depotClosed = errs.MustDefine("depot_closed", errs.AsIs,
		errs.Headline("The depot of the carrier is closed."))
)

type shipInput struct {
	Parcel parcel `json:"parcel"`
	// Fate is what happens on the way; empty is all well.
	Fate fate `json:"fate,omitempty"`
}

type parcel string

// JSONSchema says what a parcel may be called: one word of the carrier's book.
func (parcel) JSONSchema() string {
	return `{"type":"string","pattern":"^[A-Za-z0-9_.:-]{1,64}$","description":"Number of the parcel."}`
}

type fate string

const (
	fateRefused fate = "refused"     // by Execute
	fateClosed  fate = "closed"      // by the effect, which did nothing
	fateLost    fate = "answer_lost" // by the effect, which took place
)

// JSONSchema lists the fates.
func (fate) JSONSchema() string {
	return `{"enum":["","refused","closed","answer_lost"],"description":"What happens on the way; for tests."}`
}

type shipOutput struct {
	Parcel   parcel `json:"parcel"`
	Tracking string `json:"tracking"`
}

var errLost = errors.New("the carrier did not answer")

// CarrierTools returns tools that give parcels to a carrier, one of each kind that a crash leaves in another state:
//
//   - ship_tracked checks, then has its effect; what became of it is found in the book, and verified there.
//   - ship_untracked is the same without Recover: an answer that is lost leaves its outcome unknown.
//   - ship_now has its effect at once, and finds it in the book.
//   - ship_once is sent again where its answer is lost, because the carrier takes two requests of one operation for one parcel.
//     Its effects are the operations in the book, those of the others the lines.
func CarrierTools(c *Carrier, timeouts server.Timeouts) []*server.AnyTool {
	tracked := server.Tool[shipInput, shipOutput]{Execute: c.execute, Recover: c.recover, Verify: c.verify}
	untracked := server.Tool[shipInput, shipOutput]{Execute: c.execute}
	now := server.Tool[shipInput, shipOutput]{Immediate: c.ship, Recover: c.recover}
	once := server.Tool[shipInput, shipOutput]{Execute: c.execute, DedupesOnOperationID: true}
	for _, tool := range []*server.Tool[shipInput, shipOutput]{&tracked, &untracked, &now, &once} {
		tool.Timeouts, tool.Errors = timeouts, []*errs.Definition{parcelRefused, depotClosed}
	}
	return []*server.AnyTool{
		server.NewTool("ship_tracked", "Ship a parcel that can be tracked.", tracked),
		server.NewTool("ship_untracked", "Ship a parcel that nobody can track.", untracked),
		server.NewTool("ship_now", "Ship a parcel that can be tracked, without a check.", now),
		server.NewTool("ship_once", "Ship a parcel that the carrier takes once, however often it is asked.", once),
	}
}

func (c *Carrier) execute(_ context.Context, op *server.Op, in shipInput) (server.Effect[shipOutput], error) {
	if in.Fate == fateRefused {
		return nil, parcelRefused.New()
	}
	return func(ctx context.Context) (shipOutput, error) { return c.ship(ctx, op, in) }, nil
}

// ship is the effect.
func (c *Carrier) ship(ctx context.Context, op *server.Op, in shipInput) (shipOutput, error) {
	if in.Fate == fateClosed {
		return shipOutput{}, op.NotApplied(depotClosed.New())
	}
	request := Request{OperationID: op.ID, OperationKey: op.Key, Tool: op.Tool, Parcel: string(in.Parcel)}
	if err := c.post(request); err != nil {
		return shipOutput{}, err
	}
	if c.hold != nil {
		c.hold(ctx, request)
	}
	if in.Fate == fateLost {
		return shipOutput{}, errLost
	}
	return in.shipped(op), nil
}

func (in shipInput) shipped(op *server.Op) shipOutput {
	return shipOutput{Parcel: in.Parcel, Tracking: op.ID}
}

func (c *Carrier) recover(_ context.Context, op *server.Op, in shipInput) (server.Recovered[shipOutput], error) {
	found, err := c.posted(op.ID)
	if err != nil || !found {
		return server.NotFound[shipOutput](), err
	}
	return server.Committed(in.shipped(op)), nil
}

func (c *Carrier) verify(_ context.Context, op *server.Op, _ shipInput, _ shipOutput) (server.Verdict, error) {
	found, err := c.posted(op.ID)
	switch {
	case err != nil:
		return "", err
	case !found:
		return server.NotVerified("the carrier has no such parcel"), nil
	default:
		return server.Verified, nil
	}
}
