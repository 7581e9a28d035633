import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { createFsStore } from "../src/index.js";
import { emptyFolder, now } from "./scene.js";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Opens a store on a folder, as a server does. */
async function open(directory: string): Promise<void> {
  const store = createFsStore({ directory });
  closing.push(() => store.close());
  await store.countTasks({});
}

function put(directory: string, files: readonly string[]): void {
  for (const name of files) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `of ${name}`);
    utimesSync(path, 1, 1);
  }
}

const names = (directory: string) => readdirSync(directory, { recursive: true }).sort();

const foreign: readonly (readonly [string, readonly string[]])[] = [
  ["workers/ of a project", ["workers/index.js", "workers/README.md", "workers/.env", "workers/lib/a.js"]],
  ["workers/ and package.json", ["workers/index.js", "package.json"]],
  ["trash/ with a folder", ["trash/new.website.draft/index.html"]],
  ["documents/ alone", ["documents/letter.txt"]],
  ["tasks/ with what could be a task", ["tasks/ab/my-documents-of-2024/report.txt"]],
  ["one file", ["README.md"]],
];

test.each(foreign)("a folder with %s does not become a store, and stays as it is", async (_, files) => {
  const directory = emptyFolder();
  put(directory, files);
  const before = names(directory);
  const message = expect.stringMatching(/^The folder has no format.json, and .* Name an empty folder with --store/);
  await expect(open(directory)).rejects.toMatchObject({ code: "STORE_LAYOUT", message });
  expect(names(directory)).toEqual(before);
});

test("a folder in which a process ended before it had written format.json becomes a store", async () => {
  const directory = emptyFolder();
  put(directory, [".draft.0123456789ab"]);
  await open(directory);
  expect(JSON.parse(readFileSync(join(directory, "format.json"), "utf8"))).toMatchObject({ layout: 3 });
});

test.each(["layout", "@resumable-mcp", "/store-fs"])(
  "a store without a task whose format.json rotted at %j is known by the rest of it",
  async (at) => {
    const directory = emptyFolder();
    const file = join(directory, "format.json");
    await open(directory);
    await closing.pop()?.();
    const written = readFileSync(file);
    const rotted = Buffer.from(written);
    rotted.writeUInt8(rotted.readUInt8(rotted.indexOf(at)) ^ 64, rotted.indexOf(at));
    writeFileSync(file, rotted);
    writeFileSync(join(directory, "notifications"), "\n");
    await open(directory);
    expect(readFileSync(file)).toEqual(written);
    expect(names(join(directory, "quarantine")).join()).toContain("format.json");
    // As a process leaves it that ended in between.
    await closing.pop()?.();
    rmSync(file);
    await open(directory);
    expect(readFileSync(file)).toEqual(written);
  },
);

test("what is not a store's own stays in a store's folders, whatever its name", async () => {
  const directory = emptyFolder();
  await open(directory);
  const files = [
    "workers/index.js",
    "workers/.env",
    "workers/store.config",
    "workers/.draft.notes",
    "workers/lib/a.js",
    "trash/new.html",
    "trash/new.site/index.html",
    "trash/del.me",
    "documents/notes.txt",
    "quarantine/own.txt",
    "keys/0/mine.txt",
    "owners/mine.txt",
    "done/mine.jsonl",
    "open/mine",
  ];
  put(directory, files);
  const store = createFsStore({ directory, limits: { forgetWorkerMs: 1 } });
  closing.push(() => store.close());
  await store.countTasks({});
  await store.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs, limit: 10 });
  await store.listTasks({ limit: 10 });
  expect(files.filter((name) => !existsSync(join(directory, name)))).toEqual([]);
});

test("files of workers that are silent for long are removed, also those that a loss of power left empty or full of zeros", async () => {
  const directory = emptyFolder();
  await open(directory);
  const workers = join(directory, "workers");
  const written = readFileSync(join(workers, readdirSync(workers)[0] ?? ""));
  await closing.pop()?.();
  const left = { "store.gone": written, "store.zeros": Buffer.alloc(written.byteLength), "store.empty": "" };
  for (const [name, content] of Object.entries(left)) {
    writeFileSync(join(workers, name), content);
    utimesSync(join(workers, name), 1, 1);
  }
  await open(directory);
  expect(readdirSync(workers).filter((name) => name in left)).toEqual([]);
});

describe.skipIf(process.platform === "win32")("links and pipes in a store's folder", () => {
  test.each(["workers", "trash", "tasks", "documents", "quarantine", "notifications", "format.json"])(
    "%s that is a link is refused, and what it leads to stays",
    async (name) => {
      const [directory, elsewhere] = [emptyFolder(), emptyFolder()];
      put(elsewhere, ["index.js", "letter.txt"]);
      await open(directory);
      await closing.pop()?.();
      const path = join(directory, name);
      rmSync(path, { recursive: true });
      symlinkSync(/\.|notif/.test(name) ? join(elsewhere, "letter.txt") : elsewhere, path);
      const message = expect.stringMatching(/is a symbolic link, which a store does not follow/);
      await expect(open(directory)).rejects.toMatchObject({ code: "STORE_LAYOUT", message });
      expect(["index.js", "letter.txt"].map((file) => readFileSync(join(elsewhere, file), "utf8"))).toEqual([
        "of index.js",
        "of letter.txt",
      ]);
    },
  );

  test("links deeper in the folder are not followed", async () => {
    const [directory, elsewhere] = [emptyFolder(), emptyFolder()];
    put(elsewhere, ["my-documents-of-2024/report.txt", "1.json"]);
    await open(directory);
    symlinkSync(elsewhere, join(directory, "tasks", "ab"));
    mkdirSync(join(directory, "documents", "session"), { recursive: true });
    symlinkSync(elsewhere, join(directory, "documents", "session", "s".repeat(32)));
    symlinkSync(elsewhere, join(directory, "trash", "new.another.link"));
    await closing.pop()?.();
    const before = names(elsewhere);
    const store = createFsStore({ directory });
    closing.push(() => store.close());
    expect((await store.listTasks({ limit: 10 })).tasks).toEqual([]);
    await store.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs, limit: 10 });
    await expect(store.deleteDocument("session", "s".repeat(32))).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
    expect(names(elsewhere)).toEqual(before);
  });

  test("the folder itself may be named by a link", async () => {
    const [directory, elsewhere] = [emptyFolder(), emptyFolder()];
    symlinkSync(elsewhere, join(directory, "store"));
    await open(join(directory, "store"));
    expect(readdirSync(elsewhere)).toContain("tasks");
  });

  test.each(["notifications", "format.json", "workers"])(
    "%s that is a pipe is refused, and hangs nothing",
    async (name) => {
      const directory = emptyFolder();
      await open(directory);
      await closing.pop()?.();
      rmSync(join(directory, name), { recursive: true });
      spawnSync("mkfifo", [join(directory, name)]);
      await expect(open(directory)).rejects.toMatchObject({ code: "STORE_LAYOUT" });
    },
  );

  test("G12 a pipe in place of a journal hurts its own task only, and hangs nothing", async () => {
    const directory = emptyFolder();
    await open(directory);
    const task = join(directory, "tasks", "00", "a-task-with-a-pipe");
    mkdirSync(task, { recursive: true });
    spawnSync("mkfifo", [join(task, "journal.1.jsonl")]);
    const store = createFsStore({ directory });
    closing.push(() => store.close());
    await store.countTasks({});
    expect((await store.listTasks({ limit: 10 })).tasks).toEqual([]);
  });
});
