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
  upkeep         integer NOT NULL, -- 3 is swept, 2 has an output to drop, 1 is to be forgotten, 0 stays
  upkeep_since   integer NOT NULL,
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
  PRIMARY KEY (key, tool, scope, tenant)
) STRICT;

CREATE UNIQUE INDEX operations_id ON operations (tenant, id);
CREATE INDEX operations_newest ON operations (tenant, created_at, id);
CREATE INDEX operations_run ON operations (tenant, run_id, created_at, id) WHERE run_id <> '';
-- What is swept, and what expires: what ended last stands beside what is under way, and no index changes at a crossing.
CREATE INDEX operations_upkeep ON operations (upkeep, upkeep_since);
