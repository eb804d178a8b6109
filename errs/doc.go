// Package errs holds typed errors that say what failed, whether a retry is allowed, what must happen first and which
// inputs must not change. They travel in a google.rpc.Status and come back as the same Go types.
//
//	var slotStale = errs.MustDefine("slot_stale", errs.AfterRepair,
//		errs.Headline("The selected slot is no longer available."),
//		errs.Steps(errs.CallTool("list_available_slots", "Choose a current slot, then retry with the same operationId.")))
//
//	return nil, slotStale.New(errs.Detail("slotId", id)) // in a handler
//
//	if e, ok := errors.AsType[*errs.ToolError](err); ok && e.Code == "slot_stale" { … } // at the caller
//	if errors.Is(err, errs.Code("slot_stale")) { … }
//
// The error of a handler becomes a status by an [Encoder], the error of a call a typed error by [FromError]; package
// interceptors does both. Errors are immutable after the first call of GRPCStatus or Error.
//
// Guidance is authored, never interpolated: headlines and instructions are constants, and a variable does not compile.
// Package trusted is the exception. Nothing here retries, logs values or sends causes that are not typed.
package errs
