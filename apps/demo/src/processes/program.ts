import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { z } from "zod";

/** Text of a program's standard error that is kept for a message about its failure. */
const maxKeptCharacters = 4_000;

/** A program that runs as a child of this one. */
export interface Program {
  readonly pid: number;
  readonly stdout: Readable;
  /** Resolves when the program has ended. */
  readonly ended: Promise<void>;
  /** The end of what it wrote to standard error. */
  complaint(): string;
  /** Resolves to what the pattern's group matches in standard error, or to `undefined` when the program ended. */
  waitFor(pattern: RegExp): Promise<string | undefined>;
  /** Sends a signal and waits until the program has ended. `SIGKILL` gives it no time for anything. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/**
 * Starts a script with this Node; it is asked to stop when this process dies.
 *
 * @param built the folder of the demo's built programs.
 */
export async function startProgram(built: URL, script: string, args: readonly string[]): Promise<Program> {
  const guard = new URL("end-with-parent.js", built).href;
  const child = spawn(process.execPath, ["--import", guard, script, ...args], { stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(child, "close").then(() => undefined);
  await once(child, "spawn");
  return toProgram(child, ended);
}

/** Finds the script behind a command that a package brings along. */
export function findScript(packageName: string, command: string): string {
  const manifest = createRequire(import.meta.url).resolve(`${packageName}/package.json`);
  const { bin } = z.object({ bin: z.record(z.string(), z.string()) }).parse(createRequire(manifest)(manifest));
  const path = bin[command];
  if (path === undefined) throw new Error(`${packageName} brings no command ${command}.`);
  return join(manifest, "..", path);
}

function toProgram(child: ChildProcessByStdio<Writable, Readable, Readable>, ended: Promise<void>): Program {
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-maxKeptCharacters);
  });
  return {
    pid: child.pid ?? 0,
    stdout: child.stdout,
    ended,
    complaint: () => complaint.trim(),
    waitFor: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const [, found] = pattern.exec(complaint) ?? [];
          if (found !== undefined) resolve(found);
        };
        look();
        child.stderr.on("data", look);
        void ended.then(() => resolve(undefined));
      }),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}
