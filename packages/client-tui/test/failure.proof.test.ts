import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { killAll, overStdio, run } from "./processes.js";

let folder: string;
let well: string;
let common: readonly string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "failure-"));
  well = join(folder, "well");
  common = [...overStdio(join(folder, "store")), "--state", join(folder, "state.json")];
});

afterEach(async () => {
  await killAll();
  await rm(folder, { recursive: true, maxRetries: 30, retryDelay: 100 });
});

const fragile = (...more: readonly string[]) => run("call", "fragile", `well=${well}`, ...more, ...common);
const idIn = (stderr: string) => /^Task (\S+)$/m.exec(stderr)?.[1] ?? "no id";
const next = (id: string) => `Run the same call again, or: resumable-mcp resume ${id}`;
const came = "The task reached 25/50 (50 %); the same call continues the task from its last checkpoint.";

describe("a call whose task fails (G7)", () => {
  it("says how far it came and how to continue, and the same call does", async () => {
    const failed = await fragile();
    const id = idIn(failed.stderr);
    expect([failed.code, failed.stdout]).toEqual([1, `No network. ${came}\n`]);
    expect(failed.stderr.trimEnd().split("\n").at(-1)).toBe(next(id));
    const result = await run("result", id, ...common);
    expect([result.stdout, result.stderr]).toEqual([failed.stdout, `${next(id)}\n`]);
    const shown = await run("show", id, ...common);
    expect(shown.stdout).toContain(`\narguments ${JSON.stringify({ well })}\n`);
    expect(shown.stdout).toContain(`\nerror     TOOL_FAILED: No network.\ncontinue  ${came}\n          ${next(id)}\n`);
    await writeFile(well, "");
    const again = await fragile();
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { counted: 50 }]);
    expect(again.stderr).toContain(`task ${id}.\n`);
    expect((await run("show", id, ...common)).stdout).toContain(", generation 2\n");
    const items = await run("items", id, ...common);
    expect(items.stdout.trim().split("\n").map(Number)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  });

  it("continues with the command that it names", async () => {
    const failed = await fragile();
    const id = idIn(failed.stderr);
    await writeFile(well, "");
    expect((await run("resume", id, ...common)).code).toBe(0);
    const { code, stdout } = await run("wait", id, ...common);
    expect([code, JSON.parse(stdout)]).toEqual([0, { counted: 50 }]);
  });

  it("begins from nothing with --new, as a task of its own", async () => {
    const failed = await fragile();
    const again = await fragile("--new");
    expect([again.code, again.stdout]).toEqual([1, `No network. ${came}\n`]);
    expect(idIn(again.stderr)).not.toBe(idIn(failed.stderr));
  });
});
