import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import { metaKeys } from "@resumable-mcp/protocol";
import { z } from "zod";
import { limits } from "../../limits.js";
import type { DocumentKind, KeptDocument } from "./kept-document.js";

const jsonObject = z.record(z.string(), z.json()) as unknown as z.ZodType<JsonObject>;

const storedCall = z.object({
  callId: z.string(),
  /** The id by which the client knows the request. */
  requestId: z.union([z.string(), z.number()]),
  kind: z.enum(["journal", "again"]),
  /** Absent for `tools/call`. */
  method: z.literal("tasks/result").optional(),
  params: jsonObject,
  /** The whole params are in a document of their own; here is only what a finished call keeps. */
  apart: z.boolean().optional(),
  /** When a process accepted the call first, in milliseconds of its wall clock. */
  acceptedMs: z.number(),
  /** The task that the call joined, where that is not the call's own. */
  taskId: z.string().optional(),
  /** The client that the session had named, where the call names none. */
  clientId: z.string().optional(),
  /** The place of the last event of a finished call. */
  end: z.number().optional(),
  /** A process that does not deliver the open call asks by this mark whether another process does. */
  doubt: z.string().optional(),
});

const mail = z.object({
  id: z.string(),
  /** The name of the standalone stream of the process that sends it. */
  from: z.string(),
  message: jsonObject,
});

const sessionFacts = z.object({
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
  /** Oldest first. */
  calls: z.array(storedCall),
  /** Ids of open calls that made room for others. A call that is neither here nor in `calls` was cancelled. Oldest first. */
  forgotten: z.array(z.string()).optional(),
  /** URIs of the resources that the client subscribed to. */
  subscriptions: z.array(z.string()).optional(),
  /** The standalone stream that a process opened last, by its name. */
  standalone: z.string().optional(),
  /** What belongs to no request, from processes without the standalone stream to the one that has it. Oldest first. */
  mail: z.array(mail).optional(),
});

/** An open call that survives a restart. */
export type StoredCall = z.output<typeof storedCall>;
/** A message to the process that has the session's standalone stream. */
export type Mail = z.output<typeof mail>;
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

/**
 * What is kept of a finished call: enough to tell a client that comes late what came of it, and no more of what it was
 * called with. Nothing of a call that only runs again: its client sends it again. Pure.
 *
 * @param ofTool whether it called a tool that has a task, which is found by its id; the others speak about tasks.
 */
export function finishedCall(call: StoredCall, end: number, ofTool: boolean): StoredCall | undefined {
  if (call.kind === "again" && call.method === undefined) return undefined;
  return { ...call, params: finishedParams(call.params, ofTool), apart: undefined, end };
}

/** What a finished call keeps of its params. Pure. */
export function finishedParams(params: JsonObject, ofTool: boolean): JsonObject {
  const { arguments: given = {}, _meta = {}, name } = params;
  const { content: _answer, ...rest } = isJsonObject(given) ? given : {};
  const meta = pick(_meta, ["progressToken", metaKeys.clientId]);
  return {
    ...pick(params, ["name"]),
    ...(name === undefined ? {} : { arguments: ofTool ? pick(given, ["client_id"]) : rest }),
    ...pick(params, ["taskId", "task"]),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
}

/** What is larger than any name of a caller is left out. */
function pick(value: Json, keys: readonly string[]): JsonObject {
  const isKept = ([key, item]: [string, Json]) =>
    keys.includes(key) && JSON.stringify(item).length <= limits.maxKeptParamLength;
  return Object.fromEntries(Object.entries(isJsonObject(value) ? value : {}).filter(isKept));
}

/** The calls that are not finished. Pure. */
export function openCalls({ calls }: SessionFacts): readonly StoredCall[] {
  return calls.filter(({ end }) => end === undefined);
}

/** The same of a session that is only stored; `undefined` where another version wrote what this one cannot read. Pure. */
export function openCallsIn(value: Json): readonly StoredCall[] | undefined {
  const { data } = sessionFacts.safeParse(value);
  return data && openCalls(data);
}

/** Adds a call, or replaces what is known of it; of the finished ones only the newest stay. Pure. */
export function withCall(facts: SessionFacts, call: StoredCall, maxFinished: number): SessionFacts {
  const others = facts.calls.filter(({ callId }) => callId !== call.callId);
  const calls = [...others, call];
  const finished = calls.filter(({ end }) => end !== undefined);
  const dropped = new Set(finished.slice(0, Math.max(0, finished.length - maxFinished)));
  const forgotten = facts.forgotten?.filter((id) => id !== call.callId);
  return { ...facts, calls: calls.filter((one) => !dropped.has(one)), forgotten };
}

/** Adds a message; beyond the limits the oldest go first. Pure. */
export function withMail(facts: SessionFacts, added: Mail): SessionFacts {
  const all = [...(facts.mail ?? []), added].slice(-limits.maxMail);
  while (all.length > 1 && JSON.stringify(all).length > limits.maxMailBytes) all.shift();
  return { ...facts, mail: all };
}

/** Removes messages by their ids. Pure. */
export function withoutMail(facts: SessionFacts, ids: ReadonlySet<string>): SessionFacts {
  const left = (facts.mail ?? []).filter(({ id }) => !ids.has(id));
  return { ...facts, mail: left.length === 0 ? undefined : left };
}

/** Adds or removes a subscription; beyond the limit none is added. Pure. */
export function withSubscription(facts: SessionFacts, uri: string, isOpen: boolean): SessionFacts {
  const others = (facts.subscriptions ?? []).filter((one) => one !== uri);
  const subscriptions = isOpen ? [...others, uri].slice(0, limits.maxSubscriptionsPerSession) : others;
  return { ...facts, subscriptions };
}
