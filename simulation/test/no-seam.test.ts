import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createEngine, defineTool } from "@resumable-mcp/core";
import { createFsStore } from "@resumable-mcp/store-fs";
import { MemoryDisk } from "@resumable-mcp/store-fs/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

interface Source {
  readonly path: string;
  readonly text: string;
}

/** What is published and runs, without the entries for tests and the kit of clauses, which runs in tests alone. */
const sources: readonly Source[] = readdirSync(packages, { recursive: true, encoding: "utf8" })
  .filter(
    (path) => /^[^/]+\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$|\/testing(\/|\.ts$)|^store-testkit\//.test(path),
  )
  .map((path) => ({ path, text: readFileSync(`${packages}${path}`, "utf8") }));

function pathsWith(pattern: RegExp, among: readonly Source[] = sources): readonly string[] {
  return among.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
}

describe("the code that is published", () => {
  test("was found", () => {
    expect(sources.length).toBeGreaterThan(300);
  });

  test("does not know the simulator, a test runner, or what is there for tests", () => {
    expect(
      pathsWith(/from "(@resumable-mcp\/(simulation|crash-tools|store-testkit)|vitest|[^"]*\/testing(\/|"))/),
    ).toEqual([]);
    expect(pathsWith(/simulat/i)).toEqual([]);
    const manifests = readdirSync(packages).map((name) => ({
      path: name,
      text: readFileSync(`${packages}${name}/package.json`, "utf8"),
    }));
    expect(pathsWith(/@resumable-mcp\/simulation/, manifests)).toEqual([]);
  });

  test("does not ask whether it is under test", () => {
    expect(pathsWith(/NODE_ENV|VITEST|JEST|import\.meta\.(env|vitest)/)).toEqual([]);
    const simulated = sources.filter(({ path }) => /^(core|store-fs|mcp|protocol|documents)\//.test(path));
    expect(pathsWith(/process\.env|globalThis\[/, simulated)).toEqual([]);
  });
});

test("a checkpoint calls the observer at five points, which is all that a seam costs it", async () => {
  const points: string[] = [];
  const observer = (point: string) => void points.push(point);
  const store = createFsStore({ directory: "/store", disk: new MemoryDisk(), observer });
  const tool = defineTool({
    name: "count",
    description: "Counts to one.",
    version: "1",
    input: z.object({}),
    state: { at: 0 },
    async *run() {
      yield { progress: 1, total: 1, state: { at: 1 } };
      return {};
    },
  });
  const engine = createEngine({ store, tools: [tool], observer });
  const owner = engine.forOwner("client:o");
  const { record } = await owner.start({ tool: "count", input: {} });
  await owner.wait(record.id);
  await engine.close();
  const first = points.indexOf("engine.checkpoint.before");
  expect(points.slice(first, points.indexOf("engine.checkpoint.after") + 1)).toEqual([
    "engine.checkpoint.before",
    "store.commit.before",
    "store.commit.appended",
    "store.commit.synced",
    "engine.checkpoint.after",
  ]);
});
