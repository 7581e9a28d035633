import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Mutant as StrykerMutant } from "@stryker-mutator/api/core";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import type { Folder } from "./folders.js";

/** A small change of a source file that its tests should notice. */
export interface Mutant {
  /** Under `packages/`. */
  readonly file: string;
  /** Line and column of its start and end, from 1: `12:5-12:20`. */
  readonly at: string;
  /** The kind of change, as Stryker names it. */
  readonly kind: string;
  readonly replacement: string;
}

/** Kinds that say nothing: a text in a message is not a guarantee. */
export const excludedKinds = ["StringLiteral"];

/** What tells a mutant from all others. */
export const keyOf = ({ file, at, kind, replacement }: Mutant): string => `${file}:${at} ${kind} ${replacement}`;

/** A mutant as Stryker's checkers and instrumenter have it, whose lines and columns begin at 0. */
export function fromStryker(file: string, { location, mutatorName, replacement }: StrykerMutant): Mutant {
  const [start, end] = [location.start, location.end].map(({ line, column }) => `${line + 1}:${column + 1}`);
  return { file, at: `${start}-${end}`, kind: mutatorName, replacement };
}

/** The sources of a folder, by path under `packages/`. */
export function sourcesOf(checkout: string, folder: Folder): readonly string[] {
  const entries = readdirSync(join(checkout, "packages", folder.package, folder.path), { recursive: true });
  return entries
    .map((entry) => `${folder.package}/${folder.path}/${String(entry)}`)
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .sort();
}

/** A short name of a source's content. */
export function hashOf(checkout: string, file: string): string {
  return createHash("sha256").update(readSource(checkout, file)).digest("hex").slice(0, 12);
}

const readSource = (checkout: string, file: string): string => readFileSync(join(checkout, "packages", file), "utf8");

/** All mutants of some sources. */
export async function mutantsOf(checkout: string, files: readonly string[]): Promise<readonly Mutant[]> {
  const { mutants } = await instrument(
    files.map((name) => ({ name, mutate: true, content: readSource(checkout, name) })),
  );
  return mutants.filter(({ status }) => status !== "Ignored").map((mutant) => fromStryker(mutant.fileName, mutant));
}

/** Sources that have mutants in them, by path under `packages/`. */
export interface Switched {
  readonly sources: ReadonlyMap<string, string>;
  /** By key: a process that has it in `__STRYKER_ACTIVE_MUTANT__` runs that mutant. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Puts mutants into their sources, to be switched on one at a time; what is nested in one comes with it. */
export async function switchedSources(checkout: string, mutants: readonly Mutant[]): Promise<Switched> {
  const names = [...new Set(mutants.map(({ file }) => file))];
  const files = names.map((name) => ({
    name,
    mutate: mutants.filter(({ file }) => file === name).map(({ at }) => rangeOf(at)),
    content: readSource(checkout, name),
  }));
  const made = await instrument(files);
  return {
    sources: new Map(made.files.map(({ name, content }) => [name, content])),
    ids: new Map(made.mutants.map((mutant) => [keyOf(fromStryker(mutant.fileName, mutant)), mutant.id])),
  };
}

/** Where Stryker has a mutant. */
function rangeOf(at: Mutant["at"]): StrykerMutant["location"] {
  const [start, end] = at.split("-").map((place) => {
    const [line = 1, column = 1] = place.split(":").map(Number);
    return { line: line - 1, column: column - 1 };
  });
  if (start === undefined || end === undefined) throw new RangeError(`${at} is not a range.`);
  return { start, end };
}

type Instrumented = Parameters<Instrumenter["instrument"]>[0];

async function instrument(files: Instrumented): ReturnType<Instrumenter["instrument"]> {
  const quiet = () => {};
  const logger = { isDebugEnabled: () => false, debug: quiet, info: quiet, warn: quiet };
  // @ts-expect-error It calls nothing else of a logger.
  const instrumenter = new Instrumenter(logger);
  return instrumenter.instrument(files, { plugins: null, excludedMutations: excludedKinds, ignorers: [] });
}

/** Where a mutant begins and ends in its source. */
export function offsetsOf({ at }: Mutant, text: string): { readonly start: number; readonly end: number } {
  const lines = text.split("\n");
  const { start, end } = rangeOf(at);
  const offset = ({ line, column }: typeof start): number =>
    lines.slice(0, line).reduce((sum, { length }) => sum + length + 1, column);
  return { start: offset(start), end: offset(end) };
}

/** Puts the mutant into its source. */
export function withMutant(mutant: Mutant, text: string): string {
  const { start, end } = offsetsOf(mutant, text);
  return `${text.slice(0, start)}${mutant.replacement}${text.slice(end)}`;
}

/** The mutants in an order that depends on the seed, and for each on nothing but itself. */
export function shuffled(mutants: readonly Mutant[], seed: number): readonly Mutant[] {
  const place = (mutant: Mutant): string =>
    createHash("sha256")
      .update(`${seed} ${keyOf(mutant)}`)
      .digest("hex");
  return mutants
    .map((mutant) => ({ mutant, place: place(mutant) }))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
    .map(({ mutant }) => mutant);
}
