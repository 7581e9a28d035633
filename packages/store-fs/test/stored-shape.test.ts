import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { layoutVersion } from "../src/disk/layout.js";
import { emptyFolder } from "./scene.js";

const fixtures = join(import.meta.dirname, "fixtures");

test("what is stored has the shape that belongs to the layout's number: another shape needs another number", () => {
  const recorded: unknown = JSON.parse(readFileSync(join(fixtures, "store.shape.json"), "utf8"));
  const args = [join(fixtures, "make-store.js"), "shape", join(emptyFolder(), "store")];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  expect(JSON.parse(stdout)).toEqual(recorded);
  expect(recorded).toMatchObject({ layout: layoutVersion });
});
