CREATE TABLE layout (
  one boolean PRIMARY KEY DEFAULT true CHECK (one),
  layout int NOT NULL,                -- the last migration that was applied
  oldest_writer int NOT NULL          -- a process that knows less than this must not write
);

CREATE SEQUENCE epoch;                -- fencing numbers, of all tasks together
CREATE SEQUENCE claim;                -- the order in which tasks were made, and claimed their calls

CREATE TABLE worker (
  worker text COLLATE "C" PRIMARY KEY,
  beat double precision NOT NULL,
  offers text,                        -- JSON: which tools in which versions it offers
  locks boolean NOT NULL DEFAULT false -- its process has its lock, or moves the heartbeat at each look
) WITH (fillfactor = 50);

-- No wide column: what a checkpoint leaves is in the journal, and the record is the fold of snapshot and journal.
-- No index holds a column that a checkpoint changes, so that its update touches no index.
CREATE TABLE task (
  id text COLLATE "C" PRIMARY KEY,
  incarnation bigint NOT NULL,        -- tells a task from a deleted one of the same id
  owner bytea NOT NULL,               -- SHA-256 of the owner: owners are of any text and length
  call bytea,                         -- SHA-256 of owner and key; null joins no task
  claim bigint NOT NULL,              -- of the tasks of a call the newest claim counts
  tool text COLLATE "C" NOT NULL,     -- as a JSON string: names are of any text
  created_ms bigint NOT NULL,
  ttl_ms double precision NOT NULL,
  finished_ms bigint,
  epoch bigint NOT NULL DEFAULT 0,    -- of the newest lease
  holder text COLLATE "C",            -- the worker that has the lease
  lease_ttl_ms double precision,
  last_seq bigint NOT NULL,
  bytes bigint NOT NULL,              -- of all events as JSON
  chunk_bytes bigint NOT NULL DEFAULT 0, -- of all artifacts
  status text NOT NULL,
  terminal boolean NOT NULL DEFAULT false,
  live boolean NOT NULL DEFAULT false,
  pausing boolean NOT NULL DEFAULT false,
  detached boolean NOT NULL,
  questions text[] NOT NULL DEFAULT '{}', -- SHA-256 of the keys of open questions
  runnable_ms double precision,
  crashes int NOT NULL DEFAULT 0,
  tool_version text NOT NULL,         -- as a JSON string
  items_from_seq bigint NOT NULL DEFAULT 1,
  item_count bigint NOT NULL DEFAULT 0,
  brief text NOT NULL,                -- JSON: the summary for lists
  signals jsonb NOT NULL DEFAULT '[]' -- {"i": id, "k": kind, "q": SHA-256 of an answer's key, "b": the signal as JSON}
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE UNIQUE INDEX task_one_unfinished ON task (call) WHERE finished_ms IS NULL AND call IS NOT NULL;
CREATE INDEX task_claim ON task (call, claim DESC) WHERE call IS NOT NULL;
CREATE INDEX task_owner ON task (owner, created_ms DESC, id DESC);
CREATE INDEX task_newest ON task (created_ms DESC, id DESC);
CREATE INDEX task_unfinished ON task (created_ms, id) WHERE finished_ms IS NULL;
CREATE INDEX task_owner_unfinished ON task (owner) WHERE finished_ms IS NULL;
CREATE INDEX task_expiry ON task ((finished_ms + ttl_ms)) WHERE finished_ms IS NOT NULL;
CREATE INDEX task_holder ON task (holder) WHERE holder IS NOT NULL;

-- The chunks of artifacts. The row of a task is made last where it is imported.
CREATE TABLE chunk (
  task text COLLATE "C" NOT NULL REFERENCES task ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  artifact text COLLATE "C" NOT NULL,
  place int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (task, artifact, place)
);
ALTER TABLE chunk ALTER bytes SET STORAGE EXTERNAL;

-- One row for each commit. No foreign key: the fenced update in the same statement proves that the task exists.
CREATE TABLE journal (
  task text COLLATE "C" NOT NULL,
  last_seq bigint NOT NULL,
  epoch bigint NOT NULL,
  at_ms bigint NOT NULL,              -- with epoch and size it tells the commit from one of a history that a fail-over lost
  size bigint NOT NULL,               -- bytes of body and items
  body text,          -- JSON: the events, each with the number of its items; null when compacted away
  items text,         -- JSON: all items of the events; never compacted
  end_item bigint,                    -- index after the last of them
  PRIMARY KEY (task, last_seq)
);
CREATE INDEX journal_items ON journal (task, end_item) WHERE items IS NOT NULL;

CREATE TABLE snapshot (
  task text COLLATE "C" PRIMARY KEY,
  seq bigint NOT NULL,                -- the last event that the record knows
  record text NOT NULL,
  bytes bigint NOT NULL,              -- of the journal up to there
  compacted_seq bigint NOT NULL DEFAULT 0, -- events up to this one are compacted away: readers get the record instead
  compacted_bytes bigint NOT NULL DEFAULT 0
);

-- Faster than the default, where the server was built with it.
DO $$ BEGIN
  ALTER TABLE journal ALTER body SET COMPRESSION lz4, ALTER items SET COMPRESSION lz4;
  ALTER TABLE snapshot ALTER record SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL;
END $$;

CREATE TABLE answer (
  task text COLLATE "C" NOT NULL,
  generation bigint NOT NULL,         -- the task's items_from_seq: a restart from nothing asks again
  question text NOT NULL,             -- SHA-256 of its key
  PRIMARY KEY (task, generation, question)
);

CREATE TABLE document (
  kind text COLLATE "C" NOT NULL,
  id bytea NOT NULL,                  -- SHA-256: ids are of any text
  name text NOT NULL,                 -- the id as a JSON string
  owner text NOT NULL,                -- as a JSON string
  value text NOT NULL,
  version bigint NOT NULL,
  updated_ms bigint NOT NULL,
  counted_as bytea,                   -- SHA-256 of kind and group, where it is counted
  PRIMARY KEY (kind, id)
);
CREATE INDEX document_counted ON document (counted_as) WHERE counted_as IS NOT NULL;
CREATE INDEX document_idle ON document (kind, updated_ms);

-- How many unfinished tasks an owner has, up to a limit. The lock lasts until the task that is made next is visible to others.
-- Far from the limit makers share the lock: the makers of one moment have a connection each.
CREATE FUNCTION unfinished_of_v1(_owner bytea, _max double precision, _alone boolean) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF _alone THEN PERFORM pg_advisory_xact_lock(hashtextextended(encode(_owner, 'hex'), 9));
  ELSE PERFORM pg_advisory_xact_lock_shared(hashtextextended(encode(_owner, 'hex'), 9));
  END IF;
  RETURN (SELECT count(*) FROM (SELECT FROM task t WHERE t.owner = _owner AND t.finished_ms IS NULL LIMIT ceil(_max)::bigint) x);
END $$;

-- The same for the documents of a group.
CREATE FUNCTION documents_of_v1(_group bytea, _max double precision) RETURNS bigint
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(encode(_group, 'hex'), 10));
  RETURN (SELECT count(*) FROM (SELECT FROM document d WHERE d.counted_as = _group LIMIT ceil(_max)::bigint) x);
END $$;

-- Makes a task, or finds the one of the same call. The lock is of the call: looking and making are one step.
-- Each statement of a function that is volatile sees what the lock waited for.
CREATE FUNCTION create_task_v1(
  _id text, _owner bytea, _call bytea, _tool text, _tool_version text, _detached boolean, _ttl_ms double precision, _brief text,
  _body text, _bytes bigint, _now_ms bigint, _reuse_ms double precision, _continue_failed boolean,
  _max_tasks double precision, _max_bytes double precision, _max_unfinished double precision, _alone boolean, _accepted_ms double precision,
  OUT made boolean, OUT standing text, OUT held_tasks bigint, OUT held_bytes bigint, OUT unfinished bigint, OUT made_as bigint
) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(coalesce(encode(_call, 'hex'), _id), 7));
  SELECT t.id INTO standing FROM task t WHERE t.id = _id;
  IF standing IS NULL AND _call IS NOT NULL THEN
    SELECT n.id INTO standing
    FROM (SELECT t.* FROM task t WHERE t.call = _call ORDER BY t.claim DESC LIMIT 1) n
    WHERE n.finished_ms IS NULL
      OR (n.status = 'completed' AND n.finished_ms + _reuse_ms > _now_ms AND NOT n.signals @> '[{"k": "delivered"}]')
      OR (n.status = 'completed' AND n.finished_ms > _accepted_ms)
      OR (_continue_failed AND n.status = 'failed' AND NOT n.terminal);
  END IF;
  made := false;
  IF standing IS NOT NULL THEN RETURN; END IF;
  IF _max_unfinished IS NOT NULL THEN
    unfinished := unfinished_of_v1(_owner, _max_unfinished, _alone);
    IF unfinished >= _max_unfinished THEN RETURN; END IF;
    IF NOT _alone AND unfinished >= _max_unfinished - current_setting('max_connections')::int THEN RETURN; END IF;
  END IF;
  IF _max_tasks IS NOT NULL OR _max_bytes IS NOT NULL THEN
    -- A store near its quotas makes one task at a time, so that the count holds. An index tells how many there are; their bytes
    -- take a look at each row.
    PERFORM pg_advisory_xact_lock(hashtextextended(current_schema(), 8));
    IF _max_tasks IS NOT NULL THEN SELECT count(*) INTO held_tasks FROM task; END IF;
    IF _max_bytes IS NOT NULL THEN SELECT coalesce(sum(t.bytes + t.chunk_bytes), 0) INTO held_bytes FROM task t; END IF;
    IF held_tasks >= _max_tasks OR held_bytes >= _max_bytes THEN RETURN; END IF;
  END IF;
  made := true;
  standing := _id;
  made_as := nextval('claim');
  INSERT INTO task (id, incarnation, owner, call, claim, tool, created_ms, ttl_ms, last_seq, bytes, status, detached, tool_version, brief)
  VALUES (_id, made_as, _owner, _call, made_as, _tool, _now_ms, _ttl_ms, 1, _bytes, 'pending', _detached, _tool_version, _brief);
  INSERT INTO journal (task, last_seq, epoch, at_ms, size, body) VALUES (_id, 1, 0, _now_ms, _bytes, _body);
END $$;

INSERT INTO layout (layout, oldest_writer) VALUES (1, 1);
