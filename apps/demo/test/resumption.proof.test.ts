import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type RestartableServer, startRestartableServer } from "../src/processes/demo-server.js";

const built = new URL("../dist/", import.meta.url);
const program = fileURLToPath(new URL("resumption.js", built));

let folder: string;
let cache: string;
let server: RestartableServer;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "resumption-"));
  cache = join(folder, ".session_cache");
  server = await startRestartableServer({ built, store: join(folder, "store") });
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

async function run(...flags: readonly string[]) {
  const child = spawn(process.execPath, [program, "--url", server.url, "--cache", cache, ...flags], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [output, complaint, [code, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close"),
  ]);
  return { output, complaint, code, signal };
}

async function cached(): Promise<{ session_id: string; last_event_id: string }> {
  return JSON.parse(await readFile(cache, "utf8"));
}

test.each([
  ["while the server runs", async () => {}],
  [
    "though the server was killed in between",
    async () => {
      await server.kill();
      await server.start();
    },
  ],
])("crashes at the first run and gets the forecast at the second, %s (feature 33)", async (_, meanwhile) => {
  const first = await run();
  expect(first).toMatchObject({ code: null, signal: "SIGKILL" });
  const { session_id, last_event_id } = await cached();
  await meanwhile();
  const second = await run();
  expect(second).toMatchObject({ code: 0, complaint: "" });
  expect(second.output).toContain(`Mcp-Session-Id ${session_id} and Last-Event-ID ${last_event_id}`);
  expect(second.output).toMatch(/^Seattle, \d{4}-\d\d-\d\d: .+ °C, mostly \w+/m);
  expect(existsSync(cache)).toBe(false);
});

test("says what to do when the server is down", async () => {
  await server.kill();
  const { code, complaint } = await run();
  expect(code).toBe(1);
  expect(complaint.trim().split("\n")).toHaveLength(1);
  expect(complaint).toContain("Start it first");
});

test("says at the second run, too, what to do when the server is down", async () => {
  expect((await run()).signal).toBe("SIGKILL");
  const before = await cached();
  await server.kill();
  const second = await run();
  expect(second.code).toBe(1);
  expect(second.complaint.trim().split("\n")).toHaveLength(1);
  expect(second.complaint).toContain("Start it first; the call is kept and can be resumed.");
  expect(await cached()).toEqual(before);
});

test("says why the server refused the call, at the latest at the second run", async () => {
  const first = await run("--city", "Atlantis");
  const refused = first.signal === null ? first : await run("--city", "Atlantis");
  expect(refused).toMatchObject({ code: 1, complaint: expect.stringContaining("New York and Seattle are bundled") });
  expect(refused.complaint).not.toMatch(/^\s+at /m);
});

test("refuses an unknown flag with a sentence", async () => {
  const { code, complaint } = await run("--nonsense");
  expect(code).toBe(2);
  expect(complaint).toContain("Unknown option '--nonsense'. --help lists the options.");
  expect(complaint).not.toMatch(/^\s+at /m);
});
