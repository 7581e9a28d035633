import type { JsonObject } from "@resumable-mcp/core";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { RpcError } from "../call/rpc-error.js";
import { type RequestOrigin, tracedRequest } from "../call/traced-requests.js";
import type { Methods } from "./methods.js";
import { checkParams } from "./params.js";

/** What a server offers in addition to an engine's tools: what its author gave it. */
export interface OtherServer<Context> {
  /** Asks it what a client asked. @throws {@link RpcError} what it answers with. */
  ask(context: Context, method: string, params: JsonObject): Promise<JsonObject>;
  /** Whether it has a tool of this name. */
  hasTool(name: string): boolean;
  /** Whether it answers requests of this method. */
  hasMethod(method: string): boolean;
}

/** What a router of one era is made of. */
export interface RouterParts<Context> {
  /** What is answered here. */
  readonly methods: Methods<Context>;
  readonly otherOf: (context: Context) => OtherServer<Context> | undefined;
  readonly originOf: (context: Context) => RequestOrigin;
  /** Whether a tool is one of ours; names that callers make up are none in traces. */
  readonly isOwnTool: (name: string) => boolean;
}

/** Answers requests of either era: those for the engine's tools and tasks itself, all others by what the server's author gave it. */
export class Router<Context> {
  readonly #parts: RouterParts<Context>;

  constructor(parts: RouterParts<Context>) {
    this.#parts = parts;
  }

  /** The names of what is answered here. */
  get methods(): readonly string[] {
    return Object.keys(this.#parts.methods);
  }

  answer(method: string, params: JsonObject, context: Context): Promise<object> {
    const { methods, otherOf, originOf } = this.#parts;
    const other = otherOf(context);
    const run = () => this.run(method, params, context);
    // What callers make up names no span and no series.
    if (!Object.hasOwn(methods, method) && other?.hasMethod(method) !== true) return run();
    return tracedRequest(method, this.#calledTool(method, params, other), originOf(context), run);
  }

  /** The same without traces and measures. */
  async run(method: string, params: JsonObject, context: Context): Promise<object> {
    const { methods, otherOf } = this.#parts;
    const next = async () => otherOf(context)?.ask(context, method, params) ?? withoutOther(method, params);
    const own = Object.hasOwn(methods, method) ? methods[method] : undefined;
    if (own === undefined) return next();
    checkParams(method, params);
    return own(params, context, next);
  }

  #calledTool(method: string, { name }: JsonObject, other: OtherServer<Context> | undefined): string | undefined {
    if (method !== "tools/call" || typeof name !== "string") return undefined;
    return this.#parts.isOwnTool(name) || other?.hasTool(name) === true ? name : undefined;
  }
}

/** What a server answers that has nothing of its author's. */
export function withoutOther(method: string, { name, uri }: JsonObject): JsonObject {
  switch (method) {
    case "tools/list":
      return { tools: [] };
    case "resources/list":
      return { resources: [] };
    case "resources/templates/list":
      return { resourceTemplates: [] };
    case "prompts/list":
      return { prompts: [] };
    case "resources/read":
      throw new RpcError(rpcCodes.invalidParams, `Resource not found: ${toText(uri)}`, { uri: toText(uri) });
    case "tools/call":
      throw new RpcError(rpcCodes.invalidParams, `Tool ${toText(name)} not found`);
    case "prompts/get":
      throw new RpcError(rpcCodes.invalidParams, `Prompt ${toText(name)} not found`);
    default:
      throw new RpcError(rpcCodes.methodNotFound, "Method not found");
  }
}
