-- Times are microseconds since 1970, zero for none; states, verdicts and reasons of omission are the numbers of package ledger.
CREATE TABLE operations (
  tenant         text   NOT NULL,
  scope          text   NOT NULL,
  tool           text   NOT NULL,
  key            text   NOT NULL,
  state          integer NOT NULL,
  version        integer NOT NULL,
  id             text   NOT NULL,
  attempt        text   NOT NULL,
  fence          integer NOT NULL,
  crossings      integer NOT NULL,
  sent           blob   NOT NULL,
  prepared       blob   NOT NULL,
  tool_version   text   NOT NULL,
  principal      text   NOT NULL,
  run_id         text   NOT NULL,
  lease_until    integer NOT NULL,
  acts_until     integer NOT NULL,
  created_at     integer NOT NULL,
  crossed_at     integer NOT NULL,
  moved_at       integer NOT NULL,
  looked_at      integer NOT NULL DEFAULT 0,
  completed_at   integer NOT NULL DEFAULT 0,
  omitted        integer NOT NULL DEFAULT 0,
  size           integer NOT NULL DEFAULT 0,
  hash           blob,
  kept           integer NOT NULL DEFAULT 0, -- whether there is an output to drop
  verdict        integer NOT NULL DEFAULT 0,
  verdict_reason text   NOT NULL DEFAULT '',
  reason         text   NOT NULL DEFAULT '',
  failure_code   text   NOT NULL DEFAULT '',
  contradicted   integer NOT NULL DEFAULT 0,
  moves          integer NOT NULL, -- how many there ever were; trail holds the last of them
  trail          text   NOT NULL,
  failure_status blob,
  journal        blob,
  progress       blob,
  input          blob,
  output         blob,
  PRIMARY KEY (tenant, scope, tool, key)
) STRICT;

CREATE UNIQUE INDEX operations_id ON operations (tenant, id);
CREATE INDEX operations_newest ON operations (tenant, created_at, id);
CREATE INDEX operations_run ON operations (tenant, run_id, created_at, id) WHERE run_id <> '';
-- What is swept, and what expires: rows leave these when they moved on, so both stay small.
CREATE INDEX operations_lease ON operations (lease_until) WHERE state IN (2, 3);
CREATE INDEX operations_ended ON operations (kept, moved_at) WHERE state IN (1, 4);
