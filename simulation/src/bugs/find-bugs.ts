import { execFile } from "node:child_process";
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
  /** Virtual time within that seed. */
  readonly at: string;
  readonly violation: string;
}

/** Lets a simulator run seeds until a guarantee is broken. */
async function firstViolation(program: string, from: number, to: number): Promise<Finding | undefined> {
  const args = [program, "--seeds", `${from}..${to}`, "--until-found"];
  const { stdout, stderr } = await run(process.execPath, args, { maxBuffer: 2 ** 28 }).catch(
    // It ends with 1 when it found something.
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  if (!stdout.includes(" virtual hours")) throw new Error(`The simulator did not run: ${stderr}`);
  const [, seed, at, violation] = /found by seed (\d+) at (\S+) virtual seconds, [^:]*: (.*)/.exec(stdout) ?? [];
  if (seed === undefined || at === undefined || violation === undefined) return undefined;
  return { seed: Number(seed), at: `${at} s`, violation };
}

/** The first seed that breaks a guarantee with the defect, and none without it. */
async function hunt(bug: Bug, first: number, last: number): Promise<Finding | undefined> {
  const program = await buildWith(simulation, bug);
  for (let from = first; from <= last; ) {
    const finding = await firstViolation(program, from, last);
    if (finding === undefined) return undefined;
    const { seed } = finding;
    if ((await firstViolation(join(simulation, "dist/index.js"), seed, seed)) === undefined) return finding;
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
    const what = finding === undefined ? "not found" : `found by seed ${finding.seed}`;
    const seconds = Math.round((Date.now() - began) / 1_000);
    process.stderr.write(`${findings.size} of ${chosen.length}: ${bug.name}: ${what} after ${seconds} s\n`);
  }
}

await Promise.all(Array.from({ length: Number(values.jobs) }, huntAll));
const rows = chosen.map((bug) => {
  const { seed, at, violation } = findings.get(bug) ?? { seed: "not found", at: "", violation: ":" };
  const [rule = "", text = ""] = violation.split(/: (.*)/);
  return `| ${[bug.name, bug.decision ?? "", rule, seed, at, text].join(" | ")} |\n`;
});
const missed = chosen.filter((bug) => findings.get(bug) === undefined).length;
process.stdout.write(
  [
    "| Defect | Decision | Broken | Seed | Virtual time in it | What was seen |\n|---|---|---|---|---|---|\n",
    ...rows,
    `\n${chosen.length - missed} of ${chosen.length} were found by the seeds ${seeds}.\n`,
  ].join(""),
);
process.exitCode = chosen.length > 0 && missed === 0 ? 0 : 1;
