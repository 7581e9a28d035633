import { runImages } from "./crash-images/run-images.js";
import { count, seed as newSeed, readOptions } from "./options.js";

const purpose = "Loses power at random moments, and checks what a store finds on the disk afterwards.";
const { images, seed } = readOptions("npm run proof -- crash-images", purpose, {
  images: count("images of a new store, and as many of an old one", 2_000),
  seed: newSeed,
});

console.log(`crash images: ${images} of a new store and ${images} of an old one, seed ${seed}`);
for (const store of ["new", "old"] as const) {
  const report = await runImages({ images, seed, store, thoroughEvery: 1 });
  for (const problem of report.problems.slice(0, 100)) console.log(`PROBLEM ${problem}`);
  console.log(
    `${store} store: ${report.images} images of ${report.events} events, ${report.acknowledged} acknowledgements, ${report.problems.length} problems`,
  );
  if (report.problems.length > 0) process.exitCode = 1;
}
