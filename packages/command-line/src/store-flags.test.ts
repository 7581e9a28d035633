import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { CommandError } from "./command-error.js";
import { hasPassword, loadDatabasePackage, openWhenReached, readStorePlace, readStoreWait } from "./store-flags.js";

const url = "postgres://app@db.example:5432/app";

test("a store is a folder, or a database with the options that were given", async () => {
  expect(readStorePlace({}, "tasks")).toEqual({ directory: resolve("tasks"), durability: undefined });
  expect(readStorePlace({ store: "/data", "store-durability": "process" }, "tasks")).toEqual({
    directory: "/data",
    durability: "process",
  });
  const nothing = { password: undefined, schema: undefined, durability: undefined, limits: {} };
  expect(readStorePlace({ store: url }, "tasks")).toEqual({ ...nothing, connectionString: url });
  const flags = { "store-schema": "mine", "store-connections": "10" };
  expect(readStorePlace({ store: "postgresql://", ...flags }, "tasks")).toEqual({
    ...nothing,
    connectionString: "postgresql://",
    schema: "mine",
    limits: { maxWriters: 2, maxConnections: 7 },
  });
});

test.each([
  ["3", { maxWriters: 1, maxConnections: 1 }],
  ["4", { maxWriters: 2, maxConnections: 1 }],
  ["7", { maxWriters: 2, maxConnections: 4 }],
])("%s connections are one for notifications, and the rest", (text, limits) => {
  expect(readStorePlace({ store: url, "store-connections": text }, "tasks")).toMatchObject({ limits });
});

test("the password file is read for each connection, without the newline at its end", async () => {
  const folder = await mkdtemp(join(tmpdir(), "password-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "password");
  await writeFile(file, "first \n");
  const place = readStorePlace({ store: url, "store-password-file": file }, "tasks");
  const read = "password" in place ? place.password : undefined;
  expect(await read?.()).toBe("first ");
  await writeFile(file, "second");
  expect(await read?.()).toBe("second");
});

test.each([
  ["postgres://u:secret@h/db", true],
  ["postgresql://u:secret@h/db", true],
  ["postgres://h/db?password=secret", true],
  ["postgres://u@h:5432/db", false],
  ["postgres://h:5432/db?application_name=a@b", false],
  ["postgres:///db", false],
  ["/data/u:secret@h", false],
  [undefined, false],
])("%s has a password: %s", (store, has) => {
  expect(hasPassword(store)).toBe(has);
});

test.each([
  [{ store: "mysql://u:secret@h/db" }, /^--store must be a folder, or a URL such as postgres:/],
  [{ "store-schema": "mine" }, /^--store-schema is for a database\./],
  [
    { store: url, "store-connections": "2" },
    /^storeConnections \(RESUMABLE_MCP_STORE_CONNECTIONS\) must be a whole number from 3 to 1000/,
  ],
  [
    { store: url, "store-durability": "all" },
    /^storeDurability \(RESUMABLE_MCP_STORE_DURABILITY\) must be machine or process/,
  ],
  [{ store: "postgres://u:secret@h/db", "store-password-file": "x" }, /^--store has a password already/],
  [{ store: url, "store-password-file": "/nowhere/x" }, /^The password file \/nowhere\/x cannot be read \(ENOENT\)/],
])("%j is refused with a sentence that shows no password", (flags, sentence) => {
  const read = () => readStorePlace(flags, "tasks");
  expect(read).toThrow(CommandError);
  expect(read).toThrow(sentence);
  expect(read).not.toThrow(/secret/);
});

test("a package that is not installed is named with its install command, and not looked for again", async () => {
  const absent = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const loading = loadDatabasePackage(() => Promise.reject(absent));
  await expect(loading).rejects.toThrow(/npm install @resumable-mcp\/store-postgres/);
  await expect(loading).rejects.toMatchObject({ exitCode: 78 });
  const broken = new Error("broken");
  await expect(loadDatabasePackage(() => Promise.reject(broken))).rejects.toBe(broken);
});

test("a server that is away is waited for, anything else is not", async () => {
  expect([readStoreWait(undefined), readStoreWait("0s"), readStoreWait("2m")]).toEqual([30_000, 0, 120_000]);
  const [away, refused] = [new Error("away"), new Error("refused")];
  const isServerAway = (error: unknown) => error === away;
  const open = async (outcomes: (Error | undefined)[], waitMs: number) => {
    const said: string[] = [];
    const next = async () => {
      const outcome = outcomes.shift();
      if (outcome !== undefined) throw outcome;
    };
    const say = (sentence: string) => said.push(sentence);
    const opening = openWhenReached(next, { waitMs, isServerAway, pauseMs: 1 }, say);
    const ended = await opening.catch((error: unknown) => error);
    return [ended, said];
  };
  const said = ["Error: away Waiting for it up to 60 s."];
  expect(await open([away, undefined], 60_000)).toEqual([undefined, said]);
  expect(await open([away, refused], 60_000)).toEqual([refused, said]);
  expect(await open([away], 0)).toEqual([away, []]);
});

test("a server that stays away is asked again until the time is over, and what it says ends the start", async () => {
  let nowMs = 0;
  // Only an attempt takes time: the test's own runner reads the clock, too.
  const clock = vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  const away = new Error("away");
  const said: string[] = [];
  let attempts = 0;
  const open = () => {
    attempts += 1;
    nowMs += 10_000;
    return Promise.reject(away);
  };
  const wait = { waitMs: 60_000, isServerAway: () => true, pauseMs: 1 };
  await expect(openWhenReached(open, wait, (sentence) => said.push(sentence))).rejects.toBe(away);
  expect([attempts, said]).toEqual([6, ["Error: away Waiting for it up to 60 s."]]);
});
