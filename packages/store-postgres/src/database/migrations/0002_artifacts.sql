-- The chunks of artifacts. The row of a task is made last where it is imported, and a process of the layout before deletes it alone.
CREATE TABLE chunk (
  task text COLLATE "C" NOT NULL REFERENCES task ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
  artifact text COLLATE "C" NOT NULL,
  place int NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (task, artifact, place)
);
ALTER TABLE chunk ALTER bytes SET STORAGE EXTERNAL;

ALTER TABLE task ADD COLUMN chunk_bytes bigint NOT NULL DEFAULT 0;

-- They count where the bytes of a store are counted.
DO $$ BEGIN
  EXECUTE replace(pg_get_functiondef('create_task_v1'::regproc), 'sum(t.bytes)', 'sum(t.bytes + t.chunk_bytes)');
END $$;

UPDATE layout SET layout = 2;
