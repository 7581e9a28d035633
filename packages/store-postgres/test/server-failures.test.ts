import { randomBytes } from "node:crypto";
import { chownSync, existsSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Lease, NewTask } from "@resumable-mcp/core/store";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openPostgresAdmin } from "../src/admin.js";
import { createPostgresStore } from "../src/create-postgres-store.js";
import { isServerAway } from "../src/database/store-errors.js";
import { type PostgresServer, startPostgres } from "../src/testing.js";
import { runSql } from "./stores.js";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

const stores: Store[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
});

const now = { wallMs: 1_000_000, monotonicMs: 1_000 };
const task: NewTask = {
  id: "failures-task-00000001",
  owner: "client:a",
  tool: "count_words",
  toolVersion: "1",
  key: null,
  input: {},
  detached: true,
  ttlMs: 1_000,
};

async function storeWithTask(
  schema: string,
  store = createPostgresStore({ connectionString: server.url, schema }),
): Promise<Store> {
  stores.push(store);
  await store.createTask({ task, reuseResultMs: 0, now });
  return store;
}

/** Takes the lease as a worker does that lost it by an error: until the server can be reached. */
async function acquire(store: Store): Promise<{ readonly lease: Lease; readonly lastSeq: number }> {
  for (;;) {
    try {
      const taken = await store.acquireLease({ taskId: task.id, worker: "worker", ttlMs: 10_000, now });
      if (taken !== undefined) return { lease: taken.lease, lastSeq: taken.snapshot.record.lastSeq };
      throw new Error("The worker's own lease, which it gave up, is free for it.");
    } catch (error) {
      if (!isResumableError(error, "STORE_WRITE_FAILED", "STORE_READ_FAILED")) throw error;
    }
  }
}

test("what was acknowledged is there after the server was killed, nothing twice, and the same worker continues", async () => {
  const store = await storeWithTask("killed");
  const acknowledged: number[] = [];
  let { lease, lastSeq } = await acquire(store);
  let restarted: Promise<void> | undefined;
  for (let progress = 1; progress <= 200; progress++) {
    if (progress === 50) restarted = server.restart();
    try {
      const events = [{ type: "checkpoint", progress, items: [progress] }] as const;
      lastSeq = (await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now })).record.lastSeq;
      acknowledged.push(progress);
    } catch (error) {
      expect(isResumableError(error, "STORE_WRITE_FAILED")).toBe(true);
      await restarted;
      await store.releaseLease(lease);
      ({ lease, lastSeq } = await acquire(store));
    }
  }
  await restarted;
  const { items } = await store.readItems(task.id, { after: 0, limit: 1000 });
  expect(items.filter((item) => acknowledged.includes(Number(item)))).toEqual(acknowledged);
  expect(new Set(items).size).toBe(items.length);
  expect((await store.getTask(task.id))?.record.itemCount).toBe(items.length);
});

// What is run to end such a wait must not wait itself.
const withoutStandby = () => `${server.url}?options=-c%20synchronous_commit%3Dlocal`;

/** While something is done, no commit is confirmed by a standby: the server gives up waiting for it, as an operator says. */
async function giveUpStandby<Result>(work: () => Promise<Result>): Promise<unknown> {
  const configure = async (names: string) => {
    await runSql(`ALTER SYSTEM SET synchronous_standby_names = '${names}'`, withoutStandby());
    await runSql("SELECT pg_reload_conf()", withoutStandby());
  };
  /** Does something, and ends each wait for the standby meanwhile. */
  const without = async (what: () => Promise<unknown>) => {
    let isOver = false;
    let waits = 0;
    const outcome = what()
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    const cancel = "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    const isDone = async () => {
      waits += (await runSql(cancel, withoutStandby())).length;
      return isOver;
    };
    await expect.poll(isDone).toBe(true);
    return { outcome: await outcome, waits };
  };
  await configure("absent");
  // The server learns of its new settings a moment later.
  const probe = () => without(() => runSql("CREATE TABLE probe (); DROP TABLE probe", server.url));
  while ((await probe()).waits === 0);
  const { outcome } = await without(work);
  await configure("");
  return outcome;
}

const notConfirmed = {
  code: "STORE_WRITE_FAILED",
  details: { reason: "the standby did not confirm the commit, so its outcome is unknown" },
};

