import { type Engine, isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { isAtLeast, readRpcId, rpcCodes, rpcErrorResponse, toText } from "@resumable-mcp/protocol";
import { paramsOf } from "../call/call.js";
import { type PipeOptions, type PipeRequest, PipeRequests } from "../call/pipe-requests.js";
import { RpcError } from "../call/rpc-error.js";
import { ConnectionClient } from "../call/session-client.js";
import { makePanel } from "../control/panel.js";
import type { ServerDefinition } from "../define-server.js";
import type { JSONRPCRequest } from "../sdk-2025.js";
import { forSdk } from "../sdk-workarounds.js";
import type { Connection2025, Request2025 } from "./call-2025.js";
import { OtherServer2025 } from "./other-server.js";
import { isRequest, isWellFormed, readMessage } from "./read-message.js";
import { Router2025 } from "./router.js";
import { setupServer } from "./setup.js";
import { Watches } from "./watches.js";

/** What a connection over stdio is served with. */
export interface StdioOptions2025 extends PipeOptions {
  readonly definition: ServerDefinition;
  readonly engine: Engine;
  readonly handoff?: boolean | undefined;
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
}

/** Serves one client of the 2025 era over stdio. Its requests are carried out in the order in which they come. */
export class StdioConnection2025 {
  readonly #requests: PipeRequests;
  readonly #router: Router2025;
  readonly #client = new ConnectionClient();
  readonly #closing = new AbortController();
  readonly #asked = new Map<string | number, (response: JsonObject | undefined) => void>();
  readonly #connection: Connection2025;
  #other: OtherServer2025 | undefined;
  #initialize: JsonObject = {};
  #level = "debug";
  #entered: Promise<void> = Promise.resolve();

  private constructor({ definition, engine, ...options }: StdioOptions2025) {
    this.#requests = new PipeRequests(options);
    const panel = makePanel(definition);
    const { controlTools } = definition;
    const given = {
      ...{ ...options, panel, controlTools },
      get prefix() {
        return definition.prefix;
      },
    };
    this.#router = new Router2025({ engine, definition, options: given });
    const self = this;
    this.#connection = {
      get client() {
        const { clientInfo, capabilities } = self.#initialize;
        return {
          name: isJsonObject(clientInfo) ? toText(clientInfo.name) : undefined,
          capabilities: Object(capabilities),
        };
      },
      get other() {
        return self.#other;
      },
      watches: new Watches({
        tell: (notification) => this.#requests.write({ jsonrpc: "2.0", ...notification }),
        closed: () => this.#closing.signal,
        onError: options.onError,
      }),
      wantsLog: (level) => isAtLeast(level, this.#level),
      setLevel: async (level) => {
        this.#level = level;
      },
    };
  }

  static async open(options: StdioOptions2025): Promise<StdioConnection2025> {
    const made = new StdioConnection2025(options);
    const { definition, engine, maskThrown } = options;
    const unwatch = definition.upstream?.watch((change) => made.#requests.send({ jsonrpc: "2.0", ...change }));
    if (unwatch !== undefined) made.#closing.signal.addEventListener("abort", unwatch);
    const server = await setupServer(definition, engine, { controlTools: definition.controlTools, maskThrown });
    if (server !== undefined)
      made.#other = await OtherServer2025.connect(server, { send: (message) => made.#requests.write(message) });
    return made;
  }

  /** Takes one message of the client; resolves when it has entered. */
  receive(message: object): Promise<void> {
    const entered = this.#entered.then(() => this.#enter(message));
    this.#entered = entered.catch(() => {});
    return entered;
  }

  /** The client closed the connection. */
  end(): void {
    this.#requests.end();
    this.#closing.abort("closed");
  }

  async close(): Promise<void> {
    this.end();
    await this.#other?.close();
  }

  async #enter(given: object): Promise<void> {
    if (this.#requests.cancels(given)) return;
    const message = readMessage(given);
    const { id, method }: JsonObject = isJsonObject(given) ? given : {};
    if (message === undefined || (isRequest(message) && !isWellFormed(message))) {
      const text = "Invalid Request: the id, the params or the _meta of the request are malformed.";
      if (id !== undefined && typeof method === "string")
        this.#requests.send(rpcErrorResponse(readRpcId(id), rpcCodes.invalidRequest, text));
    } else if (isRequest(message)) {
      if (message.method === "initialize") this.#initialize = paramsOf(forSdk(message));
      const request = this.#client.attribute(message, await this.#takesClientId(message));
      void this.#requests.serve(request.id, (pipe) => this.#answer(request, pipe));
    } else if ("method" in message) this.#other?.receive(message);
    else this.#takeAnswer(forSdk(message));
  }

  /** Whether a request calls a tool whose argument `client_id` names the caller. */
  async #takesClientId(message: JSONRPCRequest): Promise<boolean> {
    if (!this.#client.needsTools(message)) return false;
    const name = toText(message.params?.name);
    const facts = this.#router.factsOf(name) ?? (await this.#other?.factsOf(name));
    return facts?.clientArgument !== undefined;
  }

  #answer({ id, method, ...message }: JSONRPCRequest, { ending, send, carry }: PipeRequest): Promise<object> {
    const params = paramsOf(forSdk(message));
    const request: Request2025 = {
      ...{ ending, carry, requestId: id, connection: this.#connection, _meta: Object(params._meta) },
      sendNotification: send,
      sendRequest: (asked, _schema, options) => this.#ask(asked, options ?? { signal: ending.signal }),
      relay: (message) => this.#requests.write(message),
      left: () => (this.#requests.closed ? "gone" : "cancelled"),
    };
    return this.#router.answer(method, params, request);
  }

  async #ask(asked: JsonObject, { signal }: { readonly signal: AbortSignal }): Promise<JsonObject> {
    const id = `question-${crypto.randomUUID()}`;
    const answered = new Promise<JsonObject | undefined>((resolve) => {
      this.#asked.set(id, resolve);
    });
    const leave = () => this.#asked.get(id)?.(undefined);
    signal.addEventListener("abort", leave);
    await this.#requests.write({ jsonrpc: "2.0", id, ...asked });
    const response = await answered;
    signal.removeEventListener("abort", leave);
    this.#asked.delete(id);
    if (isJsonObject(response?.result)) return response.result;
    if (response !== undefined) throw new RpcError(rpcCodes.internalError, toText(Object(response.error).message));
    const params = { requestId: id, reason: String(signal.reason) };
    this.#requests.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    throw new RpcError(rpcCodes.internalError, "The question is asked no longer.");
  }

  #takeAnswer(response: JsonObject): void {
    const answered = this.#asked.get(toText(response.id));
    if (answered === undefined) this.#other?.receive(forSdk(response));
    else answered(response);
  }
}
