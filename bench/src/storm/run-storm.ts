import { randomUUID } from "node:crypto";
import type { Store } from "@resumable-mcp/core";
import type { PlannedFacts } from "@resumable-mcp/simulation/history";
import { judgeJournals } from "../kills/judge-journals.js";
import { planKill } from "../kills/kill-plan.js";
import { type Note, problemsOf } from "../kills/storm-history.js";
import { killPoints, type StormReport, Weather } from "../kills/weather.js";
import { driveRun } from "./driver.js";
import { countedCall } from "./storm-tools.js";

/** How hard the storm is. */
export interface StormOptions {
  /** Kills that count: a task had begun to run in the server. */
  readonly kills: number;
  /** Runs at once. */
  readonly tasks: number;
  /** Servers on one store folder. */
  readonly servers: number;
  readonly seed: number;
  readonly records: number;
  readonly batch: number;
}

/** Kills servers again and again while clients use them, and checks that no client noticed. */
export async function runStorm(options: StormOptions, directory: string, reader: Store): Promise<StormReport> {
  const { kills, tasks, servers, seed } = options;
  console.log(`storm: ${kills} kills, ${tasks} tasks at once, ${servers} server(s), seed ${seed}`);
  const points = killPoints(true);
  const weather = new Weather({
    program: "storm/storm-server.js",
    order: { directory, leaseTtlMs: 1_500 },
    kills,
    processes: servers,
    stops: true,
    seed,
    plan: (random) => planKill(random, points),
  });
  const { history } = weather;
  const abort = new AbortController();
  const calls: PlannedFacts[] = [];
  /** Runs follow one another until enough kills have counted. */
  const drive = async (index: number): Promise<void> => {
    const clientId = randomUUID();
    const url = () => weather.anyUrl();
    const note: Note = (kind, facts) => history.add(kind, facts);
    while (!weather.isEnough || calls.length < tasks) {
      const call = countedCall(`run-${index}-${calls.length + 1}`, clientId, options);
      calls.push(call);
      await driveRun(call.name, { ...options, url, clientId, note, signal: abort.signal });
    }
  };
  try {
    await Promise.all([weather.run(), ...Array.from({ length: tasks }, (_, index) => drive(index))]);
    history.add("ended", { all: true });
  } finally {
    abort.abort(new Error("The storm is over."));
    await weather.end();
  }
  const evidence = await history.evidence(reader, { calls, maxRunning: 32 });
  const acknowledged = new Map();
  const journals = await judgeJournals({ directory, reader, tasks: history.tasks(), acknowledged, compact: true });
  return {
    lines: [...weather.lines(), ...journals.lines, `${history.snapshots} snapshots shown to followers`],
    problems: [...problemsOf(evidence), ...journals.problems, ...weather.problems()],
    complete: `${calls.length} runs`,
  };
}
