import fs, { readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { fileURLToPath } from "node:url";
import { collectFirst, type Vitals, vitalsFileVariable } from "./vitals.js";

let syncs = 0;
function count(owner: object, names: readonly string[]): void {
  for (const name of names) {
    const sync = Reflect.get(owner, name);
    Object.assign(owner, {
      [name](...args: unknown[]) {
        syncs += 1;
        return Reflect.apply(sync, this, args);
      },
    });
  }
}
count(fs, ["fsync", "fsyncSync", "fdatasync", "fdatasyncSync"]);
const file = await fs.promises.open(fileURLToPath(import.meta.url));
count(Object.getPrototypeOf(file), ["sync", "datasync"]);
await file.close();
syncBuiltinESMExports();

// Loaded into a measured program before anything of its own: it says on a signal how it is.
process.on("SIGUSR2", () => {
  const file = process.env[vitalsFileVariable] ?? "";
  if (readFileSync(file, "utf8") === collectFirst) for (let pass = 0; pass < 3; pass++) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { heapUsed, external, rss } = process.memoryUsage();
  const [heapMiB = 0, externalMiB = 0, residentMiB = 0] = [heapUsed, external, rss].map((bytes) => bytes / 2 ** 20);
  const vitals: Vitals = { processorMs: (user + system) / 1_000, heapMiB, externalMiB, residentMiB, syncs };
  writeFileSync(file, `${JSON.stringify(vitals)}\n`);
});
