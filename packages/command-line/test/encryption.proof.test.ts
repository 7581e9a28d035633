import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import { newKeyLine, readKeyringFile, withEncryption } from "@resumable-mcp/store-encryption";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { at, commit, create, emptyFolder, lease, openStore } from "../../store-fs/test/scene.js";
import { json, run, setOptions } from "./command-line.js";
import { databaseUrl, newDatabase, openDatabase, usePostgres } from "./database.js";

usePostgres();

const planted = new Set<string>();

/** Each is somewhere in the store, and nothing else in it has these letters. */
function secretOf(place: string): string {
  const secret = `s3cr3t-${place}-4111`;
  planted.add(secret);
  return secret;
}

/** What a search for a text finds, also where bytes are written as digits. */
function found(raw: string, text: string): boolean {
  return [text, Buffer.from(text).toString("hex"), Buffer.from(text).toString("base64").slice(0, -4)].some((form) =>
    raw.includes(form),
  );
}

const secretEvents: readonly TaskEventBody[] = [
  { type: "checkpoint", message: secretOf("message"), state: { a: secretOf("state") }, items: [secretOf("item")] },
  { type: "step", key: secretOf("step key"), value: secretOf("step") },
  { type: "sleep", key: secretOf("sleep key"), until: new Date(at(1).wallMs).toISOString() },
  {
    type: "asked",
    key: secretOf("question key"),
    question: { message: secretOf("question"), schema: { title: secretOf("schema") } },
  },
  { type: "waiting", keys: [secretOf("waiting key")] },
  { type: "log", level: "info", data: { text: secretOf("log") } },
  { type: "refused", by: "2", toolVersion: "1", message: secretOf("refusal") },
];

/** Fills an encrypted store with a secret in every field that can hold text of a tool or of a caller. */
async function fill(store: Store) {
  const parts = {
    owner: `sub:${secretOf("owner")}`,
    key: secretOf("deduplication key"),
    input: { text: secretOf("input") },
    session: secretOf("session"),
    label: secretOf("label"),
    parent: { id: "0123456789abcdef", key: secretOf("key of the parent"), depth: 1 },
  };
  const open = await create(store, "open", parts);
  const held = await lease(store, open);
  await commit(store, held, 1, secretEvents);
  await store.releaseLease(held);
  await store.signal(open, {
    kind: "answer",
    key: secretOf("question key"),
    answer: { action: "accept", content: { text: secretOf("answer") } },
  });
  const done = await create(store, "done", { owner: parts.owner, key: "done" });
  const again = await lease(store, done);
  await commit(store, again, 1, [{ type: "completed", output: secretOf("output") }]);
  await store.releaseLease(again);
  const failed = await create(store, "failed", { owner: parts.owner, key: null });
  const third = await lease(store, failed);
  await commit(store, third, 1, [
    { type: "attempt_ended", reason: "retry", error: { code: "TOOL_FAILED", message: secretOf("first error") } },
    {
      type: "step_failed",
      key: secretOf("failed step"),
      attempt: 1,
      error: { code: "TOOL_FAILED", message: secretOf("error of a step") },
    },
    { type: "called", key: secretOf("call"), tool: "add", child: "0123456789abcdef" },
    { type: "call_failed", key: secretOf("call"), generation: 1, error: { code: "X", message: secretOf("why") } },
    { type: "called", key: secretOf("other call"), tool: "add", child: "123456789abcdef0" },
    { type: "returned", key: secretOf("other call"), value: secretOf("output of a call") },
    { type: "failed", error: { code: "TOOL_FAILED", message: secretOf("error") } },
  ]);
  await store.releaseLease(third);
  const cancelled = await create(store, "cancelled", { owner: parts.owner, key: null });
  const fourth = await lease(store, cancelled);
  await commit(store, fourth, 1, [{ type: "cancelled", reason: secretOf("reason") }]);
  await store.releaseLease(fourth);
  const put = { kind: "session", owner: parts.owner, expectedVersion: 0, now: at(0) };
  // Stores keep a hash of a group.
  const counted = { group: "s3cr3t group", max: 9, limit: "maxSessionsPerOwner" };
  await store.putDocument({ ...put, id: secretOf("document id"), value: { text: secretOf("document") }, counted });
  return { open, done, failed, cancelled, parts };
}

