import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { envelopeKeys } from "@resumable-mcp/protocol";
import type { Call } from "../call/call.js";
import { RpcError } from "../call/rpc-error.js";
import type { Era, Upstream, UpstreamChange } from "../define-server.js";
import { limits } from "../limits.js";
import { type OtherServer, withoutOther } from "./router.js";

/** The methods that pass through to the server whose tools these are, by the capability that it declares for them. */
const passed: Readonly<Record<string, string>> = {
  "resources/list": "resources",
  "resources/templates/list": "resources",
  "resources/read": "resources",
  "prompts/list": "prompts",
  "prompts/get": "prompts",
  "completion/complete": "completions",
  "logging/setLevel": "logging",
};

/** Only sessions have it. Source: MCP 2026-07-28, Key Changes. */
const removed2026 = "logging/setLevel";

/** Answers by another server what is neither a call of a tool nor ours. */
export function upstreamServer<Context>(
  upstream: Upstream,
  era: Era,
  callOf: (context: Context) => Call,
): OtherServer<Context> {
  const hasMethod = (method: string) => {
    const isKnown = Object.hasOwn(passed, method) && !(era === "2026" && method === removed2026);
    const capability = isKnown ? passed[method] : undefined;
    return capability !== undefined && upstream.capabilities[capability] !== undefined;
  };
  return {
    hasMethod,
    // Its tools are ours.
    hasTool: () => false,
    async ask(context, method, params) {
      if (!hasMethod(method)) return withoutOther(method, params);
      const { tasks, signal } = callOf(context);
      const response = await upstream.ask({ owner: tasks.owner, era, method, params: passedParams(params), signal });
      if ("error" in response) throw RpcError.of(response.error);
      return response.result;
    },
  };
}

/** Without what a client says to this server alone, such as its revision and where its progress goes; with what it can. */
function passedParams({ _meta, ...params }: JsonObject): JsonObject {
  const isOurs = (key: string) =>
    key !== envelopeKeys.clientCapabilities &&
    (key === "progressToken" || /^(io\.modelcontextprotocol|resumable-mcp)\//.test(key));
  const meta = Object.entries(isJsonObject(_meta) ? _meta : {}).filter(([key]) => !isOurs(key));
  return meta.length === 0 ? params : { ...params, _meta: Object.fromEntries(meta) };
}

/** Whether a change is for clients of all owners: a list. What else a server sends may name what is one owner's. */
export function isForAll({ method }: UpstreamChange): boolean {
  return /^notifications\/(tools|prompts|resources)\/list_changed$/.test(method);
}

/**
 * Tells of resources that change, one after the other: what changes again before that is reported once.
 *
 * Limits: `maxChangedResources`; beyond it the whole of what was subscribed to has changed.
 */
export function tellUpdates(subscribed: string, tell: (uri: string) => Promise<void>): (uri: string) => void {
  const changed = new Set<string>();
  let isTelling = false;
  const tellAll = async (): Promise<void> => {
    isTelling = true;
    for (const uri of changed) {
      changed.delete(uri);
      await tell(uri);
    }
    isTelling = false;
  };
  return (uri) => {
    changed.add(changed.size < limits.maxChangedResources ? uri : subscribed);
    if (!isTelling) void tellAll();
  };
}
