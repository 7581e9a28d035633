import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { serveUpstream } from "@resumable-mcp/mcp/define-server";
import { onTestFinished } from "vitest";
import { type WrapOptions, wrap } from "../src/index.js";

/** Opens a wrapped server behind an engine that keeps its tasks in memory; both are closed after the test. */
export async function openWrapped(options: WrapOptions) {
  const definition = await wrap(options);
  const engine = createEngine({ store: createMemoryStore(), tools: definition.tools });
  serveUpstream(engine, definition);
  onTestFinished(async () => {
    await engine.close();
    await definition.upstream?.close();
  });
  return { definition, engine, tasks: engine.forOwner("local:test") };
}
