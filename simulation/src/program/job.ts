import type { Job } from "./jobs.js";
import { runSeed } from "./run-seed.js";

// Runs seeds for the process that started this one.
process.on("message", (job: Job) => {
  runSeed(job.seed, job).then(
    (result) => process.send?.(result),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