/** A folder for keyrings, and what makes one out of lines. */
function keyrings() {
  const folder = emptyFolder();
  const write = (name: string, ...lines: string[]) => {
    const path = join(folder, name);
    writeFileSync(path, lines.join("\n"), { mode: 0o600 });
    return path;
  };
  const opens = (line: string) => line.replace("seal", "open");
  return { write, opens, idOf: (line: string) => line.split(" ")[1] };
}

interface Place {
  readonly names: readonly string[];
  readonly open: () => Store;
  /** All that is kept, as it is kept. */
  readonly raw: () => Promise<string>;
}

function folder(): Place {
  const directory = emptyFolder();
  const raw = async () => {
    const files = readdirSync(directory, { recursive: true, withFileTypes: true });
    return files
      .map((file) => `${file.name}\n${file.isFile() ? readFileSync(join(file.parentPath, file.name), "latin1") : ""}`)
      .join("\n");
  };
  return { names: ["--store", directory], open: () => openStore(directory), raw };
}

function database(): Place {
  const names = newDatabase();
  return { names, open: () => openDatabase(names), raw: () => dumpTables(names.at(-1) ?? "") };
}

/** Every row of every table of a schema, as JSON. */
async function dumpTables(schema: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl() });
  await client.connect();
  try {
    const { rows } = await client.query("SELECT table_name FROM information_schema.tables WHERE table_schema = $1", [
      schema,
    ]);
    const dumps: unknown[] = [];
    for (const { table_name: name } of rows)
      dumps.push((await client.query(`SELECT row_to_json(t)::text AS row FROM ${schema}.${name} t`)).rows);
    return JSON.stringify([rows, dumps]);
  } finally {
    await client.end();
  }
}

const places: readonly (readonly [string, () => Place])[] = [
  ["a folder", folder],
  ["a database", database],
];

