import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { askVitals, type Vitals, vitalsFileVariable } from "./vitals.js";

/** A program in a terminal of its own, 120×40. */
export interface PseudoTerminal {
  press(keys: string): void;
  /** Resolves to the milliseconds until something matches in what is written from now on. */
  shows(text: RegExp): Promise<number>;
  /** Asks the program for its processor time and its heap, which it measures after a collection where that is asked for. */
  vitals(options?: { readonly collect?: boolean }): Promise<Vitals>;
  close(): Promise<void>;
}

/** Characters of output that a wait looks back at. */
const keptCharacters = 200_000;

const tellVitals = new URL("terminal/tell-vitals.js", import.meta.url).href;

/** Runs a script with this Node in a pseudo-terminal. */
export function openTerminal(script: string, args: readonly string[]): PseudoTerminal {
  const folder = mkdtempSync(join(tmpdir(), "bench-vitals-"));
  const vitalsFile = join(folder, "vitals.json");
  const words = [process.execPath, "--expose-gc", "--import", tellVitals, script, ...args]
    .map((word) => `'${word}'`)
    .join(" ");
  const child = spawn("script", ["-qec", `stty rows 40 cols 120; echo "pid $$"; exec ${words}`, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, TERM: "xterm-256color", CI: "false", [vitalsFileVariable]: vitalsFile },
  });
  let written = "";
  let pid: number | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written = (written + text).slice(-keptCharacters);
    pid ??= pidIn(written);
  });
  const ended = once(child, "close").then((): never => {
    throw new Error(`The program ended with: ${written.slice(-2_000)}`);
  });
  ended.catch(() => undefined);
  const shows = (text: RegExp) => waitFor(child.stdout, text, () => written, ended);
  return {
    press: (keys) => {
      written = "";
      child.stdin.write(keys);
    },
    shows,
    vitals(options = {}) {
      if (pid === undefined) throw new Error("The program has not begun.");
      return askVitals(pid, vitalsFile, options);
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}

function pidIn(text: string): number | undefined {
  const [, found] = /pid (\d+)/.exec(text) ?? [];
  return found === undefined ? undefined : Number(found);
}

async function waitFor(
  output: NodeJS.ReadableStream,
  text: RegExp,
  written: () => string,
  ended: Promise<never>,
): Promise<number> {
  const start = performance.now();
  while (!text.test(written())) await Promise.race([once(output, "data"), ended]);
  return performance.now() - start;
}
