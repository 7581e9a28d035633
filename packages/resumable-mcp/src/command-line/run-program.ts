import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ProgramCall } from "./route.js";

/** The file of a program that a package of this toolkit brings. */
export function fileOf({ package: name, bin }: Pick<ProgramCall, "package" | "bin">): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { bin: files }: { readonly bin: Readonly<Record<string, string>> } = JSON.parse(readFileSync(manifest, "utf8"));
  const file = files[bin];
  if (file === undefined) throw new Error(`${name} has no program ${bin}. Install resumable-mcp again.`);
  return join(dirname(manifest), file);
}

/** Becomes another program: it starts with its own arguments, and nothing else is loaded. */
export async function runProgram(call: ProgramCall): Promise<void> {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...call.args);
  await import(pathToFileURL(fileOf(call)).href);
}
