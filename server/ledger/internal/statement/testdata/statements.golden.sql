-- claim
INSERT INTO operations (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version,
  principal, run_id, input, journal, lease_until, acts_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
SELECT ?, ?, ?, ?, CAST(? AS bigint), 1, ?, ?, 1, CAST(? AS bigint), ?, ?,
  ?, ?, ?, ?, ?, ? + ?,
  CASE CAST(? AS bigint) WHEN 1 THEN ? + ? ELSE 0 END, ?,
  CASE CAST(? AS bigint) WHEN 1 THEN ? ELSE 0 END, ?, 3, ?, 1,
  CAST(? AS text) || '|' || CAST(0 AS text) || '|' || CAST(CAST(? AS bigint) AS text) || '|' || CAST(1 AS text) || '|' || ? || '|' || ? || ?
WHERE ? = 1
ON CONFLICT (tenant, scope, tool, key) DO NOTHING
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- claim quietly
INSERT INTO operations (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version,
  principal, run_id, input, journal, lease_until, acts_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
SELECT ?, ?, ?, ?, CAST(? AS bigint), 1, ?, ?, 1, CAST(? AS bigint), ?, ?,
  ?, ?, ?, ?, ?, ? + ?,
  CASE CAST(? AS bigint) WHEN 1 THEN ? + ? ELSE 0 END, ?,
  CASE CAST(? AS bigint) WHEN 1 THEN ? ELSE 0 END, ?, 3, ?, 1,
  ?
WHERE ? = 1
ON CONFLICT (tenant, scope, tool, key) DO NOTHING;

-- reclaim
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(CAST(? AS bigint) AS text) || '|' || CAST(fence + 1 AS text) || '|' || CASE state WHEN 1 THEN ? ELSE id END || '|' || ? || ?,
  state = CAST(? AS bigint), fence = fence + 1, attempt = ?, lease_until = ? + ?,
  upkeep = 3, upkeep_since = ?,
  id = CASE state WHEN 1 THEN ? ELSE id END, sent = CASE state WHEN 1 THEN ? ELSE sent END, prepared = CASE state WHEN 1 THEN ? ELSE prepared END,
  tool_version = CASE state WHEN 1 THEN ? ELSE tool_version END, principal = CASE state WHEN 1 THEN ? ELSE principal END, run_id = CASE state WHEN 1 THEN ? ELSE run_id END,
  progress = NULL, input = CASE state WHEN 1 THEN ? ELSE input END, created_at = CASE state WHEN 1 THEN ? ELSE created_at END,
  crossings = CASE state WHEN 1 THEN 0 ELSE crossings END + CAST(? AS bigint),
  journal = CASE WHEN state = 1 OR CAST(? AS bigint) = 1 THEN ? ELSE journal END,
  crossed_at = CASE WHEN CAST(? AS bigint) = 1 THEN ? WHEN state = 1 THEN 0 ELSE crossed_at END,
  looked_at = CASE WHEN state = 1 OR CAST(? AS bigint) = 1 THEN 0 ELSE looked_at END,
  acts_until = CASE WHEN CAST(? AS bigint) = 1 AND (state = 1 OR acts_until < ? + ?) THEN ? + ?
    WHEN state = 1 THEN 0 ELSE acts_until END,
  failure_code = '', failure_status = NULL, reason = '', contradicted = 0
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND ((state = 1 AND id <> ?) OR (state = 2 AND lease_until <= ? AND sent = ?
  AND NOT (CAST(? AS bigint) = 0 AND attempt = ?)))
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- cross
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(3 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || attempt || ?,
  state = 3, crossings = crossings + 1, journal = ?, lease_until = ? + ?,
  acts_until = CASE WHEN acts_until < ? + ? THEN ? + ? ELSE acts_until END,
  crossed_at = ?, looked_at = 0
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND fence = ? AND state = 2 AND (crossings = 0 OR lease_until > ?)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- cross quietly
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || ?,
  state = 3, crossings = crossings + 1, journal = ?, lease_until = ? + ?,
  acts_until = CASE WHEN acts_until < ? + ? THEN ? + ? ELSE acts_until END,
  crossed_at = ?, looked_at = 0
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND fence = ? AND state = 2 AND (crossings = 0 OR lease_until > ?)
AND version = ?;

-- free
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN 1 ELSE 5 END AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || attempt || ?,
  state = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN 1 ELSE 5 END, lease_until = 0, upkeep = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN 1 ELSE 0 END, upkeep_since = ?,
  failure_code = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN ? ELSE failure_code END, failure_status = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN ? ELSE failure_status END,
  reason = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN reason ELSE ? END, input = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN NULL ELSE input END,
  progress = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN NULL ELSE progress END
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND fence = ? AND state IN (2, 3)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- record
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(4 AS text) || '|' || CAST(CAST(? AS bigint) AS text) || '|' || id || '|' || CASE WHEN fence = ? THEN attempt ELSE '' END || ?,
  state = 4, lease_until = 0, output = ?, omitted = ?, size = ?, hash = ?,
  upkeep = ?, upkeep_since = ?, completed_at = ?, contradicted = CASE state WHEN 6 THEN 1 ELSE 0 END,
  reason = '', input = NULL, progress = NULL
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND ((state = 3 AND fence = ?) OR state IN (5, 6))
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- record quietly
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || ?,
  state = 4, lease_until = 0, output = ?, omitted = ?, size = ?, hash = ?,
  upkeep = ?, upkeep_since = ?, completed_at = ?, contradicted = CASE state WHEN 6 THEN 1 ELSE 0 END,
  reason = '', input = NULL, progress = NULL
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND ((state = 3 AND fence = ?) OR state IN (5, 6))
AND version = ?;

-- judge
UPDATE operations SET version = version + 1, verdict = ?, verdict_reason = ?
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND state = 4 AND verdict <> 1 AND ? <> 0 AND (verdict <> ? OR verdict_reason <> ?)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- progress
UPDATE operations SET version = version + 1, progress = ?
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND fence = ? AND state IN (2, 3) AND progress IS DISTINCT FROM ?
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- park
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(5 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || attempt || ?, state = 5, lease_until = 0, reason = ?,
  upkeep = 0, upkeep_since = ?
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND fence = ? AND state IN (2, 3)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- recover
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(3 AS text) || '|' || CAST(fence + 1 AS text) || '|' || id || '|' || ? || ?,
  fence = fence + 1, attempt = ?, lease_until = ? + ?, looked_at = ?
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND state = 3 AND lease_until <= ? AND NOT (looked_at <> 0 AND attempt = ?)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- look
UPDATE operations SET version = version + 1, fence = fence + 1, attempt = ?, looked_at = ?
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND state IN (5, 6) AND moved_at <= ? - ?
  AND (looked_at = 0 OR (looked_at <= ? - ? AND attempt <> ?))
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- redo
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(2 AS text) || '|' || CAST(fence + 1 AS text) || '|' || id || '|' || attempt || ?, state = 2, fence = fence + 1, lease_until = ? + ?,
  upkeep = 3, upkeep_since = ?, reason = '', progress = NULL
WHERE tenant = ? AND scope = ? AND tool = ? AND key = ? AND id = ? AND fence = ? AND (state = 3 OR state = 5 AND crossings > 0)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- applied
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(4 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || '' || ?,
  state = 4, output = ?, omitted = ?, size = ?, hash = ?, completed_at = ?,
  upkeep = ?, upkeep_since = ?, reason = '', input = NULL, progress = NULL
WHERE tenant = ? AND id = ? AND state = 5
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- close
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(6 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || '' || ?, state = 6, reason = ?
WHERE tenant = ? AND id = ? AND state = 5 AND acts_until <= ?
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- sweep
UPDATE operations SET version = version + 1, moved_at = ?, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(? AS text) || '|' || CAST(state AS text) || '|' || CAST(CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 5 END AS text) || '|' || CAST(CASE state WHEN 3 THEN fence + 1 ELSE fence END AS text) || '|' || id || '|' || ? || CASE state WHEN 3 THEN ? ELSE ? END,
  state = CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 5 END, fence = CASE state WHEN 3 THEN fence + 1 ELSE fence END, attempt = CASE state WHEN 3 THEN ? ELSE attempt END,
  lease_until = CASE state WHEN 3 THEN ? + ? ELSE 0 END, looked_at = CASE state WHEN 3 THEN ? ELSE looked_at END,
  upkeep = CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 0 END, upkeep_since = CASE state WHEN 3 THEN upkeep_since ELSE ? END,
  reason = CASE WHEN state = 2 AND crossings > 0 THEN ? ELSE reason END,
  input = CASE WHEN state = 2 AND crossings = 0 THEN NULL ELSE input END,
  progress = CASE WHEN state = 2 AND crossings = 0 THEN NULL ELSE progress END
WHERE rowid IN (SELECT rowid FROM operations WHERE upkeep = 3 AND lease_until <= ? - 0 ORDER BY lease_until LIMIT ? )
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- drop
UPDATE operations SET version = version + 1, output = NULL, omitted = 2, upkeep = 1
WHERE rowid IN (SELECT rowid FROM operations WHERE upkeep = 2 AND upkeep_since <= ? - ? ORDER BY upkeep_since LIMIT ? );

-- forget
DELETE FROM operations
WHERE rowid IN (SELECT rowid FROM operations WHERE upkeep = ? AND upkeep_since <= ? - ? ORDER BY upkeep_since LIMIT ? );

-- purge
UPDATE operations SET version = version + 1, output = NULL, omitted = ?,
  upkeep = CASE upkeep WHEN 2 THEN 1 ELSE upkeep END, input = NULL, journal = NULL, progress = NULL,
  failure_status = NULL, reason = '', verdict_reason = '', trail = ?
WHERE tenant = ? AND id = ? AND version = ?
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?;

-- get
SELECT tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ? FROM operations WHERE tenant = ? AND scope = ? AND tool = ? AND key = ?;

-- find
SELECT tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ? FROM operations WHERE tenant = ? AND id = ?;

