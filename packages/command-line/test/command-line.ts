import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { variableOf } from "../src/options/setting-names.js";
import { runCommand } from "../src/store/run-command.js";

/** Runs a command in this process. */
export async function run(...args: string[]) {
  return runWith([], ...args);
}

/** As `run`, with chunks of standard input. */
export async function runWith(input: readonly Uint8Array[], ...args: string[]) {
  const out: string[] = [];
  const errors: string[] = [];
  const data: Uint8Array[] = [];
  const code = await runCommand(args, {
    out: (text) => out.push(text),
    error: (text) => errors.push(text),
    write: async (bytes) => void data.push(bytes),
    input: (async function* () {
      yield* input;
    })(),
  });
  return { code, out: out.join("\n"), errors: errors.join("\n"), data: Buffer.concat(data) };
}

/** Sets options by their variables, until the test is over. */
export function setOptions(options: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(options)) vi.stubEnv(variableOf(name), value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

/** Runs a command for scripts. */
export async function json(...args: string[]): Promise<{ readonly code: number; readonly value: unknown }> {
  const { code, out } = await run(...args, "--json");
  return { code, value: JSON.parse(out) };
}

/** All files of a folder with their content. */
export function everything(directory: string): string {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files
    .sort()
    .map((path) => `${path}: ${readFileSync(path, "base64")}`)
    .join("\n");
}
