import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { z } from "zod";
import { limits } from "../../limits.js";
import type { DocumentKind, KeptDocument } from "./kept-document.js";

const jsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;

const cancelledCall = z.object({
  requestId: z.union([z.string(), z.number()]),
  /** When, in milliseconds of the wall clock: a client that begins its ids again makes another request of the same id. */
  atMs: z.number(),
  /** Of the token that cancelled it; absent for the user of this machine. */
  scopes: z.array(z.string()).optional(),
});

const sessionFacts = z.object({
  /** Signs the names of the session's streams. */
  key: z.string(),
  protocolVersion: z.string(),
  /** Params of the client's `initialize` request. */
  initialize: jsonObject,
  /** Params of its last `logging/setLevel` request. */
  logLevel: jsonObject.optional(),
  /** The client that the session named last: the caller of every request that names none. */
  clientId: z.string().optional(),
  /** A local request opened it. */
  local: z.boolean().optional(),
  /** A stranger opened it, and has done nothing with it. */
  unused: z.boolean().optional(),
  /** Requests that the client gave up at a process that did not know them. Oldest first. */
  cancelled: z.array(cancelledCall).optional(),
  /** Progress tokens of calls, by the tasks that they became. Oldest first. */
  tokens: z.array(z.tuple([z.string(), z.union([z.string(), z.number()])])).optional(),
  /** URIs of the resources that the client subscribed to. */
  subscriptions: z.array(z.string()).optional(),
});

/** A request that its client gave up. */
export type CancelledCall = z.output<typeof cancelledCall>;
/** What is kept of a session. */
export type SessionFacts = z.output<typeof sessionFacts>;
/** The part of a session that survives a restart. */
export type SessionDocument = KeptDocument<SessionFacts>;

/** The documents that hold sessions. */
export const sessionKind: DocumentKind<SessionFacts> = {
  kind: "session",
  read: (value) => sessionFacts.parse(value),
};

/** The kind of the documents that hold the order of a session's streams, by the session's id. */
export const streamOrderKind = "stream-order";

/** What is kept of the params of a call that has a task: what its caller is known by. Pure. */
export function callerParams(params: object | undefined): JsonObject {
  const { arguments: given, _meta, name, ...rest }: JsonObject = { ...params };
  const parts = { arguments: pick(given, ["client_id"]), _meta: pick(_meta, ["progressToken", metaKeys.clientId]) };
  const known = Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0);
  const named = name === undefined ? rest : { ...rest, name };
  return { ...pick(named, ["name", "taskId", "task"]), ...Object.fromEntries(known) };
}

/** What is larger than any name of a caller is left out. */
function pick(value: Json | undefined, keys: readonly string[]): JsonObject {
  const isKept = ([key, item]: [string, Json]) =>
    keys.includes(key) && JSON.stringify(item).length <= limits.maxKeptParamLength;
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).filter(isKept));
}

/** Adds a request that its client gave up; beyond the limit the oldest go. Pure. */
export function withCancelled(facts: SessionFacts, call: CancelledCall): SessionFacts {
  const others = facts.cancelled?.filter(({ requestId }) => requestId !== call.requestId) ?? [];
  return { ...facts, cancelled: [...others, call].slice(-limits.maxKeptCalls) };
}

/** Adds the progress token of the call that a task began with; beyond the limit the oldest go. Pure. */
export function withToken(facts: SessionFacts, taskId: string, token: string | number): SessionFacts {
  const added: [string, string | number] = [taskId, token];
  return { ...facts, tokens: [...(facts.tokens ?? []), added].slice(-limits.maxKeptCalls) };
}

/** Adds or removes a subscription; beyond the limit none is added. Pure. */
export function withSubscription(facts: SessionFacts, uri: string, isOpen: boolean): SessionFacts {
  const others = (facts.subscriptions ?? []).filter((one) => one !== uri);
  const subscriptions = isOpen ? [...others, uri].slice(0, limits.maxSubscriptionsPerSession) : others;
  return { ...facts, subscriptions };
}
