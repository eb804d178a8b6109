package server

import (
	"encoding/json"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/remedyrpc/remedy/interceptors/auth"
	"github.com/remedyrpc/remedy/server/ledger"
)

// Call is one call of a tool.
type Call struct {
	// Tool is the name of the tool.
	Tool string
	// Input is the input as JSON text, at most 1 MiB; empty means an empty object.
	Input string
	// InputStruct is the input as a Struct, used where Input is empty. Its numbers are doubles, so integers beyond 2^53-1
	// are refused.
	InputStruct *structpb.Struct
	// OperationKey is the caller's name for its intent, 1 to 64 of [A-Za-z0-9_.:-]. Equal retries carry the same one. It is
	// not used by tools that only read, or that make the key of their input.
	OperationKey string
	// RunID is the agent run that the call belongs to, at most 36 of [A-Za-z0-9_.:-]; may be empty.
	RunID string
}

// Result is the result of a call that did what was asked.
type Result struct {
	// Output is the output as JSON text; empty where it was omitted.
	Output json.RawMessage
	// OutputOmitted says that the output could not be kept, because it was larger than 1 MiB, or not JSON in UTF-8, or is
	// not known. The operation is complete all the same. Tools that only read fail instead.
	OutputOmitted bool
	// Verified says that authoritative state was read after the effect and agrees; false where the tool verifies nothing.
	Verified bool
	// Replayed says that this is the result of an earlier call with the same key.
	Replayed bool
	// FirstCompletedAt is when the operation completed; zero for tools that only read.
	FirstCompletedAt time.Time
	// OperationID is the server's name for the operation; empty for tools that only read.
	OperationID string
}

// call is what the stages know of one call; each adds what the ones after it need.
type call struct {
	Call

	tool     *AnyTool
	sent     any           // the input as it was sent
	text     []byte        // its canonical form
	prepared []byte        // the same with its defaults
	in       any           // that, as the hooks take it
	digest   ledger.Digest // of sent
	// What this version says of sent, which an operation past its boundary passed when it was another: that it does not match
	// the schema, and that no hook can be given it.
	invalid, unreadable error
	key                 string        // the operation key, given or derived
	caller              auth.Identity // who is calling

	row     ledger.Row // what is known of the operation; its state is None before something is
	begun   time.Time  // when it last asked for a claim or a crossing
	claimed bool       // it owns the operation, and may execute it
	lost    bool       // it did, and its lease was out
	freed   bool       // the operation did nothing, and its key may be used again

	answered bool // the operation is complete
	replayed bool // by an earlier call
	verified bool
	receipt  ledger.Receipt
	out      any // what the effect returned; nil on replays
}

// op is the operation as hooks see it.
func (c *call) op() *Op {
	op := &Op{
		Tool: c.tool.name, Principal: c.caller.Principal, Tenant: c.caller.Tenant, ID: c.row.ID, Attempt: c.row.Fence,
		Journaled: c.row.Journal,
	}
	if c.tool.effect {
		op.Key = c.key
	}
	return op
}

// name is what the key of the call means.
func (c *call) name() ledger.Key {
	name := ledger.Key{Tenant: c.caller.Tenant, Scope: c.caller.Principal, Tool: c.tool.name, Key: c.key}
	if c.tool.scope == TenantScope {
		name.Scope = ""
	}
	return name
}

func (c *call) result() Result {
	return Result{
		Output: c.receipt.Output, OutputOmitted: c.receipt.Omitted != ledger.Kept, Verified: c.verified, Replayed: c.replayed,
		FirstCompletedAt: c.receipt.CompletedAt, OperationID: c.row.ID,
	}
}
