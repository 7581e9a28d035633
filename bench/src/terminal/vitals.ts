import { watch } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";

/** What a measured program says of itself. */
export interface Vitals {
  /** Processor time of all its threads since its start. */
  readonly processorMs: number;
  /** Its heap. */
  readonly heapMiB: number;
}

/** Where the program writes it to. */
export const vitalsFileVariable = "BENCH_VITALS_FILE";

/** What stands in that file when the program is to collect garbage before it answers. */
export const collectFirst = "collect";

/** Asks a program, and resolves when it has answered; a collection adds to its processor time. */
export async function askVitals(
  pid: number,
  file: string,
  { collect = false }: { readonly collect?: boolean },
): Promise<Vitals> {
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
}
