import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../src/database/migrations");

test("a migration stays as it is once its layout has a number: another schema is another migration", () => {
  const hashOf = (name: string) =>
    createHash("sha256")
      .update(readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n"))
      .digest("hex");
  expect(Object.fromEntries(readdirSync(folder).map((name) => [name, hashOf(name)]))).toEqual({
    "0001_tables.sql": "b3aa8631fba965c6011f6c1fc84ffd81648e0080df608f94543c47b59f0f8c36",
  });
});
