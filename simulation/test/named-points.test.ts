import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { namedPoints } from "../src/run/named-points.js";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** Every name with which the sources of all packages call an observer. */
function pointsOfSources(): readonly string[] {
  const files = readdirSync(packages, { recursive: true, encoding: "utf8" }).filter(
    (path) => /^[^/]+\/src\/.*\.ts$/.test(path) && !path.endsWith(".test.ts"),
  );
  const texts = files.map((path) => readFileSync(`${packages}${path}`, "utf8"));
  return texts.flatMap((text) => [...text.matchAll(/\bobserver?\("([a-z.]+)"/g)].map(([, name]) => name ?? ""));
}

test("processes die at every named point of the code", () => {
  expect(new Set(namedPoints)).toEqual(new Set(pointsOfSources()));
});
