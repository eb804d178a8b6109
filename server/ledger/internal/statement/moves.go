package statement

// The moves. Each says in its WHERE what the row has to look like, and changes nothing else; package rules says the same in Go.
// States are numbers here: 1 FREE, 2 CLAIMED, 3 EFFECT, 4 DONE, 5 UNKNOWN, 6 CLOSED. A looked_at of zero says that nobody but
// who crossed has the row. The column upkeep says who looks for the row one day, from upkeep_since on: 3 [ledger.Ledger.Sweep],
// 2 Expire for its output, 1 Expire for all of it, 0 nobody. It does not change at the crossing, and so neither does any index.
const (
	// none → CLAIMED or EFFECT: a new operation under a new key.
	claimText = `
INSERT INTO {{table}} (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version,
  principal, run_id, input, journal, lease_until, acts_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
SELECT @tenant, @scope, @tool, @key, CAST(@to AS bigint), 1, @id, @attempt, 1, CAST(@crossed AS bigint), @sent, @prepared,
  @toolver, @principal, @run, @input, @journal, {{now}} + @lease,
  CASE CAST(@crossed AS bigint) WHEN 1 THEN {{now}} + @lease ELSE 0 END, {{now}},
  CASE CAST(@crossed AS bigint) WHEN 1 THEN {{now}} ELSE 0 END, {{now}}, 3, {{now}}, 1,
  {{entry "0" "CAST(@to AS bigint)" "1" "@id" "@attempt"}}
WHERE @room = 1
ON CONFLICT (tenant, scope, tool, key) DO NOTHING
{{returning}}`

	// FREE → CLAIMED or EFFECT: a new operation. CLAIMED, lease out → CLAIMED or EFFECT: a takeover.
	reclaimText = `
UPDATE {{table}} SET {{moved "" "CAST(@to AS bigint)" "fence + 1" (fresh "@id" "id") "@attempt"}},
  state = CAST(@to AS bigint), fence = fence + 1, attempt = @attempt, lease_until = {{now}} + @lease,
  upkeep = 3, upkeep_since = {{now}},
  id = {{fresh "@id" "id"}}, sent = {{fresh "@sent" "sent"}}, prepared = {{fresh "@prepared" "prepared"}},
  tool_version = {{fresh "@toolver" "tool_version"}}, principal = {{fresh "@principal" "principal"}}, run_id = {{fresh "@run" "run_id"}},
  progress = NULL, input = {{fresh "@input" "input"}}, created_at = {{fresh now "created_at"}},
  crossings = {{fresh "0" "crossings"}} + CAST(@crossed AS bigint),
  journal = CASE WHEN state = 1 OR CAST(@crossed AS bigint) = 1 THEN @journal ELSE journal END,
  crossed_at = CASE WHEN CAST(@crossed AS bigint) = 1 THEN {{now}} WHEN state = 1 THEN 0 ELSE crossed_at END,
  looked_at = CASE WHEN state = 1 OR CAST(@crossed AS bigint) = 1 THEN 0 ELSE looked_at END,
  acts_until = CASE WHEN CAST(@crossed AS bigint) = 1 AND (state = 1 OR acts_until < {{now}} + @lease) THEN {{now}} + @lease
    WHEN state = 1 THEN 0 ELSE acts_until END,
  failure_code = '', failure_status = NULL, reason = '', contradicted = 0
WHERE {{key}} AND ((state = 1 AND id <> @id) OR (state = 2 AND lease_until <= {{now}} AND sent = @sent
  AND NOT (CAST(@crossed AS bigint) = 0 AND attempt = @attempt)))
{{returning}}`

	// CLAIMED → EFFECT, by its owner; what crossed before, while its lease is not out.
	crossText = `
UPDATE {{table}} SET {{moved "" "3" "fence" "id" "attempt"}},
  state = 3, crossings = crossings + 1, journal = @journal, lease_until = {{now}} + @lease,
  acts_until = CASE WHEN acts_until < {{now}} + @lease THEN {{now}} + @lease ELSE acts_until END,
  crossed_at = {{now}}, looked_at = 0
WHERE {{key}} AND id = @id AND fence = @fence AND state = 2 AND (crossings = 0 OR lease_until > {{now}})
{{returning}}`

	// CLAIMED, never crossed → FREE; EFFECT, crossed once and by its owner → FREE; other CLAIMED, EFFECT → UNKNOWN.
	freeText = `
UPDATE {{table}} SET {{moved "" (harmless "1" "5") "fence" "id" "attempt"}},
  state = {{harmless "1" "5"}}, lease_until = 0, upkeep = {{harmless "1" "0"}}, upkeep_since = {{now}},
  failure_code = {{harmless "@code" "failure_code"}}, failure_status = {{harmless "@status" "failure_status"}},
  reason = {{harmless "reason" "@code"}}, input = {{harmless "NULL" "input"}},
  progress = {{harmless "NULL" "progress"}}
WHERE {{key}} AND id = @id AND fence = @fence AND state IN (2, 3)
{{returning}}`

	// EFFECT → DONE, by its owner; UNKNOWN, CLOSED → DONE, by any attempt at the operation.
	recordText = `
UPDATE {{table}} SET {{moved "" "4" "CAST(@fence AS bigint)" "id" "CASE WHEN fence = @fence THEN attempt ELSE '' END"}},
  state = 4, lease_until = 0, output = @output, omitted = @omitted, size = @size, hash = @hash,
  upkeep = @upkeep, upkeep_since = {{now}}, completed_at = {{now}}, contradicted = CASE state WHEN 6 THEN 1 ELSE 0 END,
  reason = '', input = NULL, progress = NULL
WHERE {{key}} AND id = @id AND ((state = 3 AND fence = @fence) OR state IN (5, 6))
{{returning}}`

	// DONE stays; an ok is never overwritten.
	judgeText = `
UPDATE {{table}} SET version = version + 1, verdict = @verdict, verdict_reason = @reason
WHERE {{key}} AND id = @id AND state = 4 AND verdict <> 1 AND @verdict <> 0 AND (verdict <> @verdict OR verdict_reason <> @reason)
{{returning}}`

	// CLAIMED, EFFECT: its owner says how far it is.
	progressText = `
UPDATE {{table}} SET version = version + 1, progress = @progress
WHERE {{key}} AND id = @id AND fence = @fence AND state IN (2, 3) AND progress IS DISTINCT FROM @progress
{{returning}}`

	// CLAIMED, EFFECT → UNKNOWN, by its owner.
	parkText = `
UPDATE {{table}} SET {{moved "" "5" "fence" "id" "attempt"}}, state = 5, lease_until = 0, reason = @reason,
  upkeep = 0, upkeep_since = {{now}}
WHERE {{key}} AND id = @id AND fence = @fence AND state IN (2, 3)
{{returning}}`

	// EFFECT, lease out → EFFECT, of another attempt.
	recoverText = `
UPDATE {{table}} SET {{moved "" "3" "fence + 1" "id" "@attempt"}},
  fence = fence + 1, attempt = @attempt, lease_until = {{now}} + @lease, looked_at = {{now}}
WHERE {{key}} AND state = 3 AND lease_until <= {{now}} AND NOT (looked_at <> 0 AND attempt = @attempt)
{{returning}}`

	// UNKNOWN, CLOSED stay: another attempt looks.
	lookText = `
UPDATE {{table}} SET version = version + 1, fence = fence + 1, attempt = @attempt, looked_at = {{now}}
WHERE {{key}} AND state IN (5, 6) AND moved_at <= {{now}} - @every
  AND (looked_at = 0 OR (looked_at <= {{now}} - @every AND attempt <> @attempt))
{{returning}}`

	// EFFECT → CLAIMED, by its owner, under a new fence; UNKNOWN, crossed → CLAIMED, by whoever looked last.
	redoText = `
UPDATE {{table}} SET {{moved "" "2" "fence + 1" "id" "attempt"}}, state = 2, fence = fence + 1, lease_until = {{now}} + @lease,
  upkeep = 3, upkeep_since = {{now}}, reason = '', progress = NULL
WHERE {{key}} AND id = @id AND fence = @fence AND (state = 3 OR state = 5 AND crossings > 0)
{{returning}}`

	// UNKNOWN → DONE, by a person.
	appliedText = `
UPDATE {{table}} SET {{moved "" "4" "fence" "id" "''"}},
  state = 4, output = @output, omitted = @omitted, size = @size, hash = @hash, completed_at = {{now}},
  upkeep = @upkeep, upkeep_since = {{now}}, reason = '', input = NULL, progress = NULL
WHERE tenant = @tenant AND id = @id AND state = 5
{{returning}}`

	// UNKNOWN → CLOSED, by a person, when no attempt can act any more.
	closeText = `
UPDATE {{table}} SET {{moved "" "6" "fence" "id" "''"}}, state = 6, reason = @reason
WHERE tenant = @tenant AND id = @id AND state = 5 AND acts_until <= {{now}}
{{returning}}`

	// Lease out: CLAIMED, never crossed → FREE; other CLAIMED → UNKNOWN; EFFECT → EFFECT, of the attempt of the sweep.
	sweepText = `
UPDATE {{table}} SET {{moved "" swept (effect "fence + 1" "fence") "id" "@attempt" (effect "@plain" "@note")}},
  state = {{swept}}, fence = {{effect "fence + 1" "fence"}}, attempt = {{effect "@attempt" "attempt"}},
  lease_until = {{effect (print now " + @lease") "0"}}, looked_at = {{effect now "looked_at"}},
  upkeep = CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 0 END, upkeep_since = {{effect "upkeep_since" now}},
  reason = CASE WHEN state = 2 AND crossings > 0 THEN @reason ELSE reason END,
  input = CASE WHEN state = 2 AND crossings = 0 THEN NULL ELSE input END,
  progress = CASE WHEN state = 2 AND crossings = 0 THEN NULL ELSE progress END
WHERE {{oldest "lease_until" "upkeep = 3" "0"}}
{{returning}}`

	// DONE for so long: the output is dropped, the receipt stays.
	dropText = `
UPDATE {{table}} SET version = version + 1, output = NULL, omitted = 2, upkeep = 1
WHERE {{oldest "upkeep_since" "upkeep = 2" "@every"}}`

	// DONE, FREE for so long: the row is forgotten.
	forgetText = `
DELETE FROM {{table}}
WHERE {{oldest "upkeep_since" "upkeep = @upkeep" "@every"}}`

	// What is to be written was computed from the row as it was at a version.
	purgeText = `
UPDATE {{table}} SET version = version + 1, output = NULL, omitted = @omitted,
  upkeep = CASE upkeep WHEN 2 THEN 1 ELSE upkeep END, input = NULL, journal = NULL, progress = NULL,
  failure_status = NULL, reason = '', verdict_reason = '', trail = @trail
WHERE tenant = @tenant AND id = @id AND version = @version
{{returning}}`

	getText  = `SELECT {{selection}} FROM {{table}} WHERE {{key}}`
	findText = `SELECT {{selection}} FROM {{table}} WHERE tenant = @tenant AND id = @id`
)
