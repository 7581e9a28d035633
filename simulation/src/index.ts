import "./world/virtual-files.js";
// What the servers load at their first need: in a run there are no files to load it from.
import "@modelcontextprotocol/sdk/server/mcp.js";
import "@modelcontextprotocol/sdk/types.js";
import "@modelcontextprotocol/sdk/validation/ajv";
import "@modelcontextprotocol/server";
import "@modelcontextprotocol/server/validators/ajv";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import type { Violation } from "./history/evidence.js";
import { Coverage } from "./run/coverage.js";
import { drawPlan } from "./run/draw-plan.js";
import { namedPoints } from "./run/named-points.js";
import { type Report, runPlan } from "./run/run-plan.js";
import { shrink } from "./run/shrink.js";

const usage = `simulate: runs the engine and the store in virtual time, and breaks everything around them.

  --seeds 1..1000   the seeds to run (default 1..100)
  --random N        N fresh seeds as well, which are printed
  --seed N          one seed
  --summary         prints at the end how often each thing was tried, and what came of it
  --verbose         prints every event of each run
  --until-found     ends with the first violation, and says where it was
  --no-shrink       leaves a failing story as long as it is
  --help

Exit code: 0 when every guarantee held, 1 when one did not, 2 for a wrong option.
`;

interface Options {
  readonly seeds: readonly number[];
  readonly isVerbose: boolean;
  readonly isSummarised: boolean;
  readonly shrinks: boolean;
  readonly untilFound: boolean;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      random: { type: "string" },
      seed: { type: "string" },
      verbose: { type: "boolean" },
      summary: { type: "boolean" },
      "no-shrink": { type: "boolean" },
      "until-found": { type: "boolean" },
      help: { type: "boolean" },
    },
  });
  if (values.help === true) {
    process.stdout.write(usage);
    process.exit(0);
  }
  const fresh = Array.from({ length: wholeNumber("random", values.random ?? "0") }, () => randomInt(2 ** 31));
  const isVerbose = values.verbose === true;
  const shrinks = values["no-shrink"] !== true;
  const untilFound = values["until-found"] === true;
  const isSummarised = values.summary === true;
  const how = { isVerbose, isSummarised, shrinks, untilFound };
  if (values.seed !== undefined) return { seeds: [wholeNumber("seed", values.seed)], ...how };
  const range = values.seeds ?? (fresh.length > 0 ? undefined : "1..100");
  return { seeds: [...(range === undefined ? [] : seedsOf(range)), ...fresh], ...how };
}

function seedsOf(range: string): readonly number[] {
  const [from, to, ...rest] = range.split("..");
  const first = wholeNumber("seeds", from ?? "");
  const last = wholeNumber("seeds", to ?? from ?? "");
  if (rest.length > 0 || last < first) throw new RangeError(`--seeds takes a range such as 1..1000, not "${range}".`);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value)) {
    throw new RangeError(`--${option} takes a whole number, not "${text}".`);
  }
  return value;
}

/** What the runs so far came to. */
class Totals {
  runs = 0;
  crashes = 0;
  virtualMs = 0;
  failed = 0;
  readonly crossed = new Set<string>();
  readonly #effects = new Map<string, number>();
  readonly #began = process.cpuUsage();

  add({ history, virtualMs, violations }: Report): void {
    this.runs += 1;
    this.crashes += history.crashes;
    this.virtualMs += virtualMs;
    if (violations.length > 0) this.failed += 1;
    for (const point of history.crashedAt) this.crossed.add(point);
    for (const [effect, times] of history.effects) {
      this.#effects.set(effect, (this.#effects.get(effect) ?? 0) + times);
    }
  }

  /** Which points no crash has crossed, and how often faults had an effect: one without any is of no use. */
  details(): string {
    const missing = namedPoints.filter((point) => !this.crossed.has(point));
    const effects = [...this.#effects].sort().map(([effect, times]) => `${effect} ${times}`);
    return [
      `named points not crossed: ${missing.join(", ") || "none"}`,
      `effects of faults: ${effects.join(", ") || "none"}`,
    ].join("\n");
  }

  toString(): string {
    const { user, system } = process.cpuUsage(this.#began);
    const seconds = (user + system) / 1e6;
    return [
      `${this.runs} seeds, ${this.failed} with violations, ${(this.virtualMs / 3_600_000).toFixed(1)} virtual hours`,
      `${this.crashes} crashes, ${Math.round(this.crashes / seconds)} for each second of processor time`,
      `${this.crossed.size} of ${namedPoints.length} named points crossed by a crash`,
    ].join("; ");
  }
}

function printReport({ plan, digest, violations, history }: Report, isVerbose: boolean): void {
  process.stdout.write(`seed ${plan.seed}: history ${digest}, ${violations.length} violations\n`);
  for (const { rule, text } of violations) process.stdout.write(`  ${rule}: ${text}\n`);
  if (isVerbose) for (const { atMs, kind, ...facts } of history.events) printEvent(atMs, kind, facts);
}

function printEvent(atMs: number, kind: string, facts: { readonly [name: string]: unknown }): void {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  process.stdout.write(
    `  ${atMs.toFixed(1).padStart(10)} ms  ${kind}  ${known.map(([name, value]) => `${name}=${String(value)}`).join(" ")}\n`,
  );
}

async function main({ seeds, isVerbose, isSummarised, shrinks, untilFound }: Options): Promise<void> {
  const totals = new Totals();
  const coverage = new Coverage();
  for (const seed of seeds) {
    const report = await runPlan(drawPlan(seed));
    totals.add(report);
    if (isSummarised) coverage.add(report);
    const [violation] = report.violations;
    if (untilFound && violation !== undefined) {
      const hours = (totals.virtualMs / 3_600_000).toFixed(2);
      process.stdout.write(
        `found by seed ${seed} at ${secondsOf(violation, report)} virtual seconds, after ${hours} virtual hours: ${violation.rule}: ${violation.text}\n`,
      );
      break;
    }
    if (isVerbose || report.violations.length > 0) printReport(report, isVerbose);
    if (report.violations.length > 0 && shrinks) await printShortStory(report);
    if (totals.runs % 100 === 0) process.stdout.write(`${totals}\n`);
  }
  if (isSummarised)
    process.stdout.write(`${coverage}
`);
  process.stdout.write(`${totals}
${totals.details()}
`);
  process.exitCode = totals.failed === 0 ? 0 : 1;
}

/** When a guarantee was broken, where the violation names a time; else when the run was judged. */
function secondsOf({ text }: Violation, { virtualMs }: Report): string {
  const [, atMs = virtualMs] = /\bat (\d+(?:\.\d+)?) ms/.exec(text) ?? [];
  return (Number(atMs) / 1_000).toFixed(1);
}

async function printShortStory(report: Report): Promise<void> {
  const shortest = await shrink(report);
  const { calls, faults, workers } = shortest.plan;
  process.stdout.write(`The shortest story: ${workers} workers, ${calls.length} calls, ${faults.length} faults.\n`);
  for (const call of calls) process.stdout.write(`  ${call.name} (${call.owner}): ${JSON.stringify(call.input)}\n`);
  printReport(shortest, true);
  process.stdout.write(`Again: npm run simulate -- --seed ${report.plan.seed} --verbose\n`);
}

try {
  await main(readOptions());
} catch (error) {
  if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
  process.stderr.write(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
