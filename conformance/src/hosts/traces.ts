import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const lookEveryMs = 50;
const patienceMs = 10_000;
const perUser = ["", ".config", ".local/share", ".local/state", ".cache"];

/** Ends the processes whose home is a folder, or in it, and that do not end by themselves; resolves to what they are. Linux alone tells. */
export async function endProcessesAt(home: string): Promise<readonly string[]> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const left = await processesAt(home);
    if (left.length === 0) return [];
    if (Date.now() > deadline) {
      for (const { id } of left) process.kill(id, "SIGKILL");
      return left.map(({ words }) => `still running: ${words}`);
    }
    await sleep(lookEveryMs);
  }
}

async function processesAt(home: string): Promise<readonly { readonly id: number; readonly words: string }[]> {
  const ids = (await readdir("/proc").catch(() => [])).map(Number).filter(Number.isInteger);
  const of = (id: number, file: string) => readFile(`/proc/${id}/${file}`, "utf8").catch(() => "");
  const found = ids.map(async (id) => {
    const isAt = (await of(id, "environ")).split("\0").some((one) => `${one}/`.startsWith(`HOME=${home}/`));
    return isAt ? [{ id, words: (await of(id, "cmdline")).replaceAll("\0", " ") }] : [];
  });
  return (await Promise.all(found)).flat();
}

/** What programs keep in a user's home folder, by name. */
export async function namesIn(home: string): Promise<readonly string[]> {
  const names = perUser.map(async (folder) =>
    (await readdir(join(home, folder)).catch(() => [])).map((name) => join(folder, name)),
  );
  return (await Promise.all(names)).flat();
}
