import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { Instant, TaskEventBody } from "@resumable-mcp/core/store";
import { type Disk, nodeDisk } from "@resumable-mcp/store-fs";
import { describe, expect, test } from "vitest";
import {
  at,
  checkpoint,
  commit,
  create,
  emptyFolder,
  folderOf,
  journalOf,
  lease,
  newTask,
  now,
  openStore,
} from "../../store-fs/test/scene.js";
import { everything, json } from "./command-line.js";

const options = { durability: "process" } as const;
const completed: TaskEventBody = { type: "completed", output: 1 };
const failed: TaskEventBody = { type: "failed", error: { code: "TOOL_FAILED", message: "no" } };
const restarted: TaskEventBody = { type: "restarted", generation: 2, fromState: true };
const corrupt = { code: "TASK_CORRUPT" };

/** A task of a call, each commit of which is a line, and its healthy neighbour. */
async function filled(...commits: readonly TaskEventBody[]) {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const neighbour = await finishedNeighbour(store);
  const id = await create(store, "victim", { key: "call" });
  const held = await lease(store, id);
  for (const [index, event] of commits.entries()) await commit(store, held, index + 1, [event]);
  await store.releaseLease(held);
  await store.close();
  return { directory, id, neighbour };
}

async function finishedNeighbour(store: Store): Promise<string> {
  const id = await create(store, "neighbour");
  const held = await lease(store, id);
  await commit(store, held, 1, [completed]);
  await store.releaseLease(held);
  return id;
}

