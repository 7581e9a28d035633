import { setTimeout as pause } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import {
  envelopeKeys,
  isLogLevel,
  logLevels,
  repeatedParts,
  rpcCodes,
  tasksExtension,
  toText,
} from "@resumable-mcp/protocol";
import { checkpointExtension } from "../call/checkpoint.js";
import { wrapLimits } from "../limits.js";
import { ConnectionLost, type Peer, type RequestOptions } from "./peer.js";

/** The version that is spoken with servers that know no sessions. */
const revision = "2026-07-28";

/** What a call of a tool can do for its server. */
const capabilitiesOfCalls = {
  elicitation: { form: {}, url: {} },
  sampling: {},
  roots: {},
  extensions: { [tasksExtension]: {}, [checkpointExtension]: {} },
};

/** What a server tells of, by its capability. */
const changes = { tools: "toolsListChanged", prompts: "promptsListChanged", resources: "resourcesListChanged" };

/** What requests are made with. */
export interface Requests2026Options {
  readonly clientInfo: JsonObject;
  /** A tool of the server, as it lists it. */
  readonly findTool: (name: unknown) => JsonObject | undefined;
  /** What may have changed without this process hearing of it, as the server would have sent it. */
  readonly onMissed: (method: string, params: JsonObject) => void;
}

/**
 * The requests to a server of the 2026 era: each says by itself what a session says in the 2025 era.
 *
 * Source: MCP 2026-07-28, Basic, "_meta"; Transports, "Standard Headers"; Utilities, "Subscriptions".
 */
export class Requests2026 {
  readonly #peer: Peer;
  readonly #options: Requests2026Options;
  readonly #uris = new Set<string>();
  #listening = new AbortController();
  #heard: readonly (readonly [part: string, change: string])[] = [];
  #logLevel = "info";

  constructor(peer: Peer, options: Requests2026Options) {
    this.#peer = peer;
    this.#options = options;
  }

  /** What belongs to no call: the server can ask for nothing in between. */
  async request(method: string, params: JsonObject, options?: RequestOptions): Promise<UpstreamResponse> {
    switch (method) {
      case "logging/setLevel":
        if (!isLogLevel(params.level))
          return { error: { code: rpcCodes.invalidParams, message: `level must be one of ${logLevels.join(", ")}.` } };
        this.#logLevel = params.level;
        return { result: {} };
      case "resources/subscribe":
      case "resources/unsubscribe": {
        if (method === "resources/subscribe") this.#uris.add(toText(params.uri));
        else this.#uris.delete(toText(params.uri));
        this.#listen();
        return { result: {} };
      }
      default:
        return this.#send(method, params, Object(Object(params._meta)[envelopeKeys.clientCapabilities]), options);
    }
  }

  /** What belongs to the call of a tool. */
  call(method: string, params: JsonObject, options: RequestOptions): Promise<UpstreamResponse> {
    return this.#send(method, params, capabilitiesOfCalls, options);
  }

  /** Asks to hear what changes, for as long as the connection lasts. */
  listen(capabilities: JsonObject): void {
    const tells = ([part]: readonly [string, string]) => Object(capabilities[part]).listChanged === true;
    this.#heard = Object.entries(changes).filter(tells);
    this.#listen();
  }

  #listen(): void {
    const before = this.#listening;
    this.#listening = new AbortController();
    if (this.#heard.length + this.#uris.size > 0) void this.#hear(this.#listening.signal);
    before.abort(new Error("Another subscription takes its place."));
  }

  /** Until the server says that it cannot, or another subscription takes its place. */
  async #hear(signal: AbortSignal): Promise<void> {
    const notifications = {
      ...Object.fromEntries(this.#heard.map(([, change]) => [change, true])),
      ...(this.#uris.size > 0 && { resourceSubscriptions: [...this.#uris] }),
    };
    const { restartDelayMs, maxRestartDelayMs } = wrapLimits;
    for (let delayMs = restartDelayMs; !signal.aborted && !this.#peer.isLost; delayMs *= 2) {
      const hearing = this.#send("subscriptions/listen", { notifications }, {}, { signal, isAside: true });
      if (delayMs > restartDelayMs) this.#noteMissed();
      const ended = await hearing.catch(() => undefined);
      if (ended !== undefined && "error" in ended) return;
      await pause(Math.min(delayMs, maxRestartDelayMs), undefined, { signal, ref: false }).catch(() => {});
    }
  }

  #noteMissed(): void {
    for (const [part] of this.#heard) this.#options.onMissed(`notifications/${part}/list_changed`, {});
    for (const uri of this.#uris) this.#options.onMissed("notifications/resources/updated", { uri });
  }

  async #send(
    method: string,
    params: JsonObject,
    capabilities: JsonObject,
    options?: RequestOptions,
  ): Promise<UpstreamResponse> {
    const _meta = {
      [envelopeKeys.logLevel]: this.#logLevel,
      ...Object(params._meta),
      [envelopeKeys.protocolVersion]: revision,
      [envelopeKeys.clientInfo]: this.#options.clientInfo,
      [envelopeKeys.clientCapabilities]: capabilities,
    };
    const schema = method === "tools/call" ? this.#options.findTool(params.name)?.inputSchema : undefined;
    const headers = headersFor(method, params, isJsonObject(schema) ? schema : undefined);
    const response = await this.#peer.request(method, { ...params, _meta }, { ...options, headers });
    return "result" in response ? { result: withoutType(response.result) } : response;
  }
}

/**
 * Asks a server what it is. Resolves to what it says, or to `undefined` where it does not speak the 2026 era.
 *
 * @throws {@link ConnectionLost} where it has not heard that.
 */
export async function discover(requests: Requests2026): Promise<JsonObject | undefined> {
  try {
    const response = await requests.request("server/discover", {});
    const { supportedVersions, ...said }: JsonObject = "result" in response ? response.result : {};
    return Array.isArray(supportedVersions) && supportedVersions.includes(revision) ? said : undefined;
  } catch (error) {
    if (error instanceof ConnectionLost && error.refused) return undefined;
    throw error;
  }
}

/** That a result is complete says only that nothing else is to be done. */
export function withoutType({ resultType, ...result }: JsonObject): JsonObject {
  return resultType === "complete" || resultType === undefined ? result : { resultType, ...result };
}

function headersFor(method: string, params: JsonObject, schema: JsonObject | undefined): Record<string, string> {
  const repeated = repeatedParts(method, params, schema).map(({ header, value }) => [header, inHeader(String(value))]);
  return { "MCP-Protocol-Version": revision, "Mcp-Method": method, ...Object.fromEntries(repeated) };
}

/** Text that no header may hold is sent as Base64. */
function inHeader(text: string): string {
  const isPlain = /^[!-~]([\t -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${Buffer.from(text).toString("base64")}?=`;
}
