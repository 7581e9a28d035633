import { watch } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { built } from "./run-isolated.js";

/** What a measured program says of itself. */
export interface Vitals {
  /** Processor time of all its threads since its start. */
  readonly processorMs: number;
  readonly heapMiB: number;
  /** What is outside of the heap, such as buffers. */
  readonly externalMiB: number;
  /** As the operating system sees it. */
  readonly residentMiB: number;
  /** How often it asked the disk to keep what was written. */
  readonly syncs: number;
}

/** Names the file to which the program writes them. */
export const vitalsFileVariable = "BENCH_VITALS_FILE";

/** What the file contains when the program is to collect garbage before it answers. */
export const collectFirst = "collect";

/** How to start a program that can be asked for its vitals, and how to ask it. */
export interface VitalsProbe {
  /** For Node, before the program. */
  readonly flags: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Resolves when the program has answered; a collection adds to its processor time. */
  ask(pid: number, options?: { readonly collect?: boolean }): Promise<Vitals>;
}

/** Prepares to ask one program, by a file in a folder that is its own. */
export function createVitalsProbe(folder: string): VitalsProbe {
  const file = join(folder, "vitals.json");
  return {
    flags: ["--expose-gc", "--import", built("workers/tell-vitals.js").href],
    env: { ...process.env, [vitalsFileVariable]: file },
    async ask(pid, { collect = false } = {}) {
      await writeFile(file, collect ? collectFirst : "");
      const changes = watch(file);
      try {
        const answer = new Promise<Vitals>((resolve, reject) => {
          changes.on("error", reject).on("change", () => {
            readFile(file, "utf8").then((text) => {
              if (text.endsWith("\n")) resolve(JSON.parse(text));
            }, reject);
          });
        });
        process.kill(pid, "SIGUSR2");
        return await answer;
      } finally {
        changes.close();
      }
    },
  };
}
