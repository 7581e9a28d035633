import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createVitalsProbe, type Vitals } from "../workers/vitals.js";

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

/** Runs a script with this Node in a pseudo-terminal. */
export function openTerminal(script: string, args: readonly string[]): PseudoTerminal {
  const folder = mkdtempSync(join(tmpdir(), "bench-vitals-"));
  const { flags, env, ask } = createVitalsProbe(folder);
  const words = [process.execPath, ...flags, script, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", `stty rows 40 cols 120; echo "pid $$"; exec ${words}`, "/dev/null"], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...env, TERM: "xterm-256color", CI: "false" },
  });
  let written = "";
  let pid: string | undefined;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    written = (written + text).slice(-keptCharacters);
    pid ??= /pid (\d+)/.exec(written)?.[1];
  });
  const ended = once(child, "close").then((): never => {
    throw new Error(`The program ended with: ${written.slice(-2_000)}`);
  });
  ended.catch(() => undefined);
  return {
    press: (keys) => {
      written = "";
      child.stdin.write(keys);
    },
    async shows(text) {
      const start = performance.now();
      while (!text.test(written)) await Promise.race([once(child.stdout, "data"), ended]);
      return performance.now() - start;
    },
    vitals(options) {
      if (pid === undefined) throw new Error("The program has not begun.");
      return ask(Number(pid), options);
    },
    async close() {
      rmSync(folder, { recursive: true, force: true });
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "close");
    },
  };
}
