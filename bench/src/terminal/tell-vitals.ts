import { writeFileSync } from "node:fs";
import { type Vitals, vitalsFileVariable } from "./vitals.js";

// Loaded into the measured program before anything of its own: it says on a signal how it is.
process.on("SIGUSR2", () => {
  const { user, system } = process.cpuUsage();
  globalThis.gc?.();
  const heapMiB = process.memoryUsage().heapUsed / 2 ** 20;
  const vitals: Vitals = { processorMs: (user + system) / 1_000, heapMiB };
  writeFileSync(process.env[vitalsFileVariable] ?? "", `${JSON.stringify(vitals)}\n`);
});
