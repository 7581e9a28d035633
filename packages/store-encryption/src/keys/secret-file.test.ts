import { chmod, chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { othersRights } from "./secret-file.js";

const [open, readable, closed] = [
  { read: true, write: true },
  { read: true, write: false },
  { read: false, write: false },
];

describe.skipIf(process.platform === "win32")("the rights of others in a file", () => {
  test.each<[string, { mode: number; uid: number; gid: number }, object]>([
    ["its user alone", { mode: 0o100600, uid: 1_000, gid: 1_000 }, closed],
    ["root alone", { mode: 0o100400, uid: 0, gid: 0 }, closed],
    ["a group of the process, given by root", { mode: 0o100440, uid: 0, gid: 2_000 }, closed],
    ["the same, which root may write", { mode: 0o100640, uid: 0, gid: 2_000 }, closed],
    ["a group of the process that may write", { mode: 0o100660, uid: 0, gid: 2_000 }, open],
    ["a group of the process, and all others", { mode: 0o100444, uid: 0, gid: 2_000 }, readable],
    ["another group", { mode: 0o100440, uid: 0, gid: 3_000 }, readable],
    ["the group of a user's own file", { mode: 0o100640, uid: 1_000, gid: 2_000 }, readable],
    ["the group of another user's file", { mode: 0o100640, uid: 1_001, gid: 2_000 }, readable],
    ["all", { mode: 0o100666, uid: 0, gid: 2_000 }, open],
  ])("where it is for %s", (_who, rights, expected) => {
    expect(othersRights(rights, [1_000, 2_000])).toEqual(expected);
  });

  test("where its group is one of this process, by its real facts", async () => {
    const folder = await mkdtemp(join(tmpdir(), "secret-"));
    const path = join(folder, "keyring");
    await writeFile(path, "");
    await chmod(path, 0o440);
    const isRoot = process.getuid?.() === 0;
    expect(othersRights(await stat(path))).toEqual(isRoot ? closed : readable);
    // Root alone may give a file to a group that it is not in.
    if (isRoot) await chown(path, 0, 54_321);
    expect(othersRights(await stat(path))).toEqual(readable);
    await rm(folder, { recursive: true });
  });
});
