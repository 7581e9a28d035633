import { chmod, chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKeyLine, parseKeyring, readKeyringFile } from "./keyring-file.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "keyring-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const [one, two] = [newKeyLine(), newKeyLine()];
const opens = (line: string) => line.replace("seal", "open");
const idOf = (line: string) => line.split(" ")[1];
const invalid = (message: string) =>
  expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringContaining(message) });

describe("a keyring file", () => {
  test("says which key seals and which only open", async () => {
    const path = join(folder, "keyring");
    await writeFile(path, `# keys of the store\n\n${opens(one)}\n${two}\n`, { mode: 0o600 });
    const keyring = await readKeyringFile(path);
    expect([keyring.sealing, keyring.ids]).toEqual([idOf(two), [idOf(two), idOf(one)]]);
  });

  test.runIf(process.platform !== "win32")("that others can read is refused", async () => {
    const path = join(folder, "open-to-all");
    await writeFile(path, one);
    await chmod(path, 0o644);
    await expect(readKeyringFile(path)).rejects.toEqual(invalid(`chmod 600 ${path}`));
  });

  test.runIf(process.getuid?.() === 0)(
    "of root that a group of the process may read is read, and no other",
    async () => {
      const path = join(folder, "secret-of-a-volume");
      await writeFile(path, one);
      await chmod(path, 0o440);
      expect((await readKeyringFile(path)).sealing).toBe(idOf(one));
      await chown(path, 0, 54_321);
      await expect(readKeyringFile(path)).rejects.toEqual(invalid(`chmod 600 ${path}`));
    },
  );

  test("that is not there is refused with what makes one", async () => {
    await expect(readKeyringFile(join(folder, "missing"))).rejects.toEqual(invalid("new-key"));
  });

  test.each([
    ["no key", "", 'exactly one line that begins with "seal"'],
    ["two keys that seal", `${one}\n${two}`, 'exactly one line that begins with "seal"'],
    [
      "a key of another id",
      one.replace(String(idOf(one)), String(idOf(two))),
      "line 1: the key is not the one of this id",
    ],
    ["a key that was cut short", `${one}\n${opens(two).slice(0, -5)}`, "line 2: expected"],
    ["another word", one.replace("seal", "use"), "line 1: expected"],
  ])("with %s is refused, and no key is shown", (_name, text, message) => {
    const error = (() => {
      try {
        return parseKeyring(text, "k");
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toEqual(invalid(message));
    for (const line of [one, two]) expect(String(error)).not.toContain(line.split(" ")[2]);
  });

  test("shows its ids alone when it is printed", () => {
    const keyring = parseKeyring(one, "k");
    expect(inspect(keyring, { depth: 9, showHidden: true }) + JSON.stringify(keyring)).toContain(idOf(one));
    expect(inspect(keyring, { depth: 9, showHidden: true })).not.toMatch(/Buffer|bytes/);
  });
});
