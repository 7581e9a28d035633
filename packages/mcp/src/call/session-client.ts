import { isJsonObject, type JsonObject, type Tool } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { isClientId } from "../owner/client-id.js";
import type { Locality } from "../owner/owner.js";
import { type CallMeta, claimsVersion, namedInMeta } from "./call.js";

/** The part of a request that names its caller. */
export interface NamedRequest {
  readonly params?: { readonly [key: string]: unknown } | undefined;
}

/** Who calls, by one request of a session. */
export interface SessionClient {
  /** The client that the session has from then on. */
  readonly named: string | undefined;
  /** The request itself says who calls. */
  readonly isNamed: boolean;
}

/**
 * Finds the client that a request names, else the one that its session named last. Pure.
 *
 * @param known the client that the session named last.
 * @param takesArgument whether the request calls a tool whose argument `client_id` names the caller.
 */
export function sessionClient(request: NamedRequest, known: string | undefined, takesArgument: boolean): SessionClient {
  const named = namedClient(request, takesArgument);
  return { named: named !== undefined && isClientId(named) ? named : known, isNamed: named !== undefined };
}

/** Whether a request names its client if its tool takes the argument `client_id`, and else names none. Pure. */
export function isNamedByArgument(request: NamedRequest): boolean {
  return namedClient(request, false) === undefined && namedClient(request, true) !== undefined;
}

/** `_meta` comes before the argument. */
function namedClient({ params }: NamedRequest, takesArgument: boolean): string | undefined {
  return namedInMeta(params?._meta) ?? (takesArgument ? clientIdArgument(params?.arguments) : undefined);
}

/** What a supervisor added before stays. A request whose `_meta` is malformed stays as it is: its server refuses it. */
function withClient<Request extends NamedRequest>(request: Request, clientId: string): Request {
  const meta = request.params?._meta;
  if (meta !== undefined && !isJsonObject(meta)) return request;
  return { ...request, params: { ...request.params, _meta: { [metaKeys.sessionClientId]: clientId, ...meta } } };
}

/** Adds the argument `client_id` to what is listed. */
export function withClientId(schema: JsonObject): JsonObject {
  const properties = typeof schema.properties === "object" ? schema.properties : {};
  const description = "Set by the client program, to find its tasks again. Do not invent one.";
  return { ...schema, properties: { ...properties, client_id: { type: "string", description } } };
}

/** Whether a tool's schema declares `client_id` as an argument of its own, at its root or in a part of it. Pure. */
export function declaresClientId(schema: unknown, root: unknown = schema, seen = new Set<unknown>()): boolean {
  if (!isJsonObject(schema) || seen.has(schema)) return false;
  seen.add(schema);
  const { properties, allOf, anyOf, oneOf, then, else: otherwise, $ref } = schema;
  if (isJsonObject(properties) && Object.hasOwn(properties, "client_id")) return true;
  const definition = typeof $ref === "string" && $ref.startsWith("#/") ? $ref.slice(2).split("/") : [];
  const referred = definition.reduce<unknown>((part, key) => (isJsonObject(part) ? part[key] : undefined), root);
  return [allOf, anyOf, oneOf, then, otherwise, definition.length > 0 ? referred : undefined]
    .flat()
    .some((part) => declaresClientId(part, root, seen));
}

/** What a call's argument `client_id` says of its caller. */
export interface ClientArgument {
  readonly clientId?: string | undefined;
  /** It is the tool's data, too, and names the callers of local requests alone. */
  readonly isData?: boolean;
}

/** Reads the argument `client_id` out of a tool's input, and takes it out where it is not the tool's own. */
export function splitClientId(
  input: JsonObject,
  tool?: Pick<Tool, "inputJsonSchema" | "clientIdArgument">,
): ClientArgument & { readonly rest: JsonObject } {
  if (!Object.hasOwn(input, "client_id")) return { rest: input };
  const clientId = clientIdArgument(input);
  if (declaresClientId(tool?.inputJsonSchema)) {
    return { clientId, isData: tool?.clientIdArgument !== true, rest: input };
  }
  const { client_id: _given, ...rest } = input;
  return { clientId, rest };
}

/** The client that a request names; `_meta` comes before the argument. */
export function findClient(
  { clientId: named }: Pick<CallMeta, "clientId">,
  { clientId, isData = false }: ClientArgument,
  { local }: Locality,
): string | undefined {
  if (named !== undefined || !isData) return named ?? clientId;
  return local && clientId !== undefined && isClientId(clientId) ? clientId : undefined;
}

/** Reads the argument `client_id`; an empty one counts as absent, since models fill in what they do not know. */
function clientIdArgument(input: unknown): string | undefined {
  const given = isJsonObject(input) ? input.client_id : undefined;
  return typeof given === "string" && given !== "" ? given : undefined;
}

type ConnectionRequest = NamedRequest & { readonly method: string };

/**
 * The client that the requests of one connection over stdio named last. Requests of the 2026 era name their client
 * themselves: they take no part. No I/O in here.
 */
export class ConnectionClient {
  #clientId: string | undefined;

  /** Whether the caller depends on what the listed tool says of its argument `client_id`. */
  needsTools(request: ConnectionRequest): boolean {
    return request.method === "tools/call" && !claimsVersion(request) && isNamedByArgument(request);
  }

  /** Takes the requests in the order of their arrival; gives each as the server gets it, in every delivery. */
  attribute<Request extends ConnectionRequest>(request: Request, takesArgument: boolean): Request {
    if (claimsVersion(request)) return request;
    // What opens the connection can name its client, and has none yet.
    const known = request.method === "initialize" ? undefined : this.#clientId;
    const { named, isNamed } = sessionClient(request, known, takesArgument);
    this.#clientId = named ?? this.#clientId;
    return isNamed || known === undefined ? request : withClient(request, known);
  }
}
