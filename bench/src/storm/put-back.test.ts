import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { buildWith } from "./put-back.js";

test("a build with a defect is there until it is removed", async () => {
  const store = dirname(createRequire(import.meta.url).resolve("@resumable-mcp/store-postgres/package.json"));
  const names = () => readdir(join(store, "dist"));
  const before = await names();
  const { environment, remove } = await buildWith("unknown-counts-as-done");
  expect(await import(environment.STORM_STORE ?? "")).toHaveProperty("createPostgresStore");
  await remove();
  expect(await names()).toEqual(before);
});
