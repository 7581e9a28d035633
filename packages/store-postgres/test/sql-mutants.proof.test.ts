import { runClauses } from "@resumable-mcp/store-testkit";
import { expect, test } from "vitest";
import { processHarness } from "./stores.js";

interface Mutant {
  /** What the store does wrong. */
  readonly what: string;
  /** The clause that is meant to find it. */
  readonly clause: string;
  /** A part of a statement, and what stands in its place; `store.` is the schema. */
  readonly from: string;
  readonly to: string;
  /** The server refuses the statement for what the clause writes. Any other mutant is found by what it does. */
  readonly refused?: true;
}

/** Counts, and returns so late that others have counted too before anything is made. */
const slowCount = "count(*) + length(pg_sleep(0.3)::text)";

const mutants: readonly Mutant[] = [
  {
    what: "returns the signals that the statement's snapshot has",
    clause: "COMMIT-5",
    from: "SELECT id, signals FROM t",
    to: "SELECT t.id, s.signals FROM t JOIN store.task s USING (id)",
  },
  {
    what: "keeps events as jsonb",
    clause: "VALUE-4",
    from: "c.size, c.body, c.items",
    to: "c.size, c.body::jsonb::text, c.items",
    refused: true,
  },
  { what: "takes the leases of the living", clause: "LEASE-1", from: "(s.holder IS NULL OR", to: "(true OR" },
  {
    what: "takes for dead who stood still for any time",
    clause: "LEASE-9",
    from: "d.stood_ms >= s.lease_ttl_ms",
    to: "d.stood_ms > 0",
  },
  {
    what: "does not raise the heartbeat",
    clause: "LEASE-10",
    from: "DO UPDATE SET beat = excluded.beat",
    to: "DO UPDATE SET beat = worker.beat",
  },
  { what: "keeps leases when it closes", clause: "CLOSE-2", from: "WHERE holder = ANY ($1)", to: "WHERE false" },
  { what: "keeps pause and resume", clause: "SIGNAL-2", from: "NOT IN ($2::text, $3::text)", to: "NOT IN ($2::text)" },
  {
    what: "keeps a signal twice",
    clause: "SIGNAL-3",
    from: "WHEN signals @> jsonb_build_array(jsonb_build_object('k', $2::text)) THEN signals",
    to: "",
  },
  {
    what: "keeps the second answer's signal",
    clause: "SIGNAL-4",
    from: "SELECT id, items_from_seq, $3 FROM t RETURNING task",
    to: "SELECT id, items_from_seq, $3 FROM t ON CONFLICT DO NOTHING RETURNING task",
  },
  {
    what: "keeps answers across a restart from nothing",
    clause: "SIGNAL-7",
    from: "SELECT id, items_from_seq, $3 FROM t",
    to: "SELECT id, 0, $3 FROM t",
  },
  {
    what: "takes an answer of an earlier generation",
    clause: "SIGNAL-13",
    from: " AND items_from_seq = coalesce($4, items_from_seq)",
    to: " AND coalesce($4, 0) >= 0",
  },
  {
    what: "removes signals that a commit does not name",
    clause: "SIGNAL-8",
    from: "WHERE NOT c.consume::jsonb ? (s->>'i')",
    to: "WHERE false",
  },
  {
    what: "reuses results of any age",
    clause: "ID-9",
    from: "n.finished_ms + _reuse_ms > _now_ms AND",
    to: "",
  },
  {
    what: "reuses results that were delivered",
    clause: "ID-10",
    from: ` AND NOT n.signals @> '[{"k": "delivered"}]'`,
    to: "",
  },
  { what: "continues terminal failures", clause: "ID-14", from: " AND NOT n.terminal", to: "" },
  { what: "forgets when calls were accepted", clause: "ID-15", from: "n.finished_ms > _accepted_ms", to: "false" },
  {
    what: "does not claim the call again",
    clause: "RESTART-3",
    from: "CASE WHEN c.claims THEN nextval('store.claim') ELSE t.claim END",
    to: "t.claim",
  },
  {
    what: "gives the items of earlier generations",
    clause: "ITEM-4",
    from: "AND j.last_seq >= t.items_from_seq",
    to: "",
  },
  {
    what: "lists a task as running whose worker has no lease",
    clause: "LIST-5",
    from: "SELECT t.live AND",
    to: "SELECT t.live OR",
  },
  {
    what: "continues a list behind a time",
    clause: "LIST-2",
    from: "(t.created_ms, t.id) < ($5, $6::text)",
    to: "t.created_ms < $5 AND $6::text <> ''",
  },
  {
    what: "lists expired tasks in any order",
    clause: "LIST-8",
    from: "ORDER BY finished_ms, id",
    to: "ORDER BY finished_ms DESC",
  },
  {
    what: "runs what waits for an answer",
    clause: "RUN-4",
    from: "WHEN t.questions <> '{}' THEN NULL ELSE 0",
    to: "ELSE 0",
  },
  {
    what: "lists the newest work first",
    clause: "RUN-1",
    from: "ORDER BY created_ms, id LIMIT $6",
    to: "ORDER BY created_ms DESC, id LIMIT $6",
  },
  {
    what: "counts no request as one",
    clause: "RUN-5",
    from: "detached OR signals @@",
    to: "detached OR NOT signals @@",
  },
  { what: "changes documents of any version", clause: "DOC-2", from: "AND version = $6", to: "AND $6 > -1" },
  {
    what: "sends no notification",
    clause: "WATCH-4",
    from: "SELECT pg_notify($1, message) FROM q",
    to: "SELECT $1 FROM q",
  },
  { what: "makes tasks beyond its number", clause: "QUOTA-4", from: "held_tasks >= _max_tasks OR", to: "" },
  {
    what: "counts an owner's tasks without a lock",
    clause: "OWNER-3",
    from: `PERFORM pg_advisory_xact_lock(hashtextextended(encode(_owner, 'hex'), 9));
  ELSE PERFORM pg_advisory_xact_lock_shared(hashtextextended(encode(_owner, 'hex'), 9));
  END IF;
  RETURN (SELECT count(*) FROM`,
    to: `NULL; END IF; RETURN (SELECT ${slowCount} FROM`,
  },
  {
    what: "lists the idle documents of every group",
    clause: "OWNER-8",
    from: "WHERE counted_as = $1 AND",
    to: "WHERE (counted_as = $1 OR true) AND",
  },
  {
    what: "counts the documents of a group without a lock",
    clause: "OWNER-7",
    from: `PERFORM pg_advisory_xact_lock(hashtextextended(encode(_group, 'hex'), 10));
  RETURN (SELECT count(*) FROM`,
    to: `RETURN (SELECT ${slowCount} FROM`,
  },
  {
    what: "counts finished tasks",
    clause: "OWNER-1",
    from: "t.owner = _owner AND t.finished_ms IS NULL LIMIT",
    to: "t.owner = _owner LIMIT",
  },
  {
    what: "restarts tasks beyond the limit of their owner",
    clause: "OWNER-4",
    from: "AND (SELECT store.unfinished_of_v1(",
    to: "OR t.id = c.id AND (SELECT 0 * store.unfinished_of_v1(",
  },
  { what: "makes tasks beyond its size", clause: "QUOTA-5", from: "OR held_bytes >= _max_bytes", to: "" },
];

test.each(mutants)("a store that $what is found by $clause", async ({ clause, from, to, refused = false }) => {
  let applied = 0;
  const harness = processHarness({}, (send, text) => {
    const schema = /"(t_[0-9a-f]{12})"\./.exec(text)?.[1];
    const inSchema = (part: string) => (schema === undefined ? part : part.replaceAll("store.", `"${schema}".`));
    if (text.includes(inSchema(from))) applied += 1;
    return send(text.replaceAll(inSchema(from), inSchema(to)));
  });
  const [result] = await runClauses(harness, { only: [clause] });
  expect([applied > 0, result?.outcome]).toEqual([true, "failed"]);
  const error = result?.outcome === "failed" ? String(result.error) : "";
  expect(/STORE_(WRITE|READ)_FAILED|could not be (written|read)/.test(error)).toBe(refused);
});
