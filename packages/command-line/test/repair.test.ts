import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import {
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

/** A store with a finished task, an unfinished one that asks, and a session. */
async function filled() {
  const directory = emptyFolder();
  const store = openStore(directory, options);
  const done = await create(store, "done", { key: "done" });
  const held = await lease(store, done);
  await commit(store, held, 1, [checkpoint(1, ["a"]), completed]);
  const open = await create(store, "open", { key: "open" });
  const asking = await lease(store, open);
  await commit(store, asking, 1, [{ type: "asked", key: "go", question: { message: "?", schema: {} } }, checkpoint(1)]);
  await store.signal(open, { kind: "answer", key: "go", answer: { action: "decline" } });
  await store.putDocument({ kind: "session", id: "session", owner: "client:a", value: 1, expectedVersion: 0, now });
  await store.close();
  for (const id of [done, open]) age(journalOf(directory, id));
  return { directory, done, open };
}

/** Makes a file look as if it was not touched for long. */
function age(path: string): void {
  utimesSync(path, 0, 0);
}

const only = (folder: string, pattern: RegExp) => {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    pattern.test(basename(name)),
  );
  return join(folder, names[0] ?? "missing");
};

interface Case {
  readonly name: string;
  readonly kind: string;
  readonly harmless?: true;
  readonly damage: (store: { readonly directory: string; readonly done: string; readonly open: string }) => string;
}

const cases: readonly Case[] = [
  {
    name: "a journal whose lines are no lines",
    kind: "damaged",
    damage: ({ directory, done }) => write(journalOf(directory, done), "garbage\ngarbage\n"),
  },
  {
    name: "a claim that says nothing",
    kind: "damaged_claim",
    damage: ({ directory }) => write(only(join(directory, "keys"), /^\d+$/), "{"),
  },
  {
    name: "an answer that says nothing",
    kind: "damaged_answer",
    damage: ({ directory, open }) => write(only(folderOf(directory, open), /^answer\./), "{"),
  },
  {
    name: "a session that says nothing",
    kind: "damaged_server_document",
    damage: ({ directory }) => write(only(join(directory, "documents", "session", "session"), /^1\.json$/), "{"),
  },
  {
    name: "a document that says nothing",
    kind: "damaged_document",
    harmless: true,
    damage: ({ directory, done }) => write(join(folderOf(directory, done), "task.json"), "{"),
  },
  {
    name: "a list of finished tasks with a line that is none",
    kind: "damaged_list",
    damage: ({ directory }) => append(only(join(directory, "done"), /jsonl$/), "garbage\n"),
  },
  {
    name: "a finished task that no list shows",
    kind: "unlisted",
    damage: ({ directory, done }) => {
      rmSync(join(directory, "done"), { recursive: true });
      return folderOf(directory, done);
    },
  },
  {
    name: "a finished task that is still marked as open",
    kind: "unlisted",
    harmless: true,
    damage: ({ directory, done }) => {
      write(join(directory, "open", done), "");
      return folderOf(directory, done);
    },
  },
  {
    name: "an unfinished task without its marker",
    kind: "unlisted",
    damage: ({ directory, open }) => {
      rmSync(join(directory, "open", open));
      return folderOf(directory, open);
    },
  },
  {
    name: "a marker of a task that is not there",
    kind: "stale_marker",
    harmless: true,
    damage: ({ directory }) => write(join(directory, "open", "no-such-task-here"), ""),
  },
  {
    name: "a journal that ends in half a line",
    kind: "torn",
    harmless: true,
    damage: ({ directory, open }) => append(journalOf(directory, open), '{"crc":"0000'),
  },
  {
    name: "a journal that was announced and never sealed",
    kind: "orphaned",
    harmless: true,
    damage: ({ directory, open }) => write(join(folderOf(directory, open), "journal.7.jsonl"), '{"crc"'),
  },
  {
    name: "a draft whose process died before it renamed the file",
    kind: "leftover",
    harmless: true,
    damage: ({ directory }) => {
      const path = write(join(directory, "documents", "session", "session", ".draft.x"), "half");
      age(path);
      return path;
    },
  },
  {
    name: "a task that was being made",
    kind: "leftover",
    harmless: true,
    damage: ({ directory }) => {
      const path = join(directory, "trash", "new.gone.x");
      mkdirSync(join(path, "draft"), { recursive: true });
      return path;
    },
  },
  {
    name: "a file that a person put into the folder",
    kind: "foreign",
    harmless: true,
    damage: ({ directory }) => write(join(directory, "notes.txt"), "mine"),
  },
  {
    name: "a file that a person put into a task's folder",
    kind: "foreign",
    harmless: true,
    damage: ({ directory, open }) => write(join(folderOf(directory, open), "signal.1.shout.x"), ""),
  },
];

function write(path: string, text: string): string {
  writeFileSync(path, text);
  return path;
}

function append(path: string, text: string): string {
  appendFileSync(path, text);
  return path;
}

