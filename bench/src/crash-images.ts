import { parseArgs } from "node:util";
import { readArguments } from "./command-line.js";
import { runImages } from "./crash-images/run-images.js";

const usage = `Usage: npm run crash-images -- [options]

Loses power at random moments, and checks what a store finds on the disk afterwards.

  --images N   images of a new store, and as many of an old one (default: 2000)
  --seed N     seed of the random choices (default: a new one)
  --help       print this text`;

const { values } = readArguments(usage, () =>
  parseArgs({
    options: {
      images: { type: "string", default: "2000" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
    },
  }),
);
const { images, seed } = values;

console.log(`crash images: ${images} of a new store and ${images} of an old one, seed ${seed}`);
for (const store of ["new", "old"] as const) {
  const report = await runImages({ images: Number(images), seed: Number(seed), store, thoroughEvery: 1 });
  for (const problem of report.problems.slice(0, 100)) console.log(`PROBLEM ${problem}`);
  console.log(
    `${store} store: ${report.images} images of ${report.events} events, ${report.acknowledged} acknowledgements, ${report.problems.length} problems`,
  );
  if (report.problems.length > 0) process.exitCode = 1;
}
