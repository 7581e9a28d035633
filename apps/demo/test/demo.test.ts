import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const program = fileURLToPath(new URL("../dist/index.js", import.meta.url));

test("tells the story of a killed job that ends with every record once (feature 29)", async () => {
  const folder = await mkdtemp(join(tmpdir(), "demo-"));
  const child = spawn(process.execPath, [program], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TMPDIR: folder },
  });
  const [output, complaint, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ code, complaint }).toEqual({ code: 0, complaint: "" });
  expect(output.trimEnd().split("\n").at(-1)).toBe("50 of 50 records, 0 repeated, 0 lost");
  expect(output).toMatch(/kill -9 +the server \(process \d+\)/);
  expect(output).toMatch(/kill -9 +the client \(process \d+\)/);
  expect(output).toContain("content and order are those of the undisturbed run");
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

test.each([
  ["--port", "many"],
  ["--nonsense", ""],
])("refuses %s %s with the right exit code and no stack", async (...flags) => {
  const child = spawn(process.execPath, [program, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
  expect(code).toBe(2);
  expect(complaint).toContain(flags[0]);
  expect(complaint).not.toMatch(/^\s+at /m);
});

test.each(["index.js", "resumption.js"])("%s says with --help how it is used, and ends with 0", async (name) => {
  const script = fileURLToPath(new URL(`../dist/${name}`, import.meta.url));
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, "--help"]);
  expect({ first: stdout.split("\n")[0], stderr }).toEqual({ first: expect.stringMatching(/^Usage: .+/), stderr: "" });
});
