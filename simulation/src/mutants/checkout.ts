import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { folderOf } from "./folders.js";
import { type Mutant, withMutant } from "./mutant.js";

const run = promisify(execFile);

/**
 * Clones the last commit, installs and builds it: mutants are put into files, and not into yours. The tests of `npm run proof`, which
 * take long, do not judge.
 *
 * @returns its folder.
 */
export async function cloneRepository(repository: string): Promise<string> {
  const checkout = mkdtempSync(join(tmpdir(), "resumable-mcp-mutants-"));
  await run("git", ["clone", "--quiet", repository, checkout]);
  await run("git", ["rm", "--quiet", "*.proof.test.ts"], { cwd: checkout });
  await run("npm", ["run", "-s", "build"], { cwd: checkout, maxBuffer: 2 ** 26, shell: process.platform === "win32" });
  return checkout;
}

/** The short name of the last commit. */
export async function commitOf(checkout: string): Promise<string> {
  const { stdout } = await run("git", ["rev-parse", "--short", "HEAD"], { cwd: checkout });
  return stdout.trim();
}

/**
 * Which mutants the compiler accepts: what does not compile cannot be committed.
 * Those of different files are looked at together; where one breaks another file, each alone.
 */
export async function acceptedOf(checkout: string, mutants: readonly Mutant[]): Promise<ReadonlySet<Mutant>> {
  const accepted = new Set<Mutant>();
  const rounds = new Map<string, Mutant[]>();
  const counts = new Map<string, number>();
  for (const mutant of mutants) {
    const nth = (counts.get(mutant.file) ?? 0) + 1;
    counts.set(mutant.file, nth);
    const round = `${nth} ${folderOf(mutant.file).package}`;
    rounds.set(round, [...(rounds.get(round) ?? []), mutant]);
  }
  for (const together of rounds.values()) {
    const broken = await brokenFiles(checkout, together);
    const isClear = [...broken].every((file) => together.some((mutant) => mutant.file === file));
    for (const mutant of together) {
      const isBroken = isClear ? broken.has(mutant.file) : (await brokenFiles(checkout, [mutant])).size > 0;
      if (!isBroken) accepted.add(mutant);
    }
  }
  return accepted;
}

/** The files that do not compile with mutants of one package in them. */
async function brokenFiles(checkout: string, mutants: readonly Mutant[]): Promise<ReadonlySet<string>> {
  const sources = new Map(mutants.map(({ file }) => [file, readFileSync(join(checkout, "packages", file), "utf8")]));
  const write = (file: string, text: string): void => writeFileSync(join(checkout, "packages", file), text);
  for (const mutant of mutants) write(mutant.file, withMutant(mutant, sources.get(mutant.file) ?? ""));
  const names = mutants.map(({ file }) => folderOf(file).package);
  try {
    const compiler = join(checkout, "node_modules/typescript/bin/tsc");
    const cwd = join(checkout, "packages", names[0] ?? "");
    await run(process.execPath, [compiler, "--noEmit", "--pretty", "false"], { cwd, maxBuffer: 2 ** 26 });
    return new Set();
  } catch (error) {
    const { stdout = "" } = error as { readonly stdout?: string };
    const files = [...stdout.matchAll(/^(\S+?)\(\d+,\d+\): error /gm)].map(([, file]) => `${names[0]}/${file}`);
    return new Set(files.length === 0 ? ["?"] : files);
  } finally {
    for (const [file, text] of sources) write(file, text);
  }
}