describe("a wait for the standby that the server gives up is an unknown outcome", () => {
  const translations = ["", "storniere Warten auf synchrone Replikation wegen Benutzeraufforderung"];
  test.each(translations)("of a commit, whatever the language of the server's warning: %j", async (translation) => {
    const pool = new pg.Pool({ connectionString: server.url, max: 8 });
    pool.on("error", () => {});
    pool.on("connect", (client) => {
      const emit = client.emit.bind(client);
      Reflect.set(client, "emit", (name: string, message: object, ...rest: unknown[]) => {
        if (name === "notice" && translation !== "") Object.assign(message, { message: translation });
        return emit(name, message, ...rest);
      });
    });
    const schema = `standby_${translation.length}`;
    const store = await storeWithTask(schema, createPostgresStore({ pool, schema }));
    const { lease } = await acquire(store);
    const events = [{ type: "checkpoint", progress: 1 }] as const;
    const commit = () => store.commit({ lease, afterSeq: 1, events, consume: [], now });
    expect(await giveUpStandby(commit)).toMatchObject(notConfirmed);
    // It is there on this server: the task continues behind it.
    const again = await acquire(store);
    expect(again.lastSeq).toBe(2);
    const next = { lease: again.lease, afterSeq: 2, events, consume: [], now } as const;
    expect((await store.commit(next)).record.lastSeq).toBe(3);
    await store.close();
    await pool.end();
  });

  test("of an import, which is repeated", async () => {
    const admin = openPostgresAdmin({ connectionString: server.url, schema: "standby_import" });
    await admin.migrate();
    const { id } = task;
    const event = { type: "created", task, seq: 1, at: new Date(now.wallMs).toISOString() } as const;
    const bring = () =>
      admin.write(async (writing) => {
        const draft = await writing.beginTask({ id, base: null, signals: [] });
        await draft.addEvents([event]);
        return draft.finish();
      });
    expect(await giveUpStandby(bring)).toMatchObject(notConfirmed);
    expect(await bring()).toBe(false);
    await admin.close();
  });
});

test.runIf(existsSync("/dev/full"))(
  "a full disk refuses what needs more room and nothing else, and loses nothing",
  async () => {
    const sql = <Row>(text: string) => runSql(text, server.url) as Promise<readonly Row[]>;
    const store = await storeWithTask("full_disk");
    const { lease } = await acquire(store);
    const commit = async (held: Lease, afterSeq: number, state: string) => {
      const events = [{ type: "checkpoint", progress: afterSeq, state, items: [afterSeq] }] as const;
      return (await store.commit({ lease: held, afterSeq, events, consume: [], now })).record.lastSeq;
    };
    // Where large states will be, nothing is yet: the first of them finds a device that is always full.
    const [place] = await sql<{ data: string; path: string }>(`SELECT current_setting('data_directory') AS data,
    pg_relation_filepath(reltoastrelid) AS path FROM pg_class WHERE oid = 'full_disk.journal'::regclass`);
    const path = join(place?.data ?? "", place?.path ?? "");
    const { uid, gid } = statSync(path);
    const putInPlace = async (make: () => void) => {
      rmSync(path);
      make();
      // Others have the file open.
      await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'resumable-mcp'");
    };
    const commitWithNewConnections = async (state: string): Promise<unknown> => {
      for (;;) {
        const taken = await acquire(store);
        const error = await commit(taken.lease, taken.lastSeq, state).catch((reason: unknown) => reason);
        if (!isServerAway(error)) {
          await store.releaseLease(taken.lease).catch(() => {});
          return error;
        }
      }
    };
    const large = randomBytes(10_000).toString("hex");
    expect(await commit(lease, 1, "small")).toBe(2);
    await store.releaseLease(lease);
    await putInPlace(() => symlinkSync("/dev/full", path));
    expect(await commitWithNewConnections(large)).toMatchObject({
      code: "STORE_WRITE_FAILED",
      message: expect.stringMatching(
        /^The store could not be written \(53100: could not extend file .*No space left on device\)\. Make room on the server's disk; unfinished tasks then continue\.$/,
      ),
    });
    expect(await commitWithNewConnections("small")).toBe(3);
    await putInPlace(() => {
      writeFileSync(path, "");
      chownSync(path, uid, gid);
    });
    expect(await commitWithNewConnections(large)).toBe(4);
    expect((await store.readItems(task.id, { after: 0, limit: 10 })).items).toEqual([1, 2, 3]);
    expect((await store.getTask(task.id))?.record).toMatchObject({ progress: 3, state: large });
  },
);
