import { randomUUID } from "node:crypto";
import type { Store } from "@resumable-mcp/core";
import { judgeRuns, wrongItems } from "../kills/judge-runs.js";
import { planKill } from "../kills/kill-plan.js";
import { killPoints, type StormReport, Weather } from "../kills/weather.js";
import { driveRun, type FollowedRun } from "./driver.js";

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
  const { kills, tasks, servers, seed, records } = options;
  console.log(`storm: ${kills} kills, ${tasks} tasks at once, ${servers} server(s), seed ${seed}`);
  const points = killPoints(true);
  const weather = new Weather({
    program: "storm/storm-server.js",
    order: { directory, leaseTtlMs: 1_500 },
    kills,
    processes: servers,
    seed,
    plan: (random) => planKill(random, points),
  });
  const abort = new AbortController();
  const runs: FollowedRun[] = [];
  let begun = 0;
  /** Runs follow one another until enough kills have counted. */
  const drive = async (index: number): Promise<void> => {
    const clientId = randomUUID();
    while (!weather.isEnough || begun < tasks) {
      begun += 1;
      const run = `run-${index}-${begun}`;
      runs.push(await driveRun(run, { ...options, url: () => weather.anyUrl(), clientId, signal: abort.signal }));
    }
  };
  try {
    await Promise.all([weather.run(), ...Array.from({ length: tasks }, (_, index) => drive(index))]);
  } finally {
    abort.abort(new Error("The storm is over."));
    await weather.end();
  }
  const known = new Map(runs.map(({ run, taskId }) => [run, new Set([taskId])]));
  const verdict = await judgeRuns({ directory, reader, runs: known, acknowledged: new Map(), records, compact: true });
  const snapshots = runs.reduce((sum, run) => sum + run.snapshots, 0);
  return {
    lines: [...weather.lines(), ...verdict.lines, `${snapshots} snapshots shown to followers`],
    problems: [...runs.flatMap((run) => problemsOfRun(run, options)), ...verdict.problems],
    complete: `${runs.length} runs`,
  };
}

/** Says what is wrong with what a run's follower was shown. */
export function problemsOfRun(
  run: FollowedRun,
  { records, batch }: Pick<StormOptions, "records" | "batch">,
): readonly string[] {
  const problems = [...wrongItems(run.items, run.run, records)];
  const expected = Array.from({ length: Math.ceil(records / batch) }, (_, at) => Math.min(records, (at + 1) * batch));
  const isRising = run.seqs.every((seq, index) => index === 0 || seq > (run.seqs[index - 1] ?? 0));
  if (!isRising) problems.push(`the follower saw seqs out of order: ${run.seqs.join(" ")}`);
  if (run.snapshots === 0 && run.progress.join(" ") !== expected.join(" ")) {
    problems.push(`the follower saw progress ${run.progress.join(" ")}`);
  }
  const output = JSON.stringify(run.output);
  if (output !== JSON.stringify({ records, sum: (records * (records - 1)) / 2 })) problems.push(`result ${output}`);
  return problems.map((problem) => `${run.run} (${run.taskId}): ${problem}`);
}
