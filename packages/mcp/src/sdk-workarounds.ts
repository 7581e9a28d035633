/**
 * Everything that leans on the inside of an SDK, on its sentences or on its copy of zod: an update of an SDK is checked
 * here and in `call/mask-handlers.ts`. No other file reads private members of an SDK's objects or casts for its types.
 */
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import { rpcCodes } from "@resumable-mcp/protocol";
import { z } from "zod";

/** Passes a value to an SDK, whose types bind schemas, handlers and messages to its own copy of zod. */
export function forSdk(value: unknown): never {
  return value as never;
}

/** What tools, resources and prompts are registered with, without the SDK's own types. */
interface OpenRegistry {
  registerTool(name: string, config: object, handler: unknown): unknown;
  registerResource(name: string, template: unknown, config: object, read: unknown): unknown;
  registerPrompt(name: string, config: object, handler: unknown): unknown;
}

/** The same server, which takes what is not of the SDK's own types. */
export function openRegistry(server: object): OpenRegistry {
  return forSdk(server);
}

/**
 * Lets a server of SDK 2 give its handlers the web request of a message only once they read it: to make one is a tenth of
 * the work of a small call. Messages bring `toWeb` in place of `request`.
 */
export function giveRequestsLate(server: object): void {
  const build: unknown = Reflect.get(server, "buildContext");
  if (typeof build !== "function") throw new Error("This version of the SDK makes contexts in another way.");
  const buildLate = (context: object, message: { readonly toWeb?: (() => Request) | undefined } = {}): object => {
    const built: { http?: object } = Reflect.apply(build, server, [context, message]);
    if (message.toWeb !== undefined)
      built.http = Object.defineProperty(built.http ?? {}, "req", { get: message.toWeb, enumerable: true });
    return built;
  };
  Reflect.set(server, "buildContext", buildLate);
}

/** A handler of requests, as an SDK keeps it. */
export type Handler<Extra> = (request: JsonObject, extra: Extra) => Promise<object>;

/** The handler that a server of either SDK has for a method, whatever {@link interceptRequests} puts before it. */
export function findHandler<Extra>(server: object, method: string): Handler<Extra> | undefined {
  const handlers: unknown = Reflect.get(server, "_requestHandlers");
  return handlers instanceof Map ? Map.prototype.get.call(handlers, method) : undefined;
}

/**
 * Lets what `find` gives handle the requests of a server of either SDK, neither of which has a seam for that.
 *
 * @param find is asked for each request, with the handler that the server has for its method by then.
 */
export function interceptRequests<Extra>(
  server: object,
  find: (method: string, handler: Handler<Extra> | undefined) => Handler<Extra> | undefined,
): void {
  const handlers: unknown = Reflect.get(server, "_requestHandlers");
  if (!(handlers instanceof Map)) throw new Error("This version of the SDK keeps handlers in another way.");
  handlers.get = (method: string) => find(method, findHandler(server, method));
}

/** Whether a `McpServer` of either SDK has a tool of this name. */
export function isRegisteredTool(mcp: object, name: string): boolean {
  const tools: unknown = Reflect.get(mcp, "_registeredTools");
  return typeof tools === "object" && tools !== null && Object.hasOwn(tools, name);
}

/** Whether SDK 1.x drops the promise of sending a message: nothing would handle its rejection. */
export function reportsChange(message: object): boolean {
  const method: unknown = Reflect.get(message, "method");
  return typeof method === "string" && /^notifications\/(?:tools|prompts|resources)\/list_changed$/.test(method);
}

/** Whether SDK 1.x says by this result that it has no tool of this name. */
export function isUnknownTool(name: string, result: object): boolean {
  const content: unknown = Reflect.get(result, "content");
  const block: unknown = Array.isArray(content) ? content[0] : undefined;
  return isJsonObject(block) && block.text === `MCP error ${rpcCodes.invalidParams}: Tool ${name} not found`;
}

const issues = z.array(z.looseObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() })).min(1);
const maxProblems = 10;
const paramsCodes: readonly unknown[] = [rpcCodes.internalError, rpcCodes.invalidParams];

/**
 * Makes a sentence of a response to malformed params: the SDKs pass on what zod says, as JSON text and as an internal
 * error. Every other message stays as it is. Source: JSON-RPC 2.0, "Error object" (-32602).
 */
export function withReadableError<Message extends object>(message: Message): Message {
  const error: unknown = Reflect.get(message, "error");
  if (!isJsonObject(error) || !paramsCodes.includes(error.code) || typeof error.message !== "string") return message;
  const problems = problemsIn(error.message);
  if (problems === undefined) return message;
  return { ...message, error: { code: rpcCodes.invalidParams, message: `Invalid params: ${problems}.` } };
}

function problemsIn(text: string): string | undefined {
  const list = /^(?:MCP error -\d+: )?(?:Invalid [\w/]+ request: )?(\[[\s\S]*\])$/.exec(text)?.[1];
  if (list === undefined) return undefined;
  try {
    return sentenceOfIssues(JSON.parse(list));
  } catch {
    return undefined;
  }
}

/** Makes a sentence of what zod says of params; `undefined` where it is not that. */
export function sentenceOfIssues(value: unknown): string | undefined {
  const sentences = issues.safeParse(value).data?.map(({ path, message }) => {
    const place = path[0] === "params" ? path.slice(1) : path;
    return place.length === 0 ? message : `${place.join(".")}: ${message}`;
  });
  return sentences?.slice(0, maxProblems).join("; ");
}

/** The part of an SDK's `Server` that is connected to a transport. */
export interface ConnectedServer {
  readonly transport?: object | undefined;
}

type TakeMessage = (message: unknown, ...rest: unknown[]) => void;

/** The part of a transport of either SDK that is watched; its messages are only passed on. */
interface Wire {
  send(message: unknown, ...rest: unknown[]): Promise<void>;
  onmessage?: TakeMessage | undefined;
}

/**
 * Gives what hands requests to a server that has just connected to a transport. The SDKs find out by three schemas what kind
 * of message each is, which is a tenth of the work of a small call; the requests that are handed on here are well-formed. What
 * watches the messages of the transport by now or later gets them as before.
 */
export function requestsTo(server: object, transport: object): TakeMessage {
  const low: object = Reflect.get(server, "server") ?? server;
  const wire: Pick<Wire, "onmessage"> = forSdk(transport);
  const { onmessage } = wire;
  return (...message) => {
    const take: unknown = wire.onmessage === onmessage ? Reflect.get(low, "_onrequest") : undefined;
    if (typeof take === "function") Reflect.apply(take, low, message);
    else wire.onmessage?.(...message);
  };
}

/**
 * Watches the messages that pass a transport, of either SDK: neither says when a message was sent.
 *
 * @param sending is waited for before a message is sent; what it gives is called afterwards.
 */
export function watchTransport(
  transport: object,
  sending: (message: unknown) => Promise<(() => void) | undefined> | undefined,
  received: (message: unknown) => void,
): void {
  const wire: Wire = forSdk(transport);
  const { send, onmessage } = wire;
  const sendWatched = async (before: Promise<(() => void) | undefined>, ...args: Parameters<Wire["send"]>) => {
    const sent = await before;
    await send.apply(wire, args);
    sent?.();
  };
  wire.send = (...args) => {
    const before = sending(args[0]);
    return before === undefined ? send.apply(wire, args) : sendWatched(before, ...args);
  };
  wire.onmessage = (message, ...rest) => {
    received(message);
    onmessage?.call(wire, message, ...rest);
  };
}
