package main

import (
	"crypto/sha256"
	"strings"
	"time"
)

// table is what a handler by hand keeps its operations in. A number after a colon is a parameter.
type table struct {
	name string
	// create makes it; empty for that of a ledger, which a ledger makes.
	create                 string
	insert, cross, receive string

	inserted func(key, id string, state int64, sent []byte) []any
	crossed  func(key string) []any
	received func(key, output string) []any
}

// text is a statement in the dialect of a database, where a parameter begins so.
func text(statement, name, parameter string) string {
	return strings.NewReplacer("{}", name, ":", parameter).Replace(statement)
}

// leastTable has no more than a handler needs that is never retried, swept, listed or audited, and one index.
//
//nolint:gochecknoglobals // a constant
var leastTable = table{
	name:    "bare",
	create:  "CREATE TABLE {} (key text PRIMARY KEY, id text, state BIGINT, sent BYTES, output text)",
	insert:  "INSERT INTO {} (key, id, state, sent) VALUES (:1, :2, :3, :4)",
	cross:   "UPDATE {} SET state = 3 WHERE key = :1 AND state = 2",
	receive: "UPDATE {} SET state = 4, output = :2 WHERE key = :1 AND state = 3",

	inserted: func(key, id string, state int64, sent []byte) []any { return []any{key, id, state, sent} },
	crossed:  func(key string) []any { return []any{key} },
	received: func(key, output string) []any { return []any{key, output} },
}

// ledgersTable is that of the ledger, with its columns and indexes: what the ledger writes, written without asking anything.
//
//nolint:gochecknoglobals // a constant
var ledgersTable = table{
	name: "operations",
	insert: `INSERT INTO {} (tenant, scope, tool, key, state, version, id, attempt, fence, crossings, sent, prepared, tool_version,
  principal, run_id, lease_until, acts_until, created_at, crossed_at, moved_at, upkeep, upkeep_since, moves, trail)
VALUES ('', '', 'cancel_order', :1, :2, 1, :3, :4, 1, 0, :5, :5, '', '', '', :6, 0, :7, 0, :7, 3, :7, 1, :8)`,
	cross: `UPDATE {} SET state = 3, version = version + 1, crossings = 1, lease_until = :2, acts_until = :2, crossed_at = :3,
  moved_at = :3, moves = moves + 1, trail = trail || :4
WHERE tenant = '' AND scope = '' AND tool = 'cancel_order' AND key = :1 AND fence = 1 AND state = 2`,
	receive: `UPDATE {} SET state = 4, version = version + 1, lease_until = 0, moved_at = :2, completed_at = :2, upkeep = 2,
  upkeep_since = :2, moves = moves + 1, trail = trail || :3, output = :4, size = :5, hash = :6
WHERE tenant = '' AND scope = '' AND tool = 'cancel_order' AND key = :1 AND fence = 1 AND state = 3`,

	inserted: func(key, id string, state int64, sent []byte) []any {
		now := time.Now()
		return []any{key, state, id, attempt, sent, now.Add(time.Minute).UnixMicro(), now.UnixMicro(), entry}
	},
	crossed: func(key string) []any {
		now := time.Now()
		return []any{key, now.Add(time.Minute).UnixMicro(), now.UnixMicro(), entry}
	},
	received: func(key, output string) []any {
		sum := sha256.Sum256([]byte(output))
		return []any{key, time.Now().UnixMicro(), entry, []byte(output), int64(len(output)), sum[:]}
	},
}

// What an attempt, and an entry of the trail, look like.
const (
	attempt = "at_ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	entry   = "1796068801224856|2|3|1|op_ABCDEFGHIJKLMNOPQRSTUVWXYZ|" + attempt + "|\"\" \"\"\n"
)
