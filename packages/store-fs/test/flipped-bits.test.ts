import { readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { checkpoint, commit, create, emptyFolder, folderOf, lease, newTask, now, openStore } from "./scene.js";

const options = { durability: "process" } as const;

/** The file with one bit changed in each of its bytes, one after the other. */
function* flips(bytes: Buffer): Generator<Buffer> {
  for (let offset = 0; offset < bytes.byteLength; offset += 1) {
    const changed = Buffer.from(bytes);
    changed[offset] = (changed[offset] ?? 0) ^ (1 << (offset % 8));
    yield changed;
  }
}

/** Lets each flip of a file meet a store that has just been opened on the folder. */
async function eachFlip(
  { directory, path }: { readonly directory: string; readonly path: string },
  check: (store: Store, where: string) => Promise<void>,
): Promise<void> {
  const intact = readFileSync(path);
  let offset = 0;
  for (const changed of flips(intact)) {
    writeFileSync(path, changed);
    const store = openStore(directory, options);
    await check(store, `a bit of byte ${offset} of ${intact.byteLength}`);
    await store.close();
    writeFileSync(path, intact);
    offset += 1;
  }
}

/** What is in quarantine, without the reports. */
function setAside(directory: string): readonly string[] {
  return readdirSync(join(directory, "quarantine")).filter((name) => !name.endsWith(".report.json"));
}

function onlyFile(folder: string): string {
  const [name = "", ...others] = readdirSync(folder).filter((found) => !found.startsWith("."));
  expect(others).toEqual([]);
  return join(folder, name);
}

test("a changed bit in a claim leads the same call to its unfinished task, or to none of another's (G12)", async () => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const id = await create(first, "task", { key: "call" });
  await first.close();
  const bucket = onlyFile(join(directory, "keys"));
  const path = onlyFile(bucket);
  await eachFlip({ directory, path }, async (store, where) => {
    const task = newTask("another", { key: "call" });
    const { snapshot, created } = await store.createTask({ task, reuseResultMs: 0, now });
    expect([snapshot.record.id, created], where).toEqual([id, false]);
  });
});

test("a changed bit in a session sets it aside, and the session can begin again (G12)", async () => {
  const directory = emptyFolder();
  const session = { kind: "session", id: "session", owner: "client:test", now };
  const first = openStore(directory, options);
  await first.putDocument({ ...session, value: { streams: [1, 2] }, expectedVersion: 0 });
  await first.close();
  const path = join(directory, "documents", "session", "session", "1.json");
  let flipped = 0;
  await eachFlip({ directory, path }, async (store, where) => {
    flipped += 1;
    expect(await store.getDocument("session", "session"), where).toBeUndefined();
    expect(setAside(directory), where).toHaveLength(flipped);
    const again = await store.putDocument({ ...session, value: "again", expectedVersion: 0 });
    expect(again.version, where).toBe(1);
  });
});

test("a changed bit in an answer sets it aside, and the question takes another (G9, G12)", async () => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  const id = await create(first, "task");
  const held = await lease(first, id);
  await commit(first, held, 1, [{ type: "asked", key: "go", question: { message: "?", schema: {} } }]);
  await first.signal(id, { kind: "answer", key: "go", answer: { action: "accept", content: { amount: 10 } } });
  await first.close();
  const name = readdirSync(folderOf(directory, id)).find((found) => found.startsWith("answer.")) ?? "";
  const path = join(folderOf(directory, id), name);
  let flipped = 0;
  await eachFlip({ directory, path }, async (store, where) => {
    flipped += 1;
    expect((await store.getTask(id))?.signals, where).toEqual([]);
    expect(setAside(directory), where).toHaveLength(flipped);
    await store.signal(id, { kind: "answer", key: "go", answer: { action: "decline" } });
    expect((await store.getTask(id))?.signals, where).toMatchObject([{ answer: { action: "decline" } }]);
  });
});

test("a changed bit in a line of the finished tasks is reported, and the task listed again after the sweep (G12)", async () => {
  const directory = emptyFolder();
  const first = openStore(directory, options);
  for (const name of ["one", "two"]) {
    const held = await lease(first, await create(first, name));
    await commit(first, held, 1, [checkpoint(1), { type: "completed", output: name }]);
    await first.releaseLease(held);
  }
  await first.close();
  const path = onlyFile(join(directory, "done"));
  const intact = readFileSync(path);
  const ids = [newTask("one").id, newTask("two").id];
  let flipped = 0;
  let offset = 0;
  for (const changed of flips(intact)) {
    offset += 1;
    // The newline of the last line, too.
    if (offset % 7 !== 1 && offset !== intact.byteLength) continue;
    flipped += 1;
    for (const name of readdirSync(join(directory, "done"))) unlinkSync(join(directory, "done", name));
    writeFileSync(path, changed);
    const sweeping = openStore(directory, options);
    const before = (await sweeping.listTasks({ limit: 10 })).tasks.map((task) => task.id);
    expect(ids).toEqual(expect.arrayContaining(before));
    expect(await sweeping.listExpired({ now, limit: 10 })).toEqual([]);
    await sweeping.close();
    const store = openStore(directory, options);
    const listed = (await store.listTasks({ limit: 10 })).tasks.map((task) => [task.id, task.status]);
    expect(listed.sort(), `byte ${offset - 1}`).toEqual(ids.map((id) => [id, "completed"]));
    expect((await store.countTasks({})).total).toBe(2);
    await store.close();
  }
  expect(setAside(directory)).toHaveLength(flipped);
});

test("what stands in a marker, and in the files of workers, changes no task (G12)", async () => {
  const directory = emptyFolder();
  const writer = openStore(directory, options);
  const id = await create(writer, "task");
  const held = await lease(writer, id);
  await commit(writer, held, 1, [checkpoint(1)]);
  writeFileSync(join(directory, "open", id), "garbage");
  writeFileSync(join(directory, "notifications"), "garbage");
  for (const name of readdirSync(join(directory, "workers"))) {
    await eachFlip({ directory, path: join(directory, "workers", name) }, async (store, where) => {
      const tasks = (await store.listTasks({ limit: 10 })).tasks.map((task) => task.id);
      expect(tasks, where).toEqual([id]);
      expect((await store.getTask(id))?.record.lastSeq, where).toBe(2);
    });
  }
});
