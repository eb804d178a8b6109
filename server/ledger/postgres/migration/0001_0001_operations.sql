-- Times are microseconds since 1970, zero for none; states, verdicts and reasons of omission are the numbers of package ledger.
CREATE TABLE {{schema}}.operations (
  tenant         text   NOT NULL,
  scope          text   NOT NULL,
  tool           text   NOT NULL,
  key            text   NOT NULL,
  state          bigint NOT NULL,
  version        bigint NOT NULL,
  id             text   COLLATE "C" NOT NULL,
  attempt        text   NOT NULL,
  fence          bigint NOT NULL,
  crossings      bigint NOT NULL,
  sent           bytea  NOT NULL,
  prepared       bytea  NOT NULL,
  tool_version   text   NOT NULL,
  principal      text   NOT NULL,
  run_id         text   NOT NULL,
  lease_until    bigint NOT NULL,
  acts_until     bigint NOT NULL,
  created_at     bigint NOT NULL,
  crossed_at     bigint NOT NULL,
  moved_at       bigint NOT NULL,
  looked_at      bigint NOT NULL DEFAULT 0,
  completed_at   bigint NOT NULL DEFAULT 0,
  omitted        bigint NOT NULL DEFAULT 0,
  size           bigint NOT NULL DEFAULT 0,
  hash           bytea,
  upkeep         bigint NOT NULL, -- 3 is swept, 2 has an output to drop, 1 is to be forgotten, 0 stays
  upkeep_since   bigint NOT NULL,
  verdict        bigint NOT NULL DEFAULT 0,
  verdict_reason text   NOT NULL DEFAULT '',
  reason         text   NOT NULL DEFAULT '',
  failure_code   text   NOT NULL DEFAULT '',
  contradicted   bigint NOT NULL DEFAULT 0,
  moves          bigint NOT NULL, -- how many there ever were; trail holds the last of them
  trail          text   NOT NULL,
  failure_status bytea,
  journal        bytea,
  progress       bytea,
  input          bytea,
  output         bytea,
  waited_until   bigint NOT NULL DEFAULT 0 -- somebody waits, and is told of moves
);

CREATE INDEX operations_newest ON {{schema}}.operations (tenant, created_at, id);
CREATE INDEX operations_run ON {{schema}}.operations (tenant, run_id, created_at, id) WHERE run_id <> '';
-- What is swept, and what expires: what ended last stands beside what is under way, and no index changes at a crossing.
CREATE INDEX operations_upkeep ON {{schema}}.operations (upkeep, upkeep_since);
-- These come last: of indexes that cost the same, as all do while the table is empty, the planner takes the newest, and keeps
-- that plan when there are many rows.
CREATE UNIQUE INDEX operations_id ON {{schema}}.operations (tenant, id);
ALTER TABLE {{schema}}.operations ADD CONSTRAINT operations_pkey PRIMARY KEY (key, tool, scope, tenant);
