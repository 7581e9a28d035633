import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { openBench } from "./bench.js";
import { codex } from "./codex.js";

test("a server that does not start leaves no folder behind", async () => {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });
  vi.stubEnv("TMPDIR", folder);
  vi.stubEnv("NODE_OPTIONS", `--require ${join(folder, "missing.cjs")}`);
  const host = { host: codex, folder, version: "1.0.0", node: process.execPath };
  await expect(openBench(host, "HTTP")).rejects.toThrow("missing.cjs");
  expect(await readdir(folder)).toEqual([]);
});