describe("fsck", () => {
  test.each(cases)("finds $name, says what it would do, and does it on request", async (each) => {
    const scene = await filled();
    const store = ["--store", scene.directory];
    const path = each.damage(scene);
    const text = readable(path);
    const found = {
      kind: each.kind,
      severity: each.harmless ? "harmless" : "damage",
      path,
      fix: expect.any(String),
    };
    const before = everything(scene.directory);

    const check = await json("check", ...store);
    expect(check).toMatchObject({ code: each.harmless ? 0 : 1, value: { problems: [found] } });
    const dryRun = await json("repair", ...store);
    expect(dryRun).toMatchObject({
      code: each.harmless ? 0 : 1,
      value: { applied: false, repairs: [{ outcome: "would" }] },
    });
    expect(everything(scene.directory)).toBe(before);

    const repaired = await json("repair", ...store, "--apply");
    expect(repaired).toMatchObject({ code: 0, value: { applied: true, repairs: [{ ...found, outcome: "done" }] } });
    const after = await json("check", ...store);
    expect(after).not.toMatchObject({ value: { problems: [{ kind: each.kind }] } });
    expect(text === "" || everything(scene.directory).includes(Buffer.from(text).toString("base64"))).toBe(true);
    expect(readdirSync(join(scene.directory, "workers"))).toEqual([]);
  });

  test("makes a repaired store one that does all that it did before", async () => {
    const scene = await filled();
    const kinds = ["damaged_claim", "damaged_answer", "damaged_server_document", "damaged_list", "unlisted", "torn"];
    const chosen = cases.filter(({ name, kind }) => kinds.includes(kind) && !name.includes("still marked"));
    for (const each of chosen) each.damage(scene);
    expect(await json("repair", "--store", scene.directory, "--apply")).toMatchObject({ code: 0 });
    const store = openStore(scene.directory, options);
    const again = await store.createTask({ task: newTask("again", { key: "open" }), reuseResultMs: 0, now });
    expect([again.created, again.snapshot.record.id]).toEqual([false, scene.open]);
    await store.signal(scene.open, { kind: "answer", key: "go", answer: { action: "accept", content: { n: 1 } } });
    expect((await store.getTask(scene.open))?.signals).toMatchObject([
      { kind: "answer", answer: { action: "accept" } },
    ]);
    const session = { kind: "session", id: "session", owner: "client:a", value: 2, expectedVersion: 0, now };
    expect(await store.putDocument(session)).toMatchObject({ version: 1, value: 2 });
    expect((await store.listTasks({ limit: 10 })).tasks.map(({ id }) => id).sort()).toEqual([scene.done, scene.open]);
    expect(await store.listExpired({ now: { ...now, wallMs: now.wallMs + 10_000 }, limit: 10 })).toEqual([scene.done]);
  });

  test("does not touch a task that a live process holds", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, options);
    const id = await create(store, "held");
    await lease(store, id);
    writeFileSync(journalOf(directory, id), "garbage\ngarbage\n");
    writeFileSync(join(folderOf(directory, id), "task.json"), "{");
    const before = everything(folderOf(directory, id));
    const refused = { kind: "damaged", outcome: "refused", reason: expect.stringContaining("a live process") };
    const repair = await json("repair", "--store", directory, "--apply");
    expect(repair).toMatchObject({ code: 1, value: { repairs: [refused] } });
    expect(everything(folderOf(directory, id))).toBe(before);
  });

  test("does not rewrite the list that a live process appends to", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, options);
    const held = await lease(store, await create(store, "done"));
    await commit(store, held, 1, [completed]);
    await store.releaseLease(held);
    const path = append(only(join(directory, "done"), /jsonl$/), "garbage\n");
    const before = readFileSync(path, "utf8");
    const repair = await json("repair", "--store", directory, "--apply");
    expect(repair).toMatchObject({ code: 1, value: { repairs: [{ kind: "damaged_list", outcome: "refused" }] } });
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("sets a task aside that was made and never shown, where its call has another one", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, options);
    const left = await create(store, "left", { key: "call" });
    rmSync(join(directory, "open", left));
    for (const name of readdirSync(join(directory, "keys"))) rmSync(join(directory, "keys", name), { recursive: true });
    age(journalOf(directory, left));
    const standing = await create(store, "standing", { key: "call" });
    expect(await json("repair", "--store", directory, "--apply")).toMatchObject({ code: 0 });
    expect(existsSync(join(directory, "quarantine", left, "journal.1.jsonl"))).toBe(true);
    expect((await store.listTasks({ limit: 10 })).tasks.map(({ id }) => id)).toEqual([standing]);
  });

  test("has nothing to repair in a sound store while a process works in it", async () => {
    const directory = emptyFolder();
    const store = openStore(directory, options);
    const id = await create(store, "running", { key: "call" });
    await commit(store, await lease(store, id), 1, [checkpoint(1)]);
    const repair = await json("repair", "--store", directory, "--apply");
    expect(repair).toMatchObject({ code: 0, value: { repairs: [] } });
  });
});

/** What a file says; nothing for a folder. */
function readable(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
