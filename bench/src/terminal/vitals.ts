import { watch } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

/** What a measured program says of itself. */
export interface Vitals {
  /** Processor time of all its threads since its start. */
  readonly processorMs: number;
  /** What is left in its heap after a collection. */
  readonly heapMiB: number;
}

/** Where the program writes it to. */
export const vitalsFileVariable = "BENCH_VITALS_FILE";

/** Asks a program, and resolves when it has answered. */
export async function askVitals(pid: number, file: string): Promise<Vitals> {
  await writeFile(file, "");
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
}
