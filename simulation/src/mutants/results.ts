import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ByTests } from "./by-tests.js";
import type { Folder } from "./folders.js";
import { hashOf, keyOf, type Mutant } from "./mutant.js";

/** What became of the mutants of a source: those that nothing killed by key, the others in numbers. */
export interface FileResult {
  /** Of the source that was judged. */
  readonly hash: string;
  /** The last commit then. */
  readonly commit: string;
  /** What it took, in seconds. */
  readonly seconds: number;
  readonly killed: number;
  readonly timeout: number;
  readonly static: readonly string[];
  readonly survived: readonly string[];
  readonly uncovered: readonly string[];
}

/** A drawn mutant and what judged it. */
export interface DrawnResult extends Mutant {
  readonly hash: string;
  readonly commit: string;
  /** By which it was drawn. */
  readonly seed: number;
  readonly tests?: ByTests;
  /** `seed 12: G1`, `seed 12: hangs`, `seed 12: ends the process`, `not found`, or `not reached`: no seed runs its code. */
  readonly simulator?: string;
  /** A word of who read it, where nothing killed it: why, and what a test should say. */
  readonly read?: string;
}

/** Of a folder that is judged as a whole, by source. */
export type FolderResults = Record<string, FileResult>;

const pathOf = (repository: string, name: string): string =>
  join(repository, "simulation/mutants", `${name.replace("/", "-")}.json`);

function readJson<T>(path: string, otherwise: T): T {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : otherwise;
}

function writeJson(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, undefined, 1)}\n`);
}

export const readFolder = (repository: string, { name }: Folder): FolderResults =>
  readJson(pathOf(repository, name), {});
export const writeFolder = (repository: string, { name }: Folder, results: FolderResults): void =>
  writeJson(pathOf(repository, name), Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1))));
export const readDrawn = (repository: string, name: string): DrawnResult[] => readJson(pathOf(repository, name), []);
export const writeDrawn = (repository: string, name: string, results: readonly DrawnResult[]): void =>
  writeJson(pathOf(repository, name), results);

/** Sums what the tests said of all mutants of a source. */
export function sumUp(
  mutants: readonly Mutant[],
  seen: ReadonlyMap<string, ByTests>,
  made: Pick<FileResult, "hash" | "commit" | "seconds">,
): FileResult {
  const those = (verdict: ByTests): readonly string[] => mutants.map(keyOf).filter((key) => seen.get(key) === verdict);
  const [killed, timeout] = [those("killed").length, those("timeout").length];
  return {
    ...made,
    killed,
    timeout,
    survived: those("survived"),
    uncovered: those("uncovered"),
    static: those("static"),
  };
}

/** What a whole folder's results say of one mutant; `undefined` where its source was not judged as it is now. */
export function knownVerdict(checkout: string, results: FolderResults, mutant: Mutant): ByTests | undefined {
  const file = results[mutant.file];
  if (file === undefined || file.hash !== hashOf(checkout, mutant.file)) return undefined;
  const named = (["survived", "uncovered", "static"] as const).find((verdict) => file[verdict].includes(keyOf(mutant)));
  return named ?? "killed";
}
