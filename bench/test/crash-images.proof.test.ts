import { expect, it } from "vitest";
import { runImages } from "../src/crash-images/run-images.js";

const hangMs = 600_000;
/** Printed: `npm run proof -- crash-images --seed` draws the same images again. */
const seed = Math.floor(Math.random() * 1_000_000);

it.each(["new", "old"] as const)(
  "the %s store loses nothing acknowledged in 200 losses of power (G1.1, G12)",
  { timeout: hangMs },
  async (store) => {
    process.stdout.write(`crash images of the ${store} store: seed ${seed}\n`);
    const { images, problems } = await runImages({ images: 200, seed, store, thoroughEvery: 8 });
    expect([images, problems], `seed ${seed}`).toEqual([200, []]);
  },
);
