import { readFileSync, writeFileSync } from "node:fs";
import { collectFirst, type Vitals, vitalsFileVariable } from "./vitals.js";

// Loaded into the measured program before anything of its own: it says on a signal how it is.
process.on("SIGUSR2", () => {
  const file = process.env[vitalsFileVariable] ?? "";
  if (readFileSync(file, "utf8") === collectFirst) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const heapMiB = process.memoryUsage().heapUsed / 2 ** 20;
  const vitals: Vitals = { processorMs: (user + system) / 1_000, heapMiB };
  writeFileSync(file, `${JSON.stringify(vitals)}\n`);
});
