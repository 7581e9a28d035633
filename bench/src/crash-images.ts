import { parseArgs } from "node:util";
import { runImages } from "./crash-images/run-images.js";

const { values } = parseArgs({
  options: {
    images: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
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
