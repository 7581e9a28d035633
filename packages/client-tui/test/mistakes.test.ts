import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, killAll, run, startServer } from "./processes.js";

const limits = { timeout: 60_000 };

let folder: string;
let port: number;
let common: readonly string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mistake-"));
  port = await freePort();
  await startServer(port, join(folder, "store"));
  common = ["--url", `http://127.0.0.1:${port}/mcp`, "--state", join(folder, "state.json")];
}, limits.timeout);

afterAll(async () => {
  await killAll();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

describe("a mistake", () => {
  it.each([
    ["an unknown command", ["cuont"], 2, "There is no command cuont"],
    ["an unknown tool", ["call", "cuont"], 4, "There are: count, confirm"],
    ["an unknown argument", ["call", "count", "too=5"], 2, "It has: to, delay_ms"],
    ["an argument of a wrong type", ["call", "count", "to=many"], 2, 'to has to be an integer, not "many"'],
    ["an argument that the tool refuses", ["call", "count", "to=0"], 1, "to"],
    ["an unknown task", ["show", "unknown"], 4, "There is no task of that id"],
    ["a wrong option", ["tasks", "--nope"], 2, "--help"],
    ["no terminal", [], 2, "Usage:"],
  ])("of %s is answered in a sentence", limits, async (_name, args, code, text) => {
    const program = await run(...args, ...common);
    expect(program.code).toBe(code);
    expect(program.stdout + program.stderr).toContain(text);
    expect(program.stderr).not.toMatch(/^ +at /m);
  });

  it("of a server that is not there says what to start", limits, async () => {
    const program = await run(
      "tasks",
      "--url",
      `http://127.0.0.1:${await freePort()}/mcp`,
      "--state",
      join(folder, "s.json"),
    );
    expect([program.code, program.stderr]).toEqual([3, expect.stringContaining("Start it first")]);
  });
});

describe("--version", () => {
  it("prints the version of the package", limits, async () => {
    const { version } = JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
    expect(await run("--version")).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: "" });
  });
});