/** Takes whole lines off the end of a task's journal. */
function cut(directory: string, id: string, lines: number): void {
  const path = journalOf(directory, id);
  const whole = readFileSync(path, "utf8").replaceAll("\0", "").split("\n").slice(0, -1);
  writeFileSync(
    path,
    whole
      .slice(0, whole.length - lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const runnable = (store: Store) => store.listRunnable({ tools: ["count_words"], now, limit: 10 });

describe("a finished task whose journal lost whole lines at its end (G2, G12)", () => {
  const calls: readonly (readonly [string, (store: Store, id: string) => Promise<unknown>])[] = [
    ["is read", (store, id) => store.getTask(id)],
    ["is to be run", (store, id) => lease(store, id)],
    ["is read from behind a cursor", (store, id) => store.readEvents(id, { afterSeq: 0, limit: 10 })],
    ["is signalled", (store, id) => store.signal(id, { kind: "resume" })],
  ];

  test.each(calls)("is damaged when it %s, and its files are kept as they are", async (_, call) => {
    for (const lines of [1, 2, 3]) {
      const { directory, id } = await filled(checkpoint(1), checkpoint(2), completed);
      cut(directory, id, lines);
      const left = readFileSync(journalOf(directory, id));
      const name = basename(journalOf(directory, id));
      const store = openStore(directory, options);
      await expect(call(store, id), `${lines} lines`).rejects.toMatchObject(corrupt);
      await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
      expect(await runnable(store)).toEqual({ tasks: [] });
      expect(readFileSync(join(directory, "quarantine", id, name))).toEqual(left);
      const report = readFileSync(join(directory, "quarantine", `${id}.report.json`), "utf8");
      expect(report).toContain(`the task finished with event 4, and its journal ends with event ${4 - lines}`);
      await store.close();
    }
  });

  test("is not what the same call joins", async () => {
    const { directory, id } = await filled(checkpoint(1), completed);
    cut(directory, id, 1);
    const store = openStore(directory, options);
    const next = await store.createTask({ task: newTask("next", { key: "call" }), reuseResultMs: 60_000, now });
    expect([next.created, next.snapshot.record.lastSeq]).toEqual([true, 1]);
    await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
  });

  test("is damaged also where its process died between its line in the list and its marker", async () => {
    const { directory, id, neighbour } = await filled(checkpoint(1), completed);
    cut(directory, id, 1);
    writeFileSync(join(directory, "open", id), "");
    const store = openStore(directory, options);
    expect(await runnable(store)).toEqual({ tasks: [] });
    expect((await store.listTasks({ limit: 10 })).tasks.map((task) => task.id)).toEqual([neighbour]);
    await expect(lease(store, id)).rejects.toMatchObject(corrupt);
    expect(readdirSync(join(directory, "open"))).toEqual([]);
  });

  test("is damaged also where open/ was removed under a process that had looked for ends before", async () => {
    for (const finishesLater of [false, true]) {
      const directory = emptyFolder();
      const [store, reader] = [openStore(directory, options), openStore(directory, options)];
      const id = await create(store, "victim");
      const held = await lease(store, id);
      await commit(store, held, 1, [checkpoint(1)]);
      const finish = async () => {
        await commit(store, held, 2, [completed]);
        await store.releaseLease(held);
      };
      if (!finishesLater) await finish();
      const other = await create(store, "other");
      await commit(store, await lease(store, other), 1, [checkpoint(1)]);
      expect((await reader.getTask(other))?.record.lastSeq).toBe(2);
      if (finishesLater) await finish();

      cut(directory, id, 1);
      rmSync(join(directory, "open"), { recursive: true });
      expect((await reader.getTask(other))?.record.lastSeq).toBe(2);
      expect(readdirSync(join(directory, "open")).sort()).toEqual([id, other].sort());
      await expect(reader.getTask(id), `finishes later: ${finishesLater}`).rejects.toMatchObject(corrupt);
      await expect(lease(reader, id)).rejects.toMatchObject(corrupt);
      await store.close();
      await reader.close();
    }
  });

  test("is found far before the end of the list, which is read once for all tasks, and once more for those that it names", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, options);
    const id = await create(store, "victim");
    const finish = async (task: string, afterSeq: number, ...events: readonly TaskEventBody[]) =>
      commit(store, await lease(store, task), afterSeq, events);
    await finish(id, 1, checkpoint(1), completed);
    const owner = `client:${"x".repeat(10_000)}`;
    const made = (name: string, when: Instant) =>
      store.createTask({ task: newTask(name, { owner }), reuseResultMs: 0, now: when });
    for (let n = 0; n < 20; n += 1) await finish((await made(`later-${n}`, at(1))).snapshot.record.id, 1, completed);
    const latest = (await made("latest", at(2))).snapshot.record.id;
    await finish(latest, 1, checkpoint(1));
    await store.close();
    cut(directory, id, 1);
    writeFileSync(join(directory, "open", id), "");

    const listFiles = new Set<number>();
    let bytes = 0;
    const disk: Disk = {
      ...nodeDisk,
      open(path, flags) {
        const file = nodeDisk.open(path, flags);
        if (path.startsWith(join(directory, "done"))) listFiles.add(file);
        return file;
      },
      close(file) {
        listFiles.delete(file);
        nodeDisk.close(file);
      },
      read(file, into, position) {
        const count = nodeDisk.read(file, into, position);
        if (listFiles.has(file)) bytes += count;
        return count;
      },
    };
    const next = openStore(directory, { ...options, disk });
    expect((await next.getTask(latest))?.record).toMatchObject({ progress: 1, lastSeq: 2 });
    const read = bytes;
    expect(read).toBeGreaterThan(3 * 64 * 1024);
    await expect(next.getTask(id)).rejects.toMatchObject(corrupt);
    await expect(next.getTask(id)).rejects.toMatchObject(corrupt);
    expect(bytes).toBe(2 * read);
  });

  test("is named by check and set aside by repair, which opens nothing again", async () => {
    for (const marker of [false, true]) {
      const { directory, id } = await filled(checkpoint(1), completed);
      cut(directory, id, 1);
      if (marker) writeFileSync(join(directory, "open", id), "");
      const before = everything(directory);
      const found = {
        kind: "damaged",
        severity: "damage",
        taskId: id,
        path: journalOf(directory, id),
        message: expect.stringContaining("the task finished with event 3, and its journal ends with event 2"),
        fix: `move the task to quarantine/${id}`,
      };
      expect(await json("check", "--store", directory)).toMatchObject({ code: 1, value: { problems: [found] } });
      expect(everything(directory)).toBe(before);
      const repair = await json("repair", "--store", directory, "--apply");
      expect(repair).toMatchObject({ code: 0, value: { repairs: [{ ...found, outcome: "done" }] } });
      expect(existsSync(join(directory, "open", id))).toBe(false);
      expect(existsSync(join(directory, "quarantine", id, "journal.2.jsonl"))).toBe(true);
      expect(await json("check", "--store", directory)).toMatchObject({
        value: { problems: [{ kind: "quarantined" }] },
      });
    }
  });
});

describe("a task that began again after it had finished", () => {
  test("is whole, though the list still holds its earlier line", async () => {
    const { directory, id } = await filled(checkpoint(1), failed, restarted, checkpoint(2));
    const store = openStore(directory, options);
    expect((await runnable(store)).tasks.map((task) => task.id)).toEqual([id]);
    await commit(store, await lease(store, id, "worker-b"), 5, [checkpoint(3)]);
    expect((await store.getTask(id))?.record).toMatchObject({ generation: 2, progress: 3, lastSeq: 6 });
    expect(await json("check", "--store", directory)).toMatchObject({ code: 0, value: { problems: [] } });
  });

  test("is damaged once its journal ends before its first end (G12.5)", async () => {
    const { directory, id } = await filled(checkpoint(1), failed, restarted, checkpoint(2));
    cut(directory, id, 3);
    const store = openStore(directory, options);
    await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
  });
});

test("a journal that becomes shorter while a process knows more of it is damaged (G12.5)", async () => {
  const { directory, id } = await filled(checkpoint(1), checkpoint(2));
  const store = openStore(directory, options);
  expect((await store.getTask(id))?.record.lastSeq).toBe(3);
  cut(directory, id, 1);
  await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
  expect(existsSync(folderOf(directory, id))).toBe(false);
});

describe("a task's document that shows more than the journal holds", () => {
  /** A server writes a list of finished tasks; here it is lost, so that the document alone knows more. */
  async function ahead(...commits: readonly TaskEventBody[]) {
    const { directory, id } = await filled(...commits);
    cut(directory, id, 1);
    rmSync(join(directory, "done"), { recursive: true });
    mkdirSync(join(directory, "done"));
    // As if it was not touched for long: a task that is being made may be about to be listed.
    utimesSync(journalOf(directory, id), 0, 0);
    const path = join(folderOf(directory, id), "task.json");
    const problem = { kind: "lost_end", severity: "damage", taskId: id, path };
    return { directory, id, path, problem };
  }

  test("is named by check; repair keeps it and lets an unfinished task go on", async () => {
    const { directory, id, path, problem } = await ahead(checkpoint(1), checkpoint(2));
    const text = readFileSync(path, "utf8");
    const check = await json("check", "--store", directory);
    expect(check).toMatchObject({
      code: 1,
      value: { problems: expect.arrayContaining([expect.objectContaining(problem)]) },
    });
    await json("repair", "--store", directory, "--apply");
    expect(readFileSync(join(directory, "quarantine", `${id}.task.json`), "utf8")).toBe(text);
    const store = openStore(directory, options);
    expect((await store.getTask(id))?.record).toMatchObject({ progress: 1, lastSeq: 2 });
  });

  test("sets the task aside where it says that the task finished", async () => {
    const { directory, id, problem } = await ahead(checkpoint(1), completed);
    const fix = `move the task to quarantine/${id}`;
    const repair = await json("repair", "--store", directory, "--apply");
    const done = expect.objectContaining({ ...problem, fix, outcome: "done" });
    expect(repair).toMatchObject({ value: { repairs: expect.arrayContaining([done]) } });
    expect(readdirSync(join(directory, "open"))).toEqual([]);
    const store = openStore(directory, options);
    await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
  });
});

describe("lists, while the files of one finished task are damaged", () => {
  async function withDamage() {
    const scene = await filled(checkpoint(1), completed);
    truncateSync(journalOf(scene.directory, scene.id), 20);
    return { ...scene, store: openStore(scene.directory, options) };
  }

  test("go on, and name the task as damaged to its owner once that is known (G12)", async () => {
    const { directory, id, neighbour, store } = await withDamage();
    await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
    expect(readFileSync(join(directory, "quarantine", id, "journal.2.jsonl"))).toHaveLength(20);
    const page = await store.listTasks({ owner: "client:test", limit: 10 });
    expect(page.tasks.map((task) => task.id)).toEqual([neighbour]);
    expect(page.damaged?.map((task) => [task.id, task.tool, task.damage])).toEqual([
      [id, "count_words", `look into quarantine/${id}`],
    ]);
    expect(await store.listTasks({ owner: "client:other", limit: 10 })).toEqual({ tasks: [] });
    expect(await store.countTasks({})).toMatchObject({ total: 1, byStatus: { completed: 1 } });
    expect(await store.listExpired({ now: { ...now, wallMs: now.wallMs + 10_000 }, limit: 10 })).toEqual([neighbour]);
    expect(await runnable(store)).toEqual({ tasks: [] });
  });

  test("forget it when its operator has removed it from quarantine and its time is over (G11)", async () => {
    const { directory, id, neighbour, store } = await withDamage();
    await expect(store.getTask(id)).rejects.toMatchObject(corrupt);
    rmSync(join(directory, "quarantine", id), { recursive: true });
    const later = { ...now, wallMs: now.wallMs + 10_000 };
    expect(await store.listExpired({ now: later, limit: 10 })).toEqual([neighbour]);
    await store.close();
    const next = openStore(directory, options);
    expect(await next.countTasks({})).toMatchObject({ total: 1 });
    expect(await next.listTasks({ limit: 10 })).toMatchObject({ tasks: [{ id: neighbour }] });
  });
});
