import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import type { Bug } from "./bug.js";
import { bugs } from "./bug-list.js";
import { buildWith } from "./build-with.js";

const run = promisify(execFile);
const simulation = join(dirname(fileURLToPath(import.meta.url)), "..");

/** Where the simulator found a bug. */
interface Finding {
  readonly seed: number;
  /** The mode or theme of all plans, where it was not drawn. */
  readonly only: string | undefined;
  /** Virtual time within that seed. */
  readonly at: string;
  /** Virtual time of all seeds up to it. */
  readonly hours: number;
  readonly violation: string;
}

/** Seeds, and the mode or theme of all their plans where that is not drawn. */
interface Range {
  readonly from: number;
  readonly to: number;
  readonly only?: string;
}

/** Lets a simulator run seeds until a guarantee is broken. */
async function firstViolation(
  program: string,
  { isDatabase }: Bug,
  { from, to, only }: Range,
): Promise<Finding | undefined> {
  const how = [...(isDatabase ? ["--database"] : []), ...(only === undefined ? [] : ["--only", only])];
  const args = [program, "--seeds", `${from}..${to}`, "--until-found", ...how];
  const { stdout, stderr } = await run(process.execPath, args, { maxBuffer: 2 ** 28 }).catch(
    // It ends with 1 when it found something.
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  if (!stdout.includes(" virtual hours")) throw new Error(`The simulator did not run: ${stderr}`);
  const found = /found by seed (\d+) at (\S+) virtual seconds, after (\S+) virtual hours: (.*)/.exec(stdout);
  const [, seed, at, hours, violation] = found ?? [];
  if (seed === undefined || at === undefined || violation === undefined) return undefined;
  return { seed: Number(seed), only, at: `${at} s`, hours: Number(hours), violation };
}

/** The first seed that breaks a guarantee with the defect, and none without it: of the plans in which it shows most, else of all. */
async function hunt(bug: Bug, first: number, last: number): Promise<Finding | undefined> {
  const source = readFileSync(join(simulation, "../packages", bug.file), "utf8");
  const sources = new Map([[bug.file, putBack(bug, source)]]);
  const program = await buildWith(simulation, { name: bug.name, sources });
  const whole = { from: first, to: last };
  const shown = bug.shows === undefined ? undefined : await huntIn(program, bug, { ...whole, only: bug.shows });
  return shown ?? huntIn(program, bug, whole);
}

function putBack({ name, file, find, replace }: Bug, source: string): string {
  if (source.split(find).length !== 2) throw new Error(`${file} does not have one place for: ${name}`);
  return source.replace(find, () => replace);
}

async function huntIn(program: string, bug: Bug, { from: first, to, only }: Range): Promise<Finding | undefined> {
  let hours = 0;
  for (let from = first; from <= to; ) {
    const finding = await firstViolation(program, bug, { from, to, only });
    if (finding === undefined) return undefined;
    const { seed } = finding;
    hours += finding.hours;
    if ((await firstViolation(join(simulation, "dist/index.js"), bug, { from: seed, to: seed, only })) === undefined)
      return { ...finding, hours };
    process.stderr.write(`Seed ${seed} breaks a guarantee without any defect.\n`);
    from = seed + 1;
  }
  return undefined;
}

// What is not bundled is read from the package in which the build runs.
process.chdir(simulation);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: "string", default: "1" } },
});
const [seeds = "1..2000", ...names] = positionals;
const [first = 1, last = first] = seeds.split("..").map(Number);
const chosen = bugs.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)));
const findings = new Map<Bug, Finding | undefined>();
const left = chosen.values();

/** Takes one bug after the other, until none is left. */
async function huntAll(): Promise<void> {
  for (const bug of left) {
    const began = Date.now();
    const finding = await hunt(bug, first, last);
    findings.set(bug, finding);
    const seconds = Math.round((Date.now() - began) / 1_000);
    const what = finding?.violation ?? "nothing was found";
    process.stderr.write(`${findings.size} of ${chosen.length}, after ${seconds} s: ${what}\n${rowOf(bug)}`);
  }
}

/** A line of the table. */
function rowOf(bug: Bug): string {
  const finding = findings.get(bug);
  const [rule = ""] = finding?.violation.split(":") ?? [];
  const where = finding === undefined ? ["not found", "", ""] : [finding.seed, finding.at, finding.hours.toFixed(2)];
  const plans = [bug.isDatabase ? "database" : [], finding?.only ?? []].flat().join(", ");
  return `| ${[bug.name, rule, plans, ...where].join(" | ")} |\n`;
}

await Promise.all(Array.from({ length: Number(values.jobs) }, huntAll));
const missed = chosen.filter((bug) => findings.get(bug) === undefined).length;
const { stdout: commit } = await run("git", ["rev-parse", "--short", "HEAD"], { cwd: simulation });
process.stdout.write(
  [
    "| Defect | Broken | Plans | Seed | Virtual time in it | Virtual hours until then |\n",
    "|---|---|---|---|---|---|\n",
    ...chosen.map(rowOf),
    `\n${chosen.length - missed} of ${chosen.length} were found by the seeds ${seeds} at ${commit.trim()}.\n`,
  ].join(""),
);
process.exitCode = chosen.length > 0 && missed === 0 ? 0 : 1;
