import { isJsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { parseCallMeta } from "../call/call-meta.js";
import { maxClientIdLength } from "./client-id.js";
import { clientIdArgument } from "./client-id-argument.js";

/** The part of a request that names its caller. */
export interface NamedRequest {
  readonly params?: { readonly [key: string]: unknown } | undefined;
}

/** A request with its caller, and the client that its session has from then on. */
export interface Attributed<Request> {
  readonly request: Request;
  readonly clientId: string | undefined;
}

/**
 * Attributes a request to the client that it names, else to the one that its session named last. The name stays in the
 * request, so that a delivery after a restart has the same caller, whatever the session named since. Pure.
 *
 * @param known the client that the session named last.
 * @param takesArgument whether the request calls a tool whose argument `client_id` names the caller.
 */
export function attribute<Request extends NamedRequest>(
  request: Request,
  known: string | undefined,
  takesArgument: boolean,
): Attributed<Request> {
  const named = namedClient(request, takesArgument);
  if (named !== undefined) return { request, clientId: named.length <= maxClientIdLength ? named : known };
  return { request: known === undefined ? request : withClient(request, known), clientId: known };
}

/** Whether a request names its client if its tool takes the argument `client_id`, and else names none. Pure. */
export function isNamedByArgument(request: NamedRequest): boolean {
  return namedClient(request, false) === undefined && namedClient(request, true) !== undefined;
}

/** `_meta` comes before the argument. */
function namedClient({ params }: NamedRequest, takesArgument: boolean): string | undefined {
  const { clientId } = parseCallMeta(params?._meta);
  return clientId ?? (takesArgument ? clientIdArgument(params?.arguments) : undefined);
}

/** A request whose `_meta` is malformed stays as it is: its server refuses it. */
function withClient<Request extends NamedRequest>(request: Request, clientId: string): Request {
  const meta = request.params?._meta;
  if (meta !== undefined && !isJsonObject(meta)) return request;
  return { ...request, params: { ...request.params, _meta: { ...meta, [metaKeys.clientId]: clientId } } };
}
