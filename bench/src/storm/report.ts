import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Weather } from "../kills/weather.js";
import { describe, judge, type StormFacts } from "./judge.js";
import type { SharedStore } from "./shared-store.js";

/** What a storm knows at its end; the rest is in its weather and its store. */
export interface StormOutcome extends Pick<StormFacts, "calls" | "open" | "limits"> {
  /** What else happened. */
  readonly lines: readonly string[];
}

/** What lets processes live and die on a store. */
export interface Storm {
  readonly weather: Weather;
  run(): Promise<StormOutcome>;
  end(): Promise<void>;
}

/**
 * Runs a storm and prints what it found; the exit code says whether there are problems. Where there are, or with `keep`, what was
 * noted stays, and the folder.
 */
export async function reportOn(storm: Storm, store: SharedStore, keep = false): Promise<void> {
  process.exitCode = 1;
  let isKept = true;
  try {
    const { lines, ...known } = await runToEnd(storm);
    const { history, acknowledged, problems: errors } = storm.weather;
    const facts = { ...known, events: history.inOrder(), stored: await store.read(acknowledged) };
    const problems = [...errors, ...judge(facts)];
    for (const line of [...storm.weather.lines(), ...describe(facts), ...lines]) console.log(line);
    for (const problem of problems.slice(0, 100)) console.log(`PROBLEM ${problem}`);
    console.log(`${known.calls.length - known.open.length} calls complete, ${problems.length} problems`);
    process.exitCode = problems.length === 0 ? 0 : 1;
    isKept = keep || problems.length > 0;
    if (isKept) await writeFile(join(store.directory, "events.json"), JSON.stringify(facts.events));
  } finally {
    await store.close(isKept);
    if (isKept) console.log(`what was noted and stored is in ${store.directory}`);
  }
}

async function runToEnd(storm: Storm): Promise<StormOutcome> {
  try {
    return await storm.run();
  } finally {
    await storm.end();
  }
}
