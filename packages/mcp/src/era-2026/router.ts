import { InMemoryServerEventBus, mergeCapabilities } from "@modelcontextprotocol/server";
import type { Engine, JsonObject } from "@resumable-mcp/core";
import { tellLocal } from "../control/instructions.js";
import type { RegisterToolsOptions } from "../control/methods.js";
import { ownMethods } from "../control/own-methods.js";
import { makePanel } from "../control/panel.js";
import { Router } from "../control/router.js";
import { ownToolNames } from "../control/tool-list.js";
import { isForAll, upstreamServer } from "../control/upstream.js";
import type { ServerDefinition } from "../define-server.js";
import type { OperatorScopes } from "../owner/operator.js";
import type { VerifiedToken } from "../owner/owner.js";
import { callForHandler, makeAdapter } from "./adapter.js";
import {
  type CallOptions2026,
  call2026,
  type Environment2026,
  originOf2026,
  type Request2026,
  rightsFor,
} from "./call-2026.js";
import { discovery, offered2026, resultOnWire } from "./discovery.js";
import { storedSigningKey } from "./engine-state.js";
import type { Asking2026, Message2026 } from "./read-message.js";
import { SetupServer } from "./setup-server.js";
import { changeIn, Listener, makeNotifier } from "./subscriptions/listener.js";
import { taskMethods } from "./tasks/task-methods.js";

/** How a definition is served to clients of the 2026 era. */
export interface RouterOptions extends Pick<CallOptions2026, "singleUser" | "handoff">, OperatorScopes {
  readonly definition: ServerDefinition;
  readonly engine: Engine;
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Makes what callers see of what the code of `setup2026` threw. Default: the error itself. */
  readonly maskThrown?: ((error: unknown) => unknown) | undefined;
  /** Subscriptions that are open at once. Default 8192. */
  readonly maxSubscriptions?: number | undefined;
  /** The same, of one owner. Default 128. */
  readonly maxSubscriptionsPerOwner?: number | undefined;
  /** Hears of what the code of `setup2026` sends outside a request, but for changes: those are for subscriptions. */
  readonly onOther?: ((message: JsonObject) => void) | undefined;
}

/** Answers the requests of clients of the 2026 era: those for the engine's tools and tasks itself, all others by what `setup2026` gave. */
export class Router2026 {
  /** Serves subscriptions. */
  readonly listener: Listener;
  readonly #bus = new InMemoryServerEventBus();
  readonly #definition: ServerDefinition;
  readonly #options: RouterOptions & RegisterToolsOptions<Request2026>;
  readonly #environment: Environment2026;
  readonly #router: Router<Request2026>;
  #building: Promise<SetupServer> | undefined;
  #setup: SetupServer | undefined;

  constructor({ definition, engine, ...options }: RouterOptions) {
    const { controlTools, upstream } = definition;
    const panel = makePanel(definition);
    this.#definition = definition;
    this.#options = {
      ...{ definition, engine, ...options, controlTools, panel },
      get prefix() {
        return definition.prefix;
      },
    };
    this.#environment = { engine, options: this.#options, signingKey: storedSigningKey(engine) };
    const other =
      upstream && upstreamServer(upstream, "2026", (request: Request2026) => call2026(this.#environment, request));
    upstream?.watch((change) => {
      const event = isForAll(change) ? changeIn({ ...change }) : undefined;
      if (event !== undefined) this.#bus.publish(event);
    });
    const hasOwnTool = (name: string) => this.#setup?.hasTool(name) === true;
    this.#router = new Router({
      methods: {
        ...ownMethods(engine, this.#options, makeAdapter(this.#environment, hasOwnTool)),
        ...taskMethods(this.#environment),
        "server/discover": async (_params, request) => this.#discover(request),
      },
      otherOf: () => other ?? this.#setup,
      originOf: originOf2026,
      isOwnTool: ownToolNames(engine, this.#options),
    });
    const capabilities = () => this.#capabilities;
    this.listener = new Listener({ ...options, engine, server: definition, bus: this.#bus, capabilities, upstream });
  }

  /** Resolves when what `setup2026` gives is there. */
  async ready(): Promise<void> {
    if (this.#definition.setup2026 === undefined || this.#setup !== undefined) return;
    const { engine } = this.#options;
    this.#building ??= SetupServer.build(this.#definition, engine, this.#options, {
      changes: makeNotifier(this.#bus),
      callTool: (tool, input, request) => callForHandler(this.#environment, tool, input, request),
      onOther: (message) => {
        const change = changeIn(message);
        if (change === undefined) this.#options.onOther?.(message);
        else this.#bus.publish(change);
      },
    });
    try {
      this.#setup = await this.#building;
    } finally {
      // The next request tries again.
      this.#building = undefined;
    }
  }

  get #capabilities(): JsonObject {
    const { mcp } = this.#setup ?? {};
    return {
      ...(mcp === undefined ? offered2026 : mergeCapabilities(mcp.server.getCapabilities(), offered2026)),
    } as JsonObject;
  }

  /** The schema of a tool's arguments; `undefined` for an unknown tool. */
  inputSchema(name: string): JsonObject | undefined {
    const tool = this.#options.engine.tools.find((one) => one.name === name);
    return tool?.inputJsonSchema ?? (this.#setup?.mcp.toolInputSchemaJson(name) as JsonObject | undefined);
  }

  /** What the code of `setup2026` demands of the token of a request, where that has too few scopes. */
  async challenge(message: Asking2026, token: VerifiedToken | undefined): Promise<Response | undefined> {
    return this.#setup?.challenge(message, token);
  }

  async answer({ method, params }: Pick<Message2026, "method" | "params">, request: Request2026): Promise<JsonObject> {
    const result = await this.#router.answer(method, params, request);
    return resultOnWire(method, result, this.#definition);
  }

  #discover(request: Request2026): JsonObject {
    const { token, locality } = rightsFor(this.#options, request);
    const answer = discovery(this.#definition, this.#capabilities);
    return token === undefined && locality.local ? tellLocal(answer) : answer;
  }
}

/** What answers the requests of an endpoint or a connection. */
export type Answers2026 = Pick<Router2026, "listener" | "ready" | "inputSchema" | "challenge" | "answer">;
