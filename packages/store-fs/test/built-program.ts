import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "tsup";
import { afterAll, beforeAll } from "vitest";

/** Builds a program of this folder from the sources as they are, for the tests of a file. @returns its path. */
export function builtProgram(name: string): string {
  const outDir = mkdtempSync(join(tmpdir(), "store-fs-program-"));
  beforeAll(async () => {
    await build({
      entry: [join(import.meta.dirname, `${name}.ts`)],
      outDir,
      config: false,
      format: "esm",
      target: "node20",
      platform: "node",
      noExternal: [/.*/],
      silent: true,
      outExtension: () => ({ js: ".mjs" }),
      esbuildOptions(options) {
        options.conditions = ["@resumable-mcp/source"];
      },
    });
  });
  afterAll(() => rm(outDir, { recursive: true, force: true }));
  return join(outDir, `${name}.mjs`);
}
