import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createEngine, defineTool, isResumableError } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { encodeLine } from "../src/disk/checked-line.js";
import { createHost } from "../src/disk/platform.js";
import { copyTree, emptyTree, MemoryDisk } from "../src/testing/memory-disk.js";
import { create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

/** A process that begins after all others have died. */
const heir = { ...createHost(), processState: () => "dead" as const };

const quick = { durability: "process" } as const;

const ask = defineTool({
  name: "ask_name",
  description: "Waits.",
  input: z.object({ n: z.number() }),
  async *run(_, task) {
    yield {};
    await task.ask("name", { message: "Who?", schema: z.object({ name: z.string() }) });
    return "answered";
  },
});

/** Makes one more task of an owner who may have some; resolves to whether it was made. */
async function make(store: ReturnType<typeof openStore>, id: string, maxUnfinished: number): Promise<boolean> {
  try {
    await store.createTask({ task: newTask(id), reuseResultMs: 0, maxUnfinished, now });
    return true;
  } catch (error) {
    if (isResumableError(error, "LIMIT_EXCEEDED")) return false;
    throw error;
  }
}

/** The names in the folders of places. */
function placesIn(directory: string): readonly string[] {
  const owners = join(directory, "owners");
  return readdirSync(owners).flatMap((bucket) =>
    readdirSync(join(owners, bucket)).map((name) => join(owners, bucket, name)),
  );
}

async function finish(store: ReturnType<typeof openStore>, id: string): Promise<void> {
  const held = await lease(store, newTask(id).id);
  await store.commit({ lease: held, afterSeq: 1, events: [{ type: "completed", output: 1 }], consume: [], now });
  await store.releaseLease(held);
}

test("two engines on one folder let an owner have as many tasks as one, of 60 calls at the same moment (G11.4)", async () => {
  const directory = emptyFolder();
  const engines = [0, 1].map(() => {
    const store = openStore(directory, quick);
    const engine = createEngine({ store, tools: [ask], limits: { maxUnfinishedPerOwner: 5 } });
    onTestFinished(() => engine.close());
    return engine;
  });
  const calls = Array.from({ length: 60 }, (_, n) =>
    engines[n % 2]?.forOwner("client:a").start({ tool: "ask_name", input: { n } }),
  );
  const outcomes = await Promise.allSettled(calls);
  const codes = outcomes.map((one) => (one.status === "fulfilled" ? "accepted" : one.reason.code));
  expect(codes.toSorted()).toEqual([...Array(55).fill("LIMIT_EXCEEDED"), ...Array(5).fill("accepted")]);
  expect((await engines[0]?.forOwner("client:a").list())?.tasks).toHaveLength(5);
});

test("a call that comes while the owner's last task is made for the same call joins it (G7)", async () => {
  const directory = emptyFolder();
  const stores = [openStore(directory, quick), openStore(directory, quick)];
  const same = Array.from({ length: 20 }, (_, index) =>
    stores[index % 2]?.createTask({
      task: newTask(`same-${index}`, { key: "same" }),
      reuseResultMs: 0,
      maxUnfinished: 1,
      now,
    }),
  );
  const made = (await Promise.all(same)).filter((one) => one?.created);
  expect(made).toHaveLength(1);
});

test("places of finished tasks are removed, however many an owner has had", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, quick);
  for (let made = 0; made < 300; made += 1) {
    expect(await make(store, `task-${made}`, 100)).toBe(true);
    await finish(store, `task-${made}`);
  }
  expect(placesIn(directory).length).toBeLessThan(150);
});

test("a task whose files are damaged takes no place (G12)", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, quick);
  expect([await make(store, "one", 1), await make(store, "two", 1)]).toEqual([true, false]);
  await store.close();
  const folder = join(directory, "tasks");
  for (const shard of readdirSync(folder)) {
    const path = join(folder, shard, newTask("one").id, "journal.1.jsonl");
    writeFileSync(path, readFileSync(path, "utf8").replace("count_words", "count_wordz"));
  }
  const next = openStore(directory, quick);
  await expect(next.getTask(newTask("one").id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
  expect(await make(next, "two", 1)).toBe(true);
});

test("damaged places count for nothing, and lost ones are taken again from the tasks", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, quick);
  for (const id of ["one", "two"]) await make(store, id, 2);
  for (const path of placesIn(directory)) writeFileSync(path, "?");
  const other = openStore(directory, quick);
  expect(await make(other, "three", 2)).toBe(true);
  rmSync(join(directory, "owners"), { recursive: true });
  const restored = openStore(directory, quick);
  expect([await make(restored, "four", 3), await make(restored, "five", 4)]).toEqual([false, true]);
});

test("what a process began to make when it died takes no place", async () => {
  const directory = emptyFolder();
  const store = openStore(directory, quick);
  await create(store, "one");
  const [first = ""] = placesIn(directory);
  const bucket = join(first, "..");
  const { group } = JSON.parse(readFileSync(first, "utf8"));
  // As a process leaves it that died between the place and the task.
  const left = encodeLine(JSON.stringify({ group, subject: `open/${newTask("two").id}` }));
  writeFileSync(join(bucket, "new.2.gone"), left);
  writeFileSync(join(bucket, "2"), left);
  expect([await make(store, "three", 2), await make(store, "four", 2)]).toEqual([true, false]);
});

/** A store on what a process left that died at a point while it made a task, and the request for that task. */
async function afterDeath(deadlyPoint: string) {
  const tree = emptyTree();
  let left = copyTree(tree);
  const dying = openStore("/store", {
    disk: new MemoryDisk(tree),
    observer: (point) => {
      if (point === deadlyPoint) left = copyTree(tree);
    },
  });
  const half = { task: newTask("half-made", { key: "call" }), reuseResultMs: 0, maxUnfinished: 1, now };
  await dying.createTask(half);
  return { half, store: openStore("/store", { disk: new MemoryDisk(left), host: heir }) };
}

test("a task whose maker died before it had its call counts when its call comes again (G11)", async () => {
  const { half, store } = await afterDeath("store.create.published");
  expect(await make(store, "another", 1)).toBe(true);
  await expect(store.createTask(half)).rejects.toMatchObject({ code: "LIMIT_EXCEEDED" });
  await finish(store, "another");
  expect((await store.createTask(half)).snapshot.record.id).toBe(half.task.id);
  expect(await make(store, "one-more", 1)).toBe(false);
});

test("a task whose maker died when it had its call counts as soon as another process has found it (G11)", async () => {
  const { half, store } = await afterDeath("store.create.claimed");
  await store.listExpired({ now, limit: 1 });
  expect(await make(store, "another", 1)).toBe(false);
  expect((await store.createTask(half)).snapshot.record.id).toBe(half.task.id);
});
