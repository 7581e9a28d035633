import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKeyLine } from "@resumable-mcp/store-encryption";
import { expect, test } from "vitest";
import { emptyFolder, openStore } from "../../store-fs/test/scene.js";
import { json, run } from "./command-line.js";
import { newDatabase, openDatabase, usePostgres } from "./database.js";

usePostgres();

const places = [
  [
    "a folder",
    async () => {
      const directory = emptyFolder();
      await openStore(directory).open();
      return ["--store", directory];
    },
  ],
  [
    "an encrypted folder",
    async () => {
      const directory = emptyFolder();
      await openStore(directory).open();
      const keyring = join(emptyFolder(), "keyring");
      writeFileSync(keyring, newKeyLine(), { mode: 0o600 });
      return ["--store", directory, "--keyring", keyring];
    },
  ],
  [
    "a database",
    async () => {
      const names = newDatabase();
      await openDatabase(names).open();
      return [...names];
    },
  ],
] as const;

test.each(places)("a subject is banned, listed and let in again in %s", async (_name, make) => {
  const names = await make();
  expect(await json("ban", "alice", ...names)).toEqual({
    code: 0,
    value: { owner: "sub:alice", banned: true, changed: true },
  });
  expect(await json("ban", "sub:alice", ...names)).toMatchObject({ code: 0, value: { changed: false } });
  expect(await json("ban", "app:robot", ...names)).toMatchObject({ code: 0, value: { owner: "app:robot" } });
  expect(await json("bans", ...names)).toMatchObject({
    code: 0,
    value: { bans: expect.arrayContaining([{ owner: "sub:alice", since: expect.any(String) }]) },
  });
  expect(await json("unban", "alice", ...names)).toMatchObject({ code: 0, value: { changed: true } });
  expect(await json("unban", "alice", ...names)).toMatchObject({ code: 0, value: { changed: false } });
  expect((await run("bans", ...names)).out).toMatch(/^\S+Z {2}app:robot$/);
});

test("a user whom tokens name by username alone is banned by that name", async () => {
  const directory = emptyFolder();
  await openStore(directory).open();
  expect(await json("ban", "user:https://idp.example u1", "--store", directory)).toEqual({
    code: 0,
    value: { owner: "user:https://idp.example u1", banned: true, changed: true },
  });
});

test("only who is known by a token can be banned", async () => {
  const directory = emptyFolder();
  await openStore(directory).open();
  const refused = await run("ban", "client:laptop", "--store", directory);
  expect([refused.code, refused.errors]).toEqual([2, expect.stringContaining("takes another name")]);
});
