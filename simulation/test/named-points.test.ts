import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { namedPoints } from "../src/run/named-points.js";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

/** Every name with which the sources of all packages call an observer. */
function pointsOfSources(): readonly string[] {
  const folders = readdirSync(packages)
    .map((name) => join(packages, name, "src"))
    .filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => join(folder, path)),
  );
  const texts = files.map((path) => readFileSync(path, "utf8"));
  return texts.flatMap((text) => [...text.matchAll(/\bobserver?\("([a-z.]+)"/g)].map(([, name]) => name ?? ""));
}

test("processes die at every named point of the code", () => {
  expect(new Set(namedPoints)).toEqual(new Set(pointsOfSources()));
});
