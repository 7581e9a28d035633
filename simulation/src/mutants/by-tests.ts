import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Drawn } from "./drawn-only.js";
import { excludedKinds, keyOf, type Mutant } from "./mutant.js";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

/** What a package's tests say of a mutant. Static: its code runs when the module is loaded, so it is not judged. */
export type ByTests = "killed" | "timeout" | "survived" | "uncovered" | "static";

/** What is read of Stryker's report (mutation-testing-report-schema 2). */
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly ReportedMutant[] }>>;
}

interface ReportedMutant {
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: string;
  readonly statusReason?: string;
  readonly location: { readonly start: Place; readonly end: Place };
}

interface Place {
  readonly line: number;
  readonly column: number;
}

/** A test that fails when the machine is busy would kill what survives: so long does Stryker wait, in milliseconds. */
const timeoutMs = 120_000;

/**
 * Lets a package's tests judge mutants of some of its files, in a checkout whose files it changes.
 *
 * @param drawn The mutants to judge.
 * @returns the verdict of each mutant, by key.
 */
export async function judgeByTests(
  checkout: string,
  packageName: string,
  files: readonly string[],
  { drawn, jobs }: { readonly drawn: readonly Mutant[]; readonly jobs: number },
): Promise<ReadonlyMap<string, ByTests>> {
  const place = join(checkout, "packages", packageName);
  const scratch = mkdtempSync(join(tmpdir(), "mutants-"));
  const report = join(scratch, "report.json");
  const list = join(scratch, "drawn.json");
  const options = join(scratch, "stryker.json");
  const content: Drawn = { packages: join(checkout, "packages/"), keys: drawn.map(keyOf) };
  writeFileSync(list, JSON.stringify(content));
  writeFileSync(options, JSON.stringify(strykerOptions(packageName, files, { scratch, report, jobs })));
  const program = join(require.resolve("@stryker-mutator/core"), "../../../bin/stryker.js");
  try {
    const env = { ...process.env, MUTANTS_DRAWN: list };
    await run(process.execPath, [program, "run", options], { cwd: place, env, maxBuffer: 2 ** 28 }).catch(
      (error: { readonly stdout?: string; readonly message: string }) => {
        throw new Error(`Stryker did not end well: ${error.stdout?.slice(-4_000) ?? error.message}`);
      },
    );
    return readReport(JSON.parse(readFileSync(report, "utf8")), packageName);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function strykerOptions(
  packageName: string,
  files: readonly string[],
  { scratch, report, jobs }: { scratch: string; report: string; jobs: number },
): unknown {
  return {
    testRunner: "vitest",
    plugins: [
      fileURLToPath(import.meta.resolve("@stryker-mutator/vitest-runner")),
      fileURLToPath(new URL("drawn-only.js", import.meta.url)),
    ],
    checkers: ["drawn-only"],
    inPlace: true,
    coverageAnalysis: "perTest",
    ignoreStatic: true,
    disableTypeChecks: false,
    mutate: files.map((file) => file.slice(packageName.length + 1)),
    mutator: { excludedMutations: excludedKinds },
    reporters: ["json"],
    jsonReporter: { fileName: report },
    concurrency: jobs,
    timeoutMS: timeoutMs,
    dryRunTimeoutMinutes: 30,
    tempDirName: join(scratch, "stryker"),
    clearTextReporter: { allowColor: false },
  };
}

const verdicts: Readonly<Record<string, ByTests>> = {
  Killed: "killed",
  Timeout: "timeout",
  // The test process ended.
  RuntimeError: "killed",
  Survived: "survived",
  NoCoverage: "uncovered",
  Ignored: "static",
};

function readReport({ files }: Report, packageName: string): ReadonlyMap<string, ByTests> {
  const seen = new Map<string, ByTests>();
  for (const [path, { mutants }] of Object.entries(files)) {
    for (const { location, mutatorName, replacement, status, statusReason } of mutants) {
      const verdict = verdicts[status];
      if (verdict === undefined || (status === "Ignored" && !/static/i.test(statusReason ?? ""))) continue;
      const [start, end] = [location.start, location.end].map(({ line, column }) => `${line}:${column}`);
      seen.set(
        keyOf({ file: `${packageName}/${path}`, at: `${start}-${end}`, kind: mutatorName, replacement }),
        verdict,
      );
    }
  }
  return seen;
}
