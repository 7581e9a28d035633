import { execFile } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createFsStore } from "@resumable-mcp/store-fs";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../src/stores/stored-tasks.js";
import { driveRun } from "../src/storm/driver.js";
import { beginLife, type ServerLife } from "../src/storm/server-life.js";
import { journalFacts, problemsOfRun } from "../src/storm/verify.js";

const storm = fileURLToPath(new URL("../dist/storm.js", import.meta.url));
const serverScript = new URL("../dist/storm/storm-server.js", import.meta.url);
const run = promisify(execFile);
/** What has not ended by then hangs; a machine that does ten other things at once needs minutes for it. */
const patienceMs = 900_000;
/** Earlier than the test's own end, so that its failure tells the seed and how far the storm came. */
const stormMs = 840_000;

async function stormOutput(...flags: readonly string[]): Promise<string> {
  const seed = String(Math.floor(Math.random() * 1_000_000));
  try {
    const { stdout } = await run(process.execPath, [storm, "--seed", seed, ...flags], { timeout: stormMs });
    process.stdout.write(stdout);
    return stdout;
  } catch (error) {
    throw new Error(`The storm with seed ${seed} failed.`, { cause: error });
  }
}

async function begin(directory: string): Promise<ServerLife> {
  const life = await beginLife({ directory, port: 0, leaseTtlMs: 1_000 }, serverScript);
  if ("diedAt" in life) throw new Error(`The server died at ${life.diedAt}.`);
  return life;
}

/** Waits for a line of a server's standard error, also one that it has already written. */
async function lineOf(life: ServerLife, text: string): Promise<void> {
  while (!life.lines.some((line) => line.includes(text))) {
    if (life.process.stderr === null) throw new Error("The server's standard error is not read.");
    await once(life.process.stderr, "data");
  }
}

describe("storm", () => {
  it("loses and repeats nothing through 20 kills of one server (G1, G2, G3, G5)", { timeout: patienceMs }, async () => {
    const output = await stormOutput("--kills", "20", "--tasks", "20", "--records", "240");
    expect(output).toMatch(/\d+ kills while an attempt ran/);
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });

  it("loses and repeats nothing with two servers on one folder (G4)", { timeout: patienceMs }, async () => {
    const output = await stormOutput("--kills", "12", "--tasks", "10", "--records", "160", "--servers", "2");
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });

  it("fails no task while half of them wait, with three servers on one folder (G9, G12)", {
    timeout: patienceMs,
  }, async () => {
    // How fast short calls are answered on a busy machine is a matter of the long form.
    const output = await stormOutput("--waiting", "--kills", "12", "--tasks", "16", "--max-latency", "Infinity");
    expect(output).toMatch(/12 kills, \d+ of them in attempts of waiting tasks/);
    expect(output).toMatch(/4 questions answered through answer_task, 2 of them while servers died/);
    expect(output).toMatch(/16 tasks complete, 0 problems/);
  });

  it("refuses the late commits of a server that slept through its lease (G4)", { timeout: patienceMs }, async () => {
    const folder = await temporaryFolder();
    const sleeper = await begin(folder.directory);
    const other = await begin(folder.directory);
    const records = 4_000;
    const batch = 4;
    const followed = driveRun("slept", {
      // Started on the sleeper, followed on the other: both serve the same store.
      url: urlsInTurn(sleeper, other),
      clientId: "0123456789abcdef0123456789abcdef",
      records,
      batch,
      signal: new AbortController().signal,
      onStarted: () => sleeper.kill("SIGSTOP"),
    });
    const result = await followed;
    expect(problemsOfRun(result, { records, batch })).toEqual([]);
    const reader = createFsStore({ directory: folder.directory });
    const before = await reader.readEvents(result.taskId, { afterSeq: 0, limit: 1_000 });
    sleeper.kill("SIGCONT");
    await lineOf(sleeper, "LEASE_LOST");
    expect(await reader.readEvents(result.taskId, { afterSeq: 0, limit: 1_000 })).toEqual(before);
    expect((await journalFacts(reader, result.taskId)).problems).toEqual([]);
    for (const life of [sleeper, other]) {
      life.kill("SIGKILL");
      await life.death;
    }
    await reader.close();
    await folder.remove();
  });
});

/** The first connection goes to one server, all later ones to the other. */
function urlsInTurn(first: ServerLife, later: ServerLife): () => URL {
  let asked = 0;
  return () => {
    asked += 1;
    return new URL(`http://127.0.0.1:${asked === 1 ? first.port : later.port}/mcp`);
  };
}
