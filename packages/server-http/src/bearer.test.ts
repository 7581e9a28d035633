import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readTokenFile } from "./bearer.js";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tokens-"));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(text: string) {
  const file = join(folder, "tokens");
  await writeFile(file, text);
  return readTokenFile(file);
}

test("a token names its subject; comments and empty lines are left out", async () => {
  const verify = await read("# ours\n\nabcdefgh01234567 alice\r\nhgfedcba76543210\tbob\n");
  expect(await verify("abcdefgh01234567")).toMatchObject({ extra: { sub: "alice" } });
  expect(await verify("hgfedcba76543210")).toMatchObject({ extra: { sub: "bob" } });
  expect(await verify("abcdefgh01234568")).toBeUndefined();
});

test("a wrong line is named by its number, and never shown", async () => {
  for (const text of ["secretsecretsecret", "short bob", "abcdefgh01234567 bob and more"]) {
    const error = await read(`# first\n${text}`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining("tokens, line 2: ") });
    expect(String(error)).not.toContain(text.split(" ")[0]);
  }
  await expect(read("# nothing")).rejects.toThrow("holds no token");
  await expect(readTokenFile(join(folder, "none"))).rejects.toThrow("cannot be read");
});
