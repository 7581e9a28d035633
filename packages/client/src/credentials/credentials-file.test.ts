import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isClientError } from "../client-error.js";
import { credentialsPath, openCredentialsFile } from "./credentials-file.js";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "credentials-"));
  path = join(folder, "client.credentials.json");
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe("a file of credentials", () => {
  it("is next to the state file, and exists only when there is a secret", async () => {
    expect(credentialsPath(join(folder, "client.json"))).toBe(path);
    const file = await openCredentialsFile(path);
    expect([await file.read("http://a/mcp"), await readdir(folder)]).toEqual([{}, []]);
  });

  it("keeps what several write at once, for its user's eyes only", async () => {
    const files = await Promise.all(Array.from({ length: 5 }, () => openCredentialsFile(path)));
    await Promise.all(files.map((file, index) => file.update(`http://${index}/mcp`, () => ({ token: `t-${index}` }))));
    const [first] = files;
    const read = await Promise.all(files.map((_file, index) => first?.read(`http://${index}/mcp`)));
    expect(read).toEqual(files.map((_file, index) => ({ token: `t-${index}` })));
    expect([(await stat(path)).mode & 0o777, await readdir(folder)]).toEqual([0o600, ["client.credentials.json"]]);
  });

  it("forgets all of a server", async () => {
    const file = await openCredentialsFile(path);
    await file.update("http://a/mcp", () => ({ token: "secret" }));
    await file.update("http://a/mcp", () => undefined);
    expect(await readFile(path, "utf8")).not.toContain("secret");
  });

  it("is closed to others when they could read it, and says so", async () => {
    await (await openCredentialsFile(path)).update("http://a/mcp", () => ({ token: "t" }));
    await chmod(path, 0o644);
    const { notices } = await openCredentialsFile(path);
    expect([notices, (await stat(path)).mode & 0o777]).toEqual([
      [expect.stringContaining("could be read by others")],
      0o600,
    ]);
  });

  it.each([
    ["torn", '{"servers": {"http://a/mcp": {"token": "sec'],
    ["of a newer program", '{"format":"resumable-mcp-credentials","version":2,"servers":{}}'],
    ["of another program", '{"name":"x"}'],
  ])("that is %s is refused, left as it is, and not quoted", async (_name, text) => {
    await writeFile(path, text, { mode: 0o600 });
    const error: unknown = await openCredentialsFile(path).catch((reason: unknown) => reason);
    expect(isClientError(error) ? [error.code, error.message.includes("sec")] : error).toEqual([
      "STATE_UNREADABLE",
      false,
    ]);
    expect(await readFile(path, "utf8")).toBe(text);
  });
});
