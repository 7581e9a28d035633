import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { nodeDisk } from "../src/disk/node-disk.js";
import { failingDisk } from "./failing-disk.js";
import { commit, create, emptyFolder, lease, newTask, now, openStore } from "./scene.js";

describe("the folder of a store", () => {
  test("is not made by a store that is not used", async () => {
    const directory = join(emptyFolder(), "store");
    const store = openStore(directory);
    await store.close();
    expect(existsSync(directory)).toBe(false);
  });

  test("is made with those above it by the first call", async () => {
    const directory = join(emptyFolder(), "a", "b");
    expect((await openStore(directory).countTasks({})).total).toBe(0);
    expect(JSON.parse(readFileSync(join(directory, "format.json"), "utf8"))).toMatchObject({ layout: 3 });
  });

  test("is made for its user alone: it holds everybody's tasks (G10)", async () => {
    const directory = join(emptyFolder(), "a", "b");
    await openStore(directory).countTasks({});
    for (const folder of [directory, dirname(directory)]) expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test.skipIf(process.platform === "win32")(
    "has no file that others can read, whatever folder it is in (F15)",
    async () => {
      const directory = emptyFolder();
      chmodSync(directory, 0o755);
      const store = openStore(directory);
      await create(store, "one");
      await store.close();
      const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const modes = files.map(({ parentPath, name }) => [name, statSync(join(parentPath, name)).mode & 0o777]);
      expect(modes.length).toBeGreaterThan(3);
      expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([]);
    },
  );

  test.each([
    ["a later layout", '{"layout":4}'],
    ["an earlier layout", '{"layout":1}'],
    ["an unreadable layout", "{"],
  ])("of %s is refused and left as it is", async (_, text) => {
    const directory = emptyFolder();
    writeFileSync(join(directory, "format.json"), text);
    await expect(openStore(directory).countTasks({})).rejects.toMatchObject({ code: "STORE_LAYOUT" });
    expect(readdirSync(directory)).toEqual(["format.json"]);
    expect(readFileSync(join(directory, "format.json"), "utf8")).toBe(text);
  });

  test("is refused where it cannot be made", async () => {
    const path = join(emptyFolder(), "file");
    writeFileSync(path, "");
    const store = openStore(join(path, "store"));
    await expect(store.countTasks({})).rejects.toMatchObject({ code: "STORE_WRITE_FAILED" });
  });

  test("is refused on a file system without hard links, a new one as one that was copied there (G4)", async () => {
    const copied = emptyFolder();
    await openStore(copied).countTasks({});
    const disk = failingDisk((operation) => (operation === "link" ? "EPERM" : undefined));
    for (const directory of [emptyFolder(), copied]) {
      await expect(openStore(directory, { disk }).countTasks({})).rejects.toMatchObject({
        code: "STORE_WRITE_FAILED",
        message:
          "The store could not be written (EPERM: link). Its file system has no hard links, which the store needs: use a folder on another, such as ext4, APFS or NTFS.",
      });
      expect(readdirSync(directory).filter((name) => name.startsWith("."))).toEqual([]);
    }
  });

  test("is refused on a network file system unless that is allowed", async () => {
    const disk = { ...nodeDisk, fileSystem: () => ({ type: 0x6969, bytes: 0, freeBytes: 0, files: 0, freeFiles: 0 }) };
    const directory = emptyFolder();
    const refused = openStore(join(directory, "a"), { disk });
    await expect(refused.countTasks({})).rejects.toMatchObject({ code: "INVALID_OPTION" });
    expect(readdirSync(directory)).toEqual([]);
    const allowed = openStore(join(directory, "b"), { disk, allowNetworkFileSystem: true });
    expect((await allowed.countTasks({})).total).toBe(0);
  });
});

describe("an id from outside", () => {
  test.each([
    "../../../etc/passwd",
    "short",
    "with/slash-in-the-middle",
    "x".repeat(65),
    "with.dots.and.more.dots",
    "",
  ])("%j never becomes part of a path", async (id) => {
    const directory = emptyFolder();
    const store = openStore(directory);
    const before = await store.countTasks({}).then(() => readdirSync(directory, { recursive: true }).length);
    expect(await store.getTask(id)).toBeUndefined();
    const task = { ...newTask("x"), id };
    await expect(store.createTask({ task, reuseResultMs: 0, now })).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await expect(store.signal(id, { kind: "cancel" })).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    await expect(store.readEvents(id, { afterSeq: 0, limit: 1 })).rejects.toMatchObject({ code: "TASK_NOT_FOUND" });
    expect(readdirSync(directory, { recursive: true })).toHaveLength(before);
  });

  test("of a document stays inside the folder of its kind", async () => {
    const directory = emptyFolder();
    const store = openStore(directory);
    const session = { kind: "session", id: "../../up", owner: "client:a", value: 1, expectedVersion: 0, now };
    await store.putDocument(session);
    expect((await store.getDocument("session", "../../up"))?.value).toBe(1);
    expect(readdirSync(join(directory, "documents", "session"))).toHaveLength(1);
  });
});

/** Uses a name wherever a store takes one from outside. */
async function useName(directory: string, name: string): Promise<void> {
  const store = openStore(directory);
  const owner = `client:${name}`;
  const id = await create(store, "task", { owner, key: name, tool: name, toolVersion: name });
  const held = await lease(store, id, name);
  await store.heartbeat({ worker: name, now });
  await commit(store, held, 1, [{ type: "asked", key: name, question: { message: "?", schema: {} } }]);
  await store.signal(id, { kind: "answer", key: name, answer: { action: "decline" } });
  const counted = { group: name, max: 9, limit: "maxSessionsPerOwner" };
  await store.putDocument({ kind: "session", id: name, owner, value: 1, expectedVersion: 0, counted, now });
}

test("names of owners, keys, tools, workers, questions, groups and documents lead out of no folder", async () => {
  const [above, plain] = [emptyFolder(), emptyFolder()];
  const directory = join(above, "a", "b");
  await useName(directory, "../../../stray");
  await useName(plain, "name");
  expect([readdirSync(above), readdirSync(dirname(directory))]).toEqual([["a"], ["b"]]);
  expect(readdirSync(directory).sort()).toEqual(readdirSync(plain).sort());
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  expect(names.filter((path) => path.split(sep).includes("stray"))).toEqual([]);
});

test("a closed store leaves no worker behind", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  await create(store, "task");
  await store.heartbeat({ worker: "worker-a", now });
  await store.close();
  expect(readdirSync(join(directory, "workers"))).toEqual([]);
});
