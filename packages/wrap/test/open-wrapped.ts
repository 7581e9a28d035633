import { createEngine, createMemoryStore } from "@resumable-mcp/core";
import { serveUpstream } from "@resumable-mcp/mcp/define-server";
import { onTestFinished } from "vitest";
import { type WrapOptions, wrap } from "../src/index.js";
import { wrapLimits } from "../src/limits.js";

type EngineOptions = Partial<Pick<Parameters<typeof createEngine>[0], "store" | "limits">>;

/** Makes a limit smaller until the end of the test, so that little is too much. */
export function lowerLimit(name: keyof typeof wrapLimits, value: number): void {
  const { [name]: usual } = wrapLimits;
  Object.assign(wrapLimits, { [name]: value });
  onTestFinished(() => void Object.assign(wrapLimits, { [name]: usual }));
}

/** Opens a wrapped server behind an engine, which keeps its tasks in memory by default; both are closed after the test. */
export async function openWrapped(options: WrapOptions, engineOptions: EngineOptions = {}) {
  const definition = await wrap(options);
  const engine = createEngine({ store: createMemoryStore(), ...engineOptions, tools: definition.tools });
  serveUpstream(engine, definition);
  const close = async () => {
    await engine.close();
    await definition.upstream?.close();
  };
  onTestFinished(close);
  return { definition, engine, tasks: engine.forOwner("local:test"), close };
}
