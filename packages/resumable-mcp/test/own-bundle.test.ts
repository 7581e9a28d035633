import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { projectFolder } from "./program.js";

/** Serves, says so, and ends. */
const program = `
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { serve } from "@resumable-mcp/server-http";

const tool = defineTool({ name: "greet", description: "Greets.", input: { type: "object" }, run: async () => "Hello." });
const definition = defineServer({ name: "own", version: "1.0.0", tools: [tool] });
const server = await serve({ definition, store: createMemoryStore(), port: 0 });
console.log((await fetch(new URL("/healthz", server.url))).status);
await server.close();
`;

test("a program that serves can be bundled as one ES module", { timeout: 240_000 }, async () => {
  const outfile = join(await projectFolder(), "program.mjs");
  const contents = { contents: program, resolveDir: import.meta.dirname };
  await build({ stdin: contents, outfile, bundle: true, format: "esm", platform: "node", logLevel: "silent" });
  expect((await promisify(execFile)(process.execPath, [outfile])).stdout).toBe("200\n");
});
