import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { reduceTask, type TaskEventBody } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { checkpoint, commit, create, emptyFolder, folderOf, lease, openStore } from "../../store-fs/test/scene.js";
import { everything, json } from "./command-line.js";

const options = { durability: "process" } as const;

/** A task whose journal has a file for each list of events, after the one in which it was made. */
async function taskOf(...files: readonly (readonly TaskEventBody[])[]) {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const id = await create(store, "task", { key: "call" });
  let lastSeq = 1;
  for (const events of files) {
    const held = await lease(store, id);
    if (events.length > 0) ({ lastSeq } = await commit(store, held, lastSeq, events));
    await store.releaseLease(held);
  }
  const record = (await store.getTask(id))?.record;
  await store.close();
  return { directory, id, record, folder: folderOf(directory, id) };
}

/** Changes a letter in the last line of a journal file, and gives what the file says then. */
function damage(folder: string, epoch: number): string {
  const path = join(folder, `journal.${epoch}.jsonl`);
  const text = readFileSync(path, "utf8").replace(/"at":"2026(?=[^\n]*\n$)/, '"at":"2027');
  writeFileSync(path, text);
  return text;
}

describe("damage in an older file of a task, the newest of which is sound", () => {
  test("costs the events up to it and nothing else, once repaired: a reader gets a snapshot in their place (G5.2, G12)", async () => {
    const { directory, id, record, folder } = await taskOf([checkpoint(1)], [checkpoint(2)], [checkpoint(3, ["c"])]);
    const damaged = damage(folder, 2);
    const says =
      "continue without events 1 to 2 (readers get a snapshot of the task instead of them), and keep journal.1.jsonl, journal.2.jsonl in quarantine/";
    const found = {
      kind: "damaged",
      severity: "damage",
      taskId: id,
      path: join(folder, "journal.2.jsonl"),
      fix: says,
    };
    const before = everything(directory);
    expect(await json("check", "--store", directory)).toMatchObject({ code: 1, value: { problems: [found] } });
    expect(everything(directory)).toBe(before);
    const repair = await json("repair", "--store", directory, "--apply");
    expect(repair).toMatchObject({ code: 0, value: { repairs: [{ ...found, outcome: "done" }] } });
    const after = await json("check", "--store", directory);
    expect(after).not.toMatchObject({ value: { problems: [{ kind: "damaged" }] } });
    expect(readFileSync(join(directory, "quarantine", `${id}.journal.2.jsonl`), "utf8")).toBe(damaged);
    expect(existsSync(join(directory, "quarantine", `${id}.journal.1.jsonl`))).toBe(true);

    const store = openStore(directory, options);
    expect((await store.getTask(id))?.record).toEqual(record);
    const page = await store.readEvents(id, { afterSeq: 0, limit: 10 });
    expect([page.snapshot?.lastSeq, page.events.map(({ seq }) => seq), page.lastSeq]).toEqual([2, [3, 4], 4]);
    expect(reduceTask(page.snapshot, page.events)).toEqual(record);
    const known = await store.readEvents(id, { afterSeq: 2, limit: 10 });
    expect([known.snapshot, known.events.map(({ seq }) => seq)]).toEqual([undefined, [3, 4]]);
    expect((await store.readItems(id, { after: 0, limit: 10 })).items).toEqual(["c"]);
    await commit(store, await lease(store, id, "worker-b"), 4, [checkpoint(4, ["d"])]);
    expect((await store.readItems(id, { after: 0, limit: 10 })).items).toEqual(["c", "d"]);
  });

  test("leaves a reader the snapshot alone where no event is left (G5)", async () => {
    const { directory, id, record, folder } = await taskOf([checkpoint(1)], []);
    damage(folder, 2);
    expect(await json("repair", "--store", directory, "--apply")).toMatchObject({ code: 0 });
    const store = openStore(directory, options);
    const page = await store.readEvents(id, { afterSeq: 0, limit: 10 });
    expect(page).toEqual({ snapshot: record, events: [], lastSeq: 2 });
    expect(await store.readEvents(id, { afterSeq: 2, limit: 10 })).toEqual({ events: [], lastSeq: 2 });
  });

  test("sets the task aside where items stand in it, as they would be lost", async () => {
    const { directory, id, folder } = await taskOf([checkpoint(1, ["a"])], [checkpoint(2)]);
    damage(folder, 2);
    const repair = await json("repair", "--store", directory, "--apply");
    expect(repair).toMatchObject({
      value: { repairs: [{ fix: `move the task to quarantine/${id}`, outcome: "done" }] },
    });
    expect(readdirSync(join(directory, "quarantine"))).toContain(id);
  });

  test("is left as it is while a live process holds the task", async () => {
    const { directory, id, folder } = await taskOf([checkpoint(1)]);
    const store = openStore(directory, options);
    await lease(store, id, "worker-b");
    damage(folder, 2);
    const before = everything(folder);
    const refused = { kind: "damaged", outcome: "refused", reason: expect.stringContaining("a live process") };
    expect(await json("repair", "--store", directory, "--apply")).toMatchObject({ value: { repairs: [refused] } });
    expect(everything(folder)).toBe(before);
  });
});
