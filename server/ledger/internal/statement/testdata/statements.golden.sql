-- claim
INSERT INTO operations (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version,
  principal, run_id, input, journal, lease_until, acts_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
SELECT ?1, ?2, ?3, ?4, CAST(?5 AS bigint), 1, ?6, ?7, 1, CAST(?8 AS bigint), ?9, ?10,
  ?11, ?12, ?13, ?14, ?15, ?16 + ?17,
  CASE CAST(?8 AS bigint) WHEN 1 THEN ?16 + ?17 ELSE 0 END, ?16,
  CASE CAST(?8 AS bigint) WHEN 1 THEN ?16 ELSE 0 END, ?16, 3, ?16, 1,
  CAST(?16 AS text) || '|' || CAST(0 AS text) || '|' || CAST(CAST(?5 AS bigint) AS text) || '|' || CAST(1 AS text) || '|' || ?6 || '|' || ?7 || ?18
WHERE ?19 = 1
ON CONFLICT (tenant, scope, tool, key) DO NOTHING
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?16;

-- claim quietly
INSERT INTO operations (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version,
  principal, run_id, input, journal, lease_until, acts_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
SELECT ?1, ?2, ?3, ?4, CAST(?5 AS bigint), 1, ?6, ?7, 1, CAST(?8 AS bigint), ?9, ?10,
  ?11, ?12, ?13, ?14, ?15, ?16 + ?17,
  CASE CAST(?8 AS bigint) WHEN 1 THEN ?16 + ?17 ELSE 0 END, ?16,
  CASE CAST(?8 AS bigint) WHEN 1 THEN ?16 ELSE 0 END, ?16, 3, ?16, 1,
  ?18
WHERE ?19 = 1
ON CONFLICT (tenant, scope, tool, key) DO NOTHING;

-- reclaim
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(CAST(?2 AS bigint) AS text) || '|' || CAST(fence + 1 AS text) || '|' || CASE state WHEN 1 THEN ?3 ELSE id END || '|' || ?4 || ?5,
  state = CAST(?2 AS bigint), fence = fence + 1, attempt = ?4, lease_until = ?1 + ?6,
  upkeep = 3, upkeep_since = ?1,
  id = CASE state WHEN 1 THEN ?3 ELSE id END, sent = CASE state WHEN 1 THEN ?7 ELSE sent END, prepared = CASE state WHEN 1 THEN ?8 ELSE prepared END,
  tool_version = CASE state WHEN 1 THEN ?9 ELSE tool_version END, principal = CASE state WHEN 1 THEN ?10 ELSE principal END, run_id = CASE state WHEN 1 THEN ?11 ELSE run_id END,
  progress = NULL, input = CASE state WHEN 1 THEN ?12 ELSE input END, created_at = CASE state WHEN 1 THEN ?1 ELSE created_at END,
  crossings = CASE state WHEN 1 THEN 0 ELSE crossings END + CAST(?13 AS bigint),
  journal = CASE WHEN state = 1 OR CAST(?13 AS bigint) = 1 THEN ?14 ELSE journal END,
  crossed_at = CASE WHEN CAST(?13 AS bigint) = 1 THEN ?1 WHEN state = 1 THEN 0 ELSE crossed_at END,
  looked_at = CASE WHEN state = 1 OR CAST(?13 AS bigint) = 1 THEN 0 ELSE looked_at END,
  acts_until = CASE WHEN CAST(?13 AS bigint) = 1 AND (state = 1 OR acts_until < ?1 + ?6) THEN ?1 + ?6
    WHEN state = 1 THEN 0 ELSE acts_until END,
  failure_code = '', failure_status = NULL, reason = '', contradicted = 0
WHERE tenant = ?15 AND scope = ?16 AND tool = ?17 AND key = ?18 AND ((state = 1 AND id <> ?3) OR (state = 2 AND lease_until <= ?1 AND sent = ?7
  AND NOT (CAST(?13 AS bigint) = 0 AND attempt = ?4)))
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- cross
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(3 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || attempt || ?2,
  state = 3, crossings = crossings + 1, journal = ?3, lease_until = ?1 + ?4,
  acts_until = CASE WHEN acts_until < ?1 + ?4 THEN ?1 + ?4 ELSE acts_until END,
  crossed_at = ?1, looked_at = 0
WHERE tenant = ?5 AND scope = ?6 AND tool = ?7 AND key = ?8 AND id = ?9 AND fence = ?10 AND state = 2
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- cross quietly
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || ?2,
  state = 3, crossings = crossings + 1, journal = ?3, lease_until = ?1 + ?4,
  acts_until = CASE WHEN acts_until < ?1 + ?4 THEN ?1 + ?4 ELSE acts_until END,
  crossed_at = ?1, looked_at = 0
WHERE tenant = ?5 AND scope = ?6 AND tool = ?7 AND key = ?8 AND id = ?9 AND fence = ?10 AND state = 2
AND version = ?11;

-- free
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN 1 ELSE 5 END AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || attempt || ?2,
  state = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN 1 ELSE 5 END, lease_until = 0, upkeep = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN 1 ELSE 0 END, upkeep_since = ?1,
  failure_code = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN ?3 ELSE failure_code END, failure_status = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN ?4 ELSE failure_status END,
  reason = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN reason ELSE ?3 END, input = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN NULL ELSE input END,
  progress = CASE WHEN (state = 2 AND crossings = 0) OR (state = 3 AND crossings = 1 AND looked_at = 0) THEN NULL ELSE progress END
WHERE tenant = ?5 AND scope = ?6 AND tool = ?7 AND key = ?8 AND id = ?9 AND fence = ?10 AND state IN (2, 3)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- record
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(4 AS text) || '|' || CAST(CAST(?2 AS bigint) AS text) || '|' || id || '|' || CASE WHEN fence = ?2 THEN attempt ELSE '' END || ?3,
  state = 4, lease_until = 0, output = ?4, omitted = ?5, size = ?6, hash = ?7,
  upkeep = ?8, upkeep_since = ?1, completed_at = ?1, contradicted = CASE state WHEN 6 THEN 1 ELSE 0 END,
  reason = '', input = NULL, progress = NULL
WHERE tenant = ?9 AND scope = ?10 AND tool = ?11 AND key = ?12 AND id = ?13 AND ((state = 3 AND fence = ?2) OR state IN (5, 6))
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- record quietly
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || ?2,
  state = 4, lease_until = 0, output = ?3, omitted = ?4, size = ?5, hash = ?6,
  upkeep = ?7, upkeep_since = ?1, completed_at = ?1, contradicted = CASE state WHEN 6 THEN 1 ELSE 0 END,
  reason = '', input = NULL, progress = NULL
WHERE tenant = ?8 AND scope = ?9 AND tool = ?10 AND key = ?11 AND id = ?12 AND ((state = 3 AND fence = ?13) OR state IN (5, 6))
AND version = ?14;

-- judge
UPDATE operations SET version = version + 1, verdict = ?1, verdict_reason = ?2
WHERE tenant = ?3 AND scope = ?4 AND tool = ?5 AND key = ?6 AND id = ?7 AND state = 4 AND verdict <> 1 AND ?1 <> 0 AND (verdict <> ?1 OR verdict_reason <> ?2)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?8;

-- progress
UPDATE operations SET version = version + 1, progress = ?1
WHERE tenant = ?2 AND scope = ?3 AND tool = ?4 AND key = ?5 AND id = ?6 AND fence = ?7 AND state IN (2, 3) AND progress IS DISTINCT FROM ?1
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?8;

-- park
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(5 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || attempt || ?2, state = 5, lease_until = 0, reason = ?3,
  upkeep = 0, upkeep_since = ?1
WHERE tenant = ?4 AND scope = ?5 AND tool = ?6 AND key = ?7 AND id = ?8 AND fence = ?9 AND state IN (2, 3)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- recover
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(3 AS text) || '|' || CAST(fence + 1 AS text) || '|' || id || '|' || ?2 || ?3,
  fence = fence + 1, attempt = ?2, lease_until = ?1 + ?4, looked_at = ?1
WHERE tenant = ?5 AND scope = ?6 AND tool = ?7 AND key = ?8 AND state = 3 AND lease_until <= ?1 AND NOT (looked_at <> 0 AND attempt = ?2)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- look
UPDATE operations SET version = version + 1, fence = fence + 1, attempt = ?1, looked_at = ?2
WHERE tenant = ?3 AND scope = ?4 AND tool = ?5 AND key = ?6 AND state IN (5, 6) AND moved_at <= ?2 - ?7
  AND (looked_at = 0 OR (looked_at <= ?2 - ?7 AND attempt <> ?1))
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?2;

-- redo
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(2 AS text) || '|' || CAST(fence + 1 AS text) || '|' || id || '|' || attempt || ?2, state = 2, fence = fence + 1, lease_until = ?1 + ?3,
  upkeep = 3, upkeep_since = ?1, reason = '', progress = NULL
WHERE tenant = ?4 AND scope = ?5 AND tool = ?6 AND key = ?7 AND id = ?8 AND fence = ?9 AND (state = 3 OR state = 5 AND crossings > 0)
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- applied
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(4 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || '' || ?2,
  state = 4, output = ?3, omitted = ?4, size = ?5, hash = ?6, completed_at = ?1,
  upkeep = ?7, upkeep_since = ?1, reason = '', input = NULL, progress = NULL
WHERE tenant = ?8 AND id = ?9 AND state = 5
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- close
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(6 AS text) || '|' || CAST(fence AS text) || '|' || id || '|' || '' || ?2, state = 6, reason = ?3
WHERE tenant = ?4 AND id = ?5 AND state = 5 AND acts_until <= ?1
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- sweep
UPDATE operations SET version = version + 1, moved_at = ?1, moves = moves + 1,
  trail = CASE WHEN moves < 64 THEN trail ELSE substr(trail, instr(trail, char(10)) + 1) END || CAST(?1 AS text) || '|' || CAST(state AS text) || '|' || CAST(CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 5 END AS text) || '|' || CAST(CASE state WHEN 3 THEN fence + 1 ELSE fence END AS text) || '|' || id || '|' || ?2 || CASE state WHEN 3 THEN ?3 ELSE ?4 END,
  state = CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 5 END, fence = CASE state WHEN 3 THEN fence + 1 ELSE fence END, attempt = CASE state WHEN 3 THEN ?2 ELSE attempt END,
  lease_until = CASE state WHEN 3 THEN ?1 + ?5 ELSE 0 END, looked_at = CASE state WHEN 3 THEN ?1 ELSE looked_at END,
  upkeep = CASE WHEN state = 3 THEN 3 WHEN crossings = 0 THEN 1 ELSE 0 END, upkeep_since = CASE state WHEN 3 THEN upkeep_since ELSE ?1 END,
  reason = CASE WHEN state = 2 AND crossings > 0 THEN ?6 ELSE reason END,
  input = CASE WHEN state = 2 AND crossings = 0 THEN NULL ELSE input END,
  progress = CASE WHEN state = 2 AND crossings = 0 THEN NULL ELSE progress END
WHERE rowid IN (SELECT rowid FROM operations WHERE upkeep = 3 AND lease_until <= ?1 - 0 ORDER BY lease_until LIMIT ?7 )
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1;

-- drop
UPDATE operations SET version = version + 1, output = NULL, omitted = 2, upkeep = 1
WHERE rowid IN (SELECT rowid FROM operations WHERE upkeep = 2 AND upkeep_since <= ?1 - ?2 ORDER BY upkeep_since LIMIT ?3 );

-- forget
DELETE FROM operations
WHERE rowid IN (SELECT rowid FROM operations WHERE upkeep = ?1 AND upkeep_since <= ?2 - ?3 ORDER BY upkeep_since LIMIT ?4 );

-- purge
UPDATE operations SET version = version + 1, output = NULL, omitted = ?1,
  upkeep = CASE upkeep WHEN 2 THEN 1 ELSE upkeep END, input = NULL, journal = NULL, progress = NULL,
  failure_status = NULL, reason = '', verdict_reason = '', trail = ?2
WHERE tenant = ?3 AND id = ?4 AND version = ?5
RETURNING tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?6;

-- get
SELECT tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1 FROM operations WHERE tenant = ?2 AND scope = ?3 AND tool = ?4 AND key = ?5;

-- find
SELECT tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version, principal, run_id, input, journal, progress, lease_until, acts_until, created_at, crossed_at, moved_at, looked_at, output, omitted, size, hash, completed_at, verdict, verdict_reason, reason, failure_code, failure_status, contradicted, trail, ?1 FROM operations WHERE tenant = ?2 AND id = ?3;

