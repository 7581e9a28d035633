import type { JsonObject } from "@resumable-mcp/core";
import type { EraAdapter } from "../control/methods.js";
import {
  type Call2026,
  call2026,
  clientFacts,
  type Environment2026,
  type Request2026,
  rightsFor,
} from "./call-2026.js";
import { callTool } from "./call-tool.js";
import { untilDrained } from "./until-drained.js";

/** What an engine's tools need to know of the 2026 era. */
export function makeAdapter(
  environment: Environment2026,
  hasOwnTool: EraAdapter<Request2026, Call2026>["hasOwnTool"],
): EraAdapter<Request2026, Call2026> {
  return {
    call: (request, argument) => call2026(environment, request, argument),
    rightsOf: (request) => rightsFor(environment.options, request),
    showsApps: ({ meta }) => clientFacts(meta).apps,
    runTool: (call, tool, input, request) => callTool(environment, call, tool, input, request),
    whileOpen: untilDrained,
    hasOwnTool,
  };
}

/** Calls one of an engine's tools out of a handler of the server's own: the state and the answers of that are its own. */
export function callForHandler(
  environment: Environment2026,
  name: string,
  input: JsonObject,
  { requestState: _state, inputResponses: _responses, ...request }: Request2026,
): Promise<object> {
  const tool = environment.engine.tool(name);
  return untilDrained(call2026(environment, request), (call) => callTool(environment, call, tool, input, request));
}
