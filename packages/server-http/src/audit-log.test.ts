import { mkdir, mkdtemp, readFile, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HttpAnswer, type RequestContext } from "@resumable-mcp/mcp";
import { afterEach, expect, test } from "vitest";
import { type AuditEntry, createAuditLog, openAuditFile } from "./audit-log.js";

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const request = { method: "POST" } as never;
const alice: RequestContext = { authInfo: { token: "secret", clientId: "c", scopes: [], extra: { sub: "alice" } } };
const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "import", arguments: { card: "4111" } } };

function openLog() {
  const entries: AuditEntry[] = [];
  const clock = { nowMs: 0 };
  const log = createAuditLog((entry) => entries.push(entry), { perSecond: 2, nowMs: () => clock.nowMs });
  return { log, entries, clock };
}

test("a line says who asked for what, from where, and how it was answered, and nothing of tokens and inputs", () => {
  const { log, entries } = openLog();
  log.noteBody(alice, call);
  log.noteAnswer(request, { context: alice, address: "203.0.113.7" }, new HttpAnswer(200));
  expect(entries).toEqual([
    {
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      who: "sub:alice",
      address: "203.0.113.7",
      http: "POST",
      method: "tools/call",
      name: "import",
      status: 200,
    },
  ]);
  expect(JSON.stringify(entries)).not.toMatch(/secret|4111/);
});

test("a flood of refused requests fills no disk, and hides no other line", () => {
  const { log, entries, clock } = openLog();
  const refused = () => log.noteAnswer(request, { context: undefined, address: "203.0.113.7" }, new HttpAnswer(401));
  for (let times = 0; times < 100; times += 1) refused();
  log.noteAnswer(request, { context: alice, address: undefined }, new HttpAnswer(200));
  clock.nowMs = 1_000;
  refused();
  expect(entries.map(({ who, status, leftOut }) => [who, status, leftOut])).toEqual([
    ["refused", 401, undefined],
    ["refused", 401, undefined],
    ["sub:alice", 200, 98],
    ["refused", 401, undefined],
  ]);
});

test("a file holds one JSON object a line, for its user alone, free of control characters, also after it was moved away", async () => {
  const folder = await mkdtemp(join(tmpdir(), "audit-log-"));
  folders.push(folder);
  const [path, old] = [join(folder, "audit.jsonl"), join(folder, "audit.1.jsonl")];
  const { write, reopen } = openAuditFile(path, (error) => {
    throw error;
  });
  const entry = { requestId: "r", who: "local", http: "POST", name: "a\n\u009b\u2028", status: 200 };
  write(entry);
  await rename(path, old);
  reopen();
  await expect
    .poll(() =>
      stat(path).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  write({ ...entry, requestId: "s" });
  const read = async (file: string) => (await readFile(file, "utf8")).split("\n").filter((line) => line !== "");
  const lines = [...(await read(old)), ...(await read(path))];
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { log: "audit", time: expect.any(String), ...entry },
    { log: "audit", time: expect.any(String), ...entry, requestId: "s" },
  ]);
  for (const character of ["\u009b", "\u2028"]) expect(lines.join("")).not.toContain(character);
  if (process.platform !== "win32") expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("a file that cannot be opened again is reported, and the lines go where they went, until it can", async () => {
  const root = await mkdtemp(join(tmpdir(), "audit-log-"));
  folders.push(root);
  const [folder, moved] = [join(root, "logs"), join(root, "moved")];
  await mkdir(folder);
  const problems: string[] = [];
  const { write, reopen } = openAuditFile(join(folder, "audit.jsonl"), ({ message }) => problems.push(message));
  const entry = (requestId: string) => ({ requestId, who: "local", http: "POST", status: 200 });
  await rename(folder, moved);
  reopen();
  write(entry("a"));
  await mkdir(folder);
  reopen();
  write(entry("b"));
  const idsIn = async (place: string) =>
    [...(await readFile(join(place, "audit.jsonl"), "utf8")).matchAll(/"requestId":"(.)"/g)].map(([, id]) => id);
  expect([await idsIn(moved), await idsIn(folder)]).toEqual([["a"], ["b"]]);
  expect(problems).toEqual([expect.stringContaining("ENOENT")]);
});

// A device of Linux on which each write fails as on a full disk.
test.runIf(process.platform === "linux")("lines that a full disk does not take wait within a limit", () => {
  const problems: string[] = [];
  const { write } = openAuditFile("/dev/full", ({ message }) => problems.push(message));
  for (let times = 0; times < 3_000; times += 1) {
    write({ requestId: String(times), who: "x".repeat(1_000), http: "POST", status: 200 });
  }
  expect(new Set(problems)).toEqual(
    new Set([expect.stringContaining("ENOSPC"), "1048576 bytes of lines wait already: one is lost."]),
  );
});
