import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { ProgramCall } from "./route.js";

/** The file of a program that a package of this toolkit brings. */
export function findFile({ package: name, bin }: Pick<ProgramCall, "package" | "bin">): string {
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
  const { bin: files }: { readonly bin: Readonly<Record<string, string>> } = JSON.parse(readFileSync(manifest, "utf8"));
  const file = files[bin];
  if (file === undefined) throw new Error(`${name} has no program ${bin}. Install resumable-mcp again.`);
  return join(dirname(manifest), file);
}

/** Becomes another program: it starts with its own arguments, and nothing else is loaded. */
export async function runProgram(call: ProgramCall): Promise<void> {
  const file = findFile(call);
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...call.args);
  // A supervisor starts again what its command line names. The client's help has the name by which it was called.
  if (call.bin === "resumable-mcp-stdio") process.argv[1] = file;
  await import(pathToFileURL(file).href);
}
