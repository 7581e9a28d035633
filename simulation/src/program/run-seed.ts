import "../world/virtual-files.js";
// What the servers load at their first need: in a run there are no files to load it from.
import "@modelcontextprotocol/sdk/server/mcp.js";
import "@modelcontextprotocol/sdk/types.js";
import "@modelcontextprotocol/sdk/validation/ajv";
import "@modelcontextprotocol/server";
import "@modelcontextprotocol/server/validators/ajv";
import type { Violation } from "../history/evidence.js";
import { type Counts, Coverage } from "../run/coverage.js";
import { drawDatabasePlan } from "../run/draw-database-plan.js";
import { drawPlan } from "../run/draw-plan.js";
import { type Report, runPlan } from "../run/run-plan.js";
import { shrink } from "../run/shrink.js";
import type { RunOptions } from "./options.js";

/** What came of a seed, as plain data: it may have run in another process. */
export interface SeedResult {
  readonly seed: number;
  readonly digest: string;
  readonly virtualMs: number;
  readonly crashes: number;
  /** Processor time of the run, in milliseconds: not that of the start of the program, nor of shorter stories. */
  readonly cpuMs: number;
  /** The named points at which processes died. */
  readonly crossed: readonly string[];
  /** The first violation, and when in virtual time it was seen. */
  readonly violation: (Violation & { readonly atMs: number }) | undefined;
  /** How often faults had an effect. */
  readonly effects: readonly (readonly [string, number])[];
  /** What was tried, where a summary is wanted. */
  readonly counts: Counts;
  /** What is printed of it. */
  readonly text: string;
}

/** Runs a seed, and gives the story of a violation. */
export async function runSeed(
  seed: number,
  { isDatabase, only, isVerbose, isSummarised, shrinks }: RunOptions,
): Promise<SeedResult> {
  const began = process.cpuUsage();
  const report = await runPlan(isDatabase ? drawDatabasePlan(seed, only) : drawPlan(seed, only));
  const { user, system } = process.cpuUsage(began);
  const { history, violations, digest, virtualMs } = report;
  const [first] = violations;
  const coverage = new Coverage();
  if (isSummarised) coverage.add(report);
  const isShown = isVerbose || first !== undefined;
  return {
    seed,
    digest,
    virtualMs,
    crashes: history.crashes,
    cpuMs: (user + system) / 1_000,
    crossed: [...history.crashedAt],
    violation: first && { ...first, atMs: timeOf(first, report) },
    effects: [...history.effects],
    counts: coverage.counts,
    text: `${isShown ? textOf(report, isVerbose) : ""}${first !== undefined && shrinks ? await shortStory(report, only) : ""}`,
  };
}

/** When a guarantee was broken, where the violation names a time; else when the run was judged. */
function timeOf({ text }: Violation, { virtualMs }: Report): number {
  const [, atMs = virtualMs] = /\bat (\d+(?:\.\d+)?) ms/.exec(text) ?? [];
  return Number(atMs);
}

function textOf({ plan, digest, violations, history }: Report, isVerbose: boolean): string {
  return [
    `seed ${plan.seed}: history ${digest}, ${violations.length} violations\n`,
    ...violations.map(({ rule, text }) => `  ${rule}: ${text}\n`),
    ...(isVerbose ? history.events.map(({ atMs, kind, ...facts }) => lineOf(atMs, kind, facts)) : []),
  ].join("");
}

function lineOf(atMs: number, kind: string, facts: { readonly [name: string]: unknown }): string {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const text = known.map(([name, value]) => `${name}=${String(value)}`).join(" ");
  return `  ${atMs.toFixed(1).padStart(10)} ms  ${kind}  ${text}\n`;
}

async function shortStory(report: Report, only: string | undefined): Promise<string> {
  const shortest = await shrink(report);
  const { calls, faults, workers, standby } = shortest.plan;
  const how = [standby === undefined ? [] : "--database", only === undefined ? [] : `--only ${only}`].flat();
  return [
    `The shortest story: ${workers} workers, ${calls.length} calls, ${faults.length} faults.\n`,
    ...calls.map(({ name, owner, input }) => `  ${name} (${owner}): ${JSON.stringify(input)}\n`),
    textOf(shortest, true),
    `Again: npm run simulate -- ${[...how, `--seed ${report.plan.seed}`].join(" ")} --verbose\n`,
  ].join("");
}
