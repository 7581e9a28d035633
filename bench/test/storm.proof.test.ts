import { createFsStore } from "@resumable-mcp/store-fs";
import { describe, expect, it } from "vitest";
import { judgeJournals } from "../src/kills/judge-journals.js";
import { beginLife, type Life, type LifeLine } from "../src/kills/life.js";
import { problemsOf, StormHistory } from "../src/kills/storm-history.js";
import { nowhere } from "../src/kills/weather.js";
import { temporaryFolder } from "../src/stores/stored-tasks.js";
import { driveRun } from "../src/storm/driver.js";
import { countedCall } from "../src/storm/storm-tools.js";
import { stormOutput } from "./storm-output.js";

/** What has not ended by then hangs; a machine that does ten other things at once needs minutes for it. */
const patienceMs = 900_000;
/** Earlier than the test's own end, so that its failure tells the seed and how far the storm came. */
const stormMs = 840_000;
const outputOf = (...flags: readonly string[]) => stormOutput("storm", flags, stormMs);

async function begin(directory: string, hear?: (line: LifeLine) => void): Promise<Life> {
  const life = beginLife("storm/storm-server.js", { directory, leaseTtlMs: 1_000 }, hear);
  await life.ready;
  return life;
}

describe("storm", () => {
  it("loses and repeats nothing through 20 kills of one server (G1, G2, G3, G5)", { timeout: patienceMs }, async () => {
    const output = await outputOf("--kills", "20", "--tasks", "20", "--records", "240");
    expect(output).toMatch(/\d+ kills of processes that ran tasks/);
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });

  it("loses and repeats nothing with two servers on one folder (G4)", { timeout: patienceMs }, async () => {
    const output = await outputOf("--kills", "12", "--tasks", "10", "--records", "160", "--servers", "2");
    expect(output).toMatch(/\d+ runs complete, 0 problems/);
  });

  it("fails no task while half of them wait, with three servers on one folder (G9, G12)", {
    timeout: patienceMs,
  }, async () => {
    // How fast short calls are answered on a busy machine is a matter of the long form.
    const output = await outputOf("--waiting", "--kills", "12", "--tasks", "16", "--max-latency", "Infinity");
    expect(output).toMatch(/12 kills, \d+ of them in attempts of waiting tasks/);
    expect(output).toMatch(/4 questions answered through answer_task, 2 of them while servers died/);
    expect(output).toMatch(/16 tasks complete, 0 problems/);
  });

  it("loses and repeats nothing while replicas on PostgreSQL, their clients and the database die, and networks break (G1 to G9, G11)", {
    timeout: patienceMs,
  }, async () => {
    const output = await outputOf("--postgres", "--partitions", "--kills", "16", "--tasks", "8");
    expect(output).toMatch(/\d+ questions answered/);
    expect(output).toMatch(/[1-9]\d* partitions:/);
    expect(output).toMatch(/\d+ calls complete, 0 problems/);
  });

  it("refuses the late commits of a server that slept through its lease (G4.1)", { timeout: patienceMs }, async () => {
    const folder = await temporaryFolder();
    let hearLoss = () => {};
    const lost = new Promise<void>((resolve) => {
      hearLoss = resolve;
    });
    const history = new StormHistory();
    const hear = (worker: string, line: LifeLine) => {
      if (line.kind === "noted") history.hear(worker, line.event);
    };
    const sleeper = await begin(folder.directory, (line) => {
      hear("the sleeper", line);
      if (line.kind === "error" && line.code === "LEASE_LOST") hearLoss();
    });
    const other = await begin(folder.directory, (line) => hear("the other", line));
    const size = { records: 4_000, batch: 4 };
    const clientId = "6731a09a9cac4ba4f8d3e1f8309bed7f";
    const taskId = await driveRun("slept", {
      ...size,
      // Started on the sleeper, followed on the other: both serve the same store.
      url: urlsInTurn(sleeper, other),
      clientId,
      note: (kind, facts) => history.add(kind, facts),
      signal: new AbortController().signal,
      // Only an attempt that has begun can lose its lease.
      onStarted: () => void sleeper.working.then(() => sleeper.kill("SIGSTOP")),
    });
    history.add("ended", { all: true });
    const reader = createFsStore({ directory: folder.directory });
    const before = await reader.readEvents(taskId, { afterSeq: 0, limit: 1_000 });
    sleeper.kill("SIGCONT");
    await lost;
    expect(await reader.readEvents(taskId, { afterSeq: 0, limit: 1_000 })).toEqual(before);
    const calls = [countedCall("slept", clientId, size)];
    expect(problemsOf(await history.evidence(reader, { calls, maxRunning: 32 }))).toEqual([]);
    const judged = { directory: folder.directory, reader, acknowledged: new Map(), compact: true };
    expect((await judgeJournals({ ...judged, tasks: history.tasks() })).problems).toEqual([]);
    for (const life of [sleeper, other]) {
      life.kill("SIGKILL");
      await life.death;
    }
    await reader.close();
    await folder.remove();
  });
});

/** The first connection goes to one server, all later ones to the other. */
function urlsInTurn(first: Life, later: Life): () => URL {
  let asked = 0;
  return () => {
    asked += 1;
    return (asked === 1 ? first : later).url() ?? nowhere;
  };
}