describe.each(places)("%s that is encrypted", (_name, makePlace) => {
  async function filled() {
    const place = makePlace();
    const { write, opens, idOf } = keyrings();
    const line = newKeyLine();
    const path = write("first", line);
    const store = withEncryption(place.open(), await readKeyringFile(path));
    return { ...place, ...(await fill(store)), store, path, line, write, opens, idOf };
  }

  test("holds no secret that can be read, in any field", async () => {
    const { raw, open, store } = await filled();
    const kept = await raw();
    expect(kept).toContain(open);
    expect(found(kept, "s3cr3t")).toBe(false);
    // The search finds what is written without encryption.
    const plain = makePlace();
    await fill(plain.open());
    const readable = await plain.raw();
    expect([...planted].filter((secret) => !found(readable, secret))).toEqual([]);
    await store.close();
  });

  test("is shown and listed with its keyring, and is refused without one", async () => {
    const { names, open, path, parts, raw } = await filled();
    const withKeys = [...names, "--keyring", path];
    expect(await json("show", open, ...withKeys)).toMatchObject({
      code: 0,
      value: {
        record: { owner: parts.owner, input: parts.input, state: { a: secretOf("state") } },
        journal: [{ data: { task: parts } }, { data: { items: [secretOf("item")] } }, {}, {}, {}, {}, {}, {}],
        signals: [{ key: secretOf("question key") }],
      },
    });
    expect((await run("items", open, ...withKeys)).out).toBe(JSON.stringify(secretOf("item")));
    const list = await json("tasks", "--all", ...withKeys, "--owner", parts.owner);
    expect(list.value).toMatchObject({ tasks: [{}, {}, {}, {}] });
    const before = await raw();
    const ofTask = ["show", "items", "restart", "resume"].map((name) => [name, open]);
    const ofBans = [["ban", "alice"], ["unban", "alice"], ["bans"]];
    const commands = [...ofTask, ["tasks", "--all"], ["versions"], ["export"], ["import", path], ...ofBans];
    for (const command of commands) {
      expect(await json(...command, ...names)).toMatchObject({
        code: 1,
        value: { error: { code: "STORE_ENCRYPTED" } },
      });
    }
    expect((await raw()).length).toBe(before.length);
    expect(await json("stats", ...names)).toMatchObject({ code: 0, value: { total: 4 } });
    expect(await json("pause", open, ...names)).toMatchObject({ code: 0, value: { tasks: [{ status: "paused" }] } });
  });

  test("is checked with its keyring: all opens, and a task whose values were moved is damaged", async () => {
    const { names, path, store, open, done } = await filled();
    expect(await json("check", ...names, "--keyring", path)).toMatchObject({
      code: 0,
      value: { tasks: 4, problems: [] },
    });
    await store.close();
    const plain = openRaw(names);
    const held = await lease(plain, done);
    const { record } = (await plain.getTask(open)) ?? {};
    await plain.commit({
      lease: held,
      afterSeq: 2,
      events: [{ type: "log", level: "info", data: record?.state ?? null }],
      consume: [],
      now: at(0),
    });
    await plain.releaseLease(held);
    expect(await json("check", ...names)).toMatchObject({ code: 0, value: { problems: [] } });
    expect(await json("check", ...names, "--keyring", path)).toMatchObject({
      code: 1,
      value: { problems: [{ kind: "does_not_open", severity: "damage", taskId: done, path: "sealed log" }] },
    });
  });

  test.each([
    ["was never sealed", "readable", "or it was never sealed"],
    ["names a data key that is not there", `a.0123456789abcdef.2.0.${"A".repeat(60)}`, "the data key 0123456789abcdef"],
  ])(
    "is listed, checked and exported but for a task with a message that %s, which is named",
    async (_name, message, why) => {
      const { names, path, store, done, open, failed, cancelled } = await filled();
      await store.close();
      const plain = openRaw(names);
      const taken = await plain.getTask(open);
      const held = await lease(plain, open);
      await commit(plain, held, taken?.record.lastSeq ?? 0, [{ type: "checkpoint", message }]);
      await plain.releaseLease(held);
      expect(await json("check", ...names, "--keyring", path)).toMatchObject({
        code: 1,
        value: { problems: [{ kind: "does_not_open", taskId: open, path: "sealed message" }] },
      });
      const { out } = await run("tasks", "--all", ...names, "--keyring", path);
      expect(out.split("\n").filter((line) => line.includes("damaged"))).toEqual([
        expect.stringMatching(new RegExp(`^damaged .*${open}.*${why}`)),
      ]);
      expect(out).not.toContain("quarantine");
      const file = join(emptyFolder(), "tasks.jsonl");
      expect(await json("export", ...names, "--keyring", path, "--to", file)).toMatchObject({
        code: 1,
        value: { tasks: 3, documents: 1, refused: [{ taskId: open, code: "TASK_CORRUPT" }] },
      });
      for (const id of [done, failed, cancelled]) expect(readFileSync(file, "utf8")).toContain(id);
    },
  );

  test("has quotas of single owners for those who have its keyring alone", async () => {
    const { names, path } = await filled();
    setOptions({ "max-unfinished-per-owner": `sub:${secretOf("owner")}=1` });
    expect(await json("stats", ...names)).toMatchObject({
      code: 1,
      value: { error: { code: "STORE_ENCRYPTED" } },
    });
    const { out } = await run("stats", ...names, "--keyring", path);
    expect(out).toContain(`refused now: new tasks of sub:${secretOf("owner")} (maxUnfinishedPerOwner)`);
  });

  test("is checked and exported but for a document that was changed", async () => {
    const { names, path, store } = await filled();
    const [plain, kind] = [openRaw(names), "session"];
    const [listed] = await plain.listIdleDocuments({ kind, idleSinceMs: at(1).wallMs, limit: 1 });
    const { id = "", owner = "", version: expectedVersion = 0 } = listed ?? {};
    await plain.putDocument({ kind, id, owner, value: "changed", expectedVersion, now: at(0) });
    expect(await json("check", ...names, "--keyring", path)).toMatchObject({
      code: 1,
      value: { problems: [{ kind: "does_not_open", severity: "damage", path: "document session" }] },
    });
    const exported = await json("export", ...names, "--keyring", path, "--to", join(emptyFolder(), "tasks.jsonl"));
    expect(exported).toMatchObject({ code: 0, value: { tasks: 4, documents: 0, refused: [] } });
    expect(await store.listIdleDocuments({ kind, idleSinceMs: at(1).wallMs, limit: 9 })).toHaveLength(1);
  });

  test("names the key that is missing, and has lost nothing", async () => {
    const { names, path, line, open, write, idOf, raw } = await filled();
    const before = await raw();
    const wrong = write("wrong", newKeyLine());
    const refused = await json("show", open, ...names, "--keyring", wrong);
    expect(refused).toMatchObject({ code: 1, value: { error: { code: "KEY_MISSING" } } });
    expect(JSON.stringify(refused.value)).toContain(idOf(line));
    expect(await json("reseal", ...names, "--keyring", wrong)).toMatchObject({
      code: 1,
      value: { error: { code: "KEY_MISSING" } },
    });
    expect(before).not.toContain("quarantine/");
    expect(await json("check", ...names, "--keyring", path)).toMatchObject({ code: 0, value: { problems: [] } });
  });

  test("is rotated while a server uses it, and then opens with the new key alone", async () => {
    const { names, open: place, path, line, parts, store, write, opens } = { ...(await filled()) };
    expect(place).toBeDefined();
    const next = newKeyLine();
    const both = write("both", next, opens(line));
    expect(await json("reseal", ...names, "--keyring", both)).toMatchObject({ code: 0, value: { resealed: 2 } });
    const last = write("last", next);
    const shown = await json("tasks", "--all", ...names, "--keyring", last, "--owner", parts.owner);
    expect(shown).toMatchObject({ code: 0, value: { tasks: [{}, {}, {}, {}] } });
    expect(await json("tasks", "--all", ...names, "--keyring", path)).toMatchObject({
      value: { error: { code: "KEY_MISSING" } },
    });
    // The server that began before has its keys.
    const rotated = withEncryption(openRaw(names), await readKeyringFile(last));
    const joined = await create(rotated, "another", { ...parts });
    expect(joined).toBe(place);
    await store.signal(joined, { kind: "cancel" });
    expect((await rotated.getTask(joined))?.signals.map(({ kind }) => kind)).toContain("cancel");
  });

  test("is exported as plain lines, and imported into another encrypted store under the keys of that one", async () => {
    const { names, path, parts, open, write } = await filled();
    const file = join(emptyFolder(), "tasks.jsonl");
    expect(await json("export", ...names, "--keyring", path, "--to", file)).toMatchObject({
      code: 0,
      value: { tasks: 4, documents: 1, refused: [] },
    });
    expect(readFileSync(file, "utf8")).toContain(secretOf("state"));
    const other = makePlace();
    const keyring = write("other", newKeyLine());
    const target = [...other.names, "--keyring", keyring];
    expect(await json("import", file, ...target)).toMatchObject({
      code: 0,
      value: { refused: [], documents: { imported: 1 } },
    });
    expect(await json("import", file, ...target)).toMatchObject({
      code: 0,
      value: { imported: [], documents: { present: 1 } },
    });
    expect(await other.raw()).not.toContain("s3cr3t");
    const store = withEncryption(other.open(), await readKeyringFile(keyring));
    expect(await create(store, "another", parts)).toBe(open);
    expect((await store.getDocument("session", secretOf("document id")))?.value).toEqual({
      text: secretOf("document"),
    });
    expect((await store.readItems(open, { after: 0, limit: 9 })).items).toEqual([secretOf("item")]);
    expect(await json("check", ...target)).toMatchObject({ code: 0, value: { problems: [] } });
  });
});

/** The store as it is kept. */
function openRaw(names: readonly string[]): Store {
  return names.includes("--store-schema") ? openDatabase(names) : openStore(names.at(-1) ?? "");
}

test("a folder that is not encrypted is refused with a keyring, and stays as it is", async () => {
  const directory = emptyFolder();
  const store = openStore(directory);
  await create(store, "plain");
  const path = keyrings().write("k", newKeyLine());
  expect(await json("tasks", "--all", "--store", directory, "--keyring", path)).toMatchObject({
    code: 1,
    value: { error: { code: "STORE_NOT_ENCRYPTED" } },
  });
  expect((await run("tasks", "--all", "--store", directory)).code).toBe(0);
});

test("a new key is a line of a keyring, another one each time", async () => {
  const [one, two] = [await run("new-key"), await run("new-key")];
  expect([one.code, one.out === two.out]).toEqual([0, false]);
  const keyring = await readKeyringFile(keyrings().write("k", one.out));
  expect(one.out).toContain(keyring.sealing);
});

test("reseal says that it needs a keyring", async () => {
  const directory = emptyFolder();
  await create(openStore(directory), "plain");
  expect((await run("reseal", "--store", directory)).errors).toContain("--keyring FILE");
});
