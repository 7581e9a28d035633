import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newToken, openTokenFile } from "./token-file.js";

const [one, another] = ["abcdefghijkl0123456789", "hgfedcba9876543210zyxw"];
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tokens-"));
});
afterAll(() => rm(folder, { recursive: true }));

const file = () => join(folder, "tokens");
async function write(text: string, mode = 0o600) {
  await writeFile(file(), text);
  await chmod(file(), mode);
}

async function read(text: string, mode?: number) {
  await write(text, mode);
  const { verifyToken } = await openTokenFile(file(), { onWarning: () => {} });
  return verifyToken;
}

test("a token names its subject, its end and its scopes; comments and empty lines are left out", async () => {
  const verify = await read(`# ours\n\n${one} alice expires=2100-01-01T00:00:00Z scope=read,pay\r\n${another}\tbob\n`);
  const alices = { expiresAt: 4_102_444_800, scopes: ["read", "pay"], extra: { sub: "alice" } };
  expect(await verify(one)).toEqual({ token: one, clientId: "token-file", ...alices });
  expect(await verify(another)).toMatchObject({ scopes: [], expiresAt: undefined, extra: { sub: "bob" } });
  expect(await verify(`${one}x`)).toBeUndefined();
});

test("a wrong line is named by its number, and never shown", async () => {
  const lines = [
    "secretsecretsecretsecret",
    "short bob",
    "abcdefghijkl012345678 bob",
    `${one} bob and more`,
    `${one} bob until=now`,
    `${one} bob expires=tomorrow`,
    "sha256:0123456789abcdef0123456789abcdef bob",
  ];
  for (const text of lines) {
    const error = await read(`# first\n${text}`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining("tokens, line 2: ") });
    expect(String(error)).not.toContain(text.split(" ")[0]);
  }
  await expect(read("# nothing")).rejects.toThrow("holds no token");
  const nowhere = join(folder, "none");
  await expect(openTokenFile(nowhere, { onWarning: () => {} })).rejects.toThrow("cannot be read");
});

test("a new token is given by its hash alone", async () => {
  const { token, line } = newToken("alice");
  const verify = await read(`${line}\n`);
  expect([token.length, line.includes(token)]).toEqual([43, false]);
  expect(await verify(token)).toMatchObject({ extra: { sub: "alice" } });
  expect(await verify(line.split(" ")[0] ?? "")).toBeUndefined();
  expect(() => newToken("two words")).toThrow("--new-token wants a subject");
});

test("a token is not valid that is shorter than one may be, also where the file has its hash", async () => {
  const hash = createHash("sha256").update("test").digest("hex");
  expect(await (await read(`sha256:${hash} alice\n`))("test")).toBeUndefined();
});

test("of two lines with one token the first counts, and a hash may be written in capitals", async () => {
  const hash = createHash("sha256").update(one).digest("hex").toUpperCase();
  const verify = await read(`sha256:${hash} alice\n${one} bob\n`);
  expect(await verify(one)).toMatchObject({ extra: { sub: "alice" } });
});

test.skipIf(process.platform === "win32")(
  "a file that others could read tokens from, or write to, is refused",
  async () => {
    const { line } = newToken("bob");
    const refused = [
      [`${one} alice\n`, 0o660],
      [`${one} alice\n`, 0o604],
      [`${line}\n`, 0o620],
      [`${line}\n${one} alice\n`, 0o644],
    ] as const;
    for (const [text, mode] of refused) await expect(read(text, mode)).rejects.toThrow(`Run: chmod 600 ${file()}`);
    await read(`${line}\n`, 0o644);
  },
);

test("a changed file counts without a restart; one that cannot be used changes nothing, and is reported once", async () => {
  await write(`${one} alice\n`);
  const warnings: string[] = [];
  const onWarning = (message: string) => warnings.push(message);
  const { verifyToken } = await openTokenFile(file(), { onWarning, checkEveryMs: 0 });
  await write(`${another} bob\n# and a comment\n`);
  expect(await verifyToken(one)).toBeUndefined();
  expect(await verifyToken(another)).toMatchObject({ extra: { sub: "bob" } });
  await write("broken\n");
  expect(await verifyToken(another)).toMatchObject({ extra: { sub: "bob" } });
  expect(await verifyToken(another)).toMatchObject({ extra: { sub: "bob" } });
  expect(warnings).toEqual([expect.stringMatching(/tokens, line 1: expected .*\. The tokens of before stay\.$/)]);
  await rm(file());
  expect(await verifyToken(another)).toMatchObject({ extra: { sub: "bob" } });
  expect(warnings).toHaveLength(2);
});

test("a reload reads the file at once", async () => {
  await write(`${one} alice\n`);
  const { verifyToken, reload } = await openTokenFile(file(), { onWarning: () => {}, checkEveryMs: Number.MAX_VALUE });
  await write(`${another} bob\n`);
  expect(await verifyToken(one)).toMatchObject({ extra: { sub: "alice" } });
  await reload();
  expect([await verifyToken(one), await verifyToken(another)]).toMatchObject([undefined, { extra: { sub: "bob" } }]);
});
