import { setTimeout as pause } from "node:timers/promises";
import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";
import type { Era, UpstreamResponse } from "@resumable-mcp/mcp/define-server";
import { rpcCodes, toText } from "@resumable-mcp/protocol";
import { wrapLimits } from "../limits.js";
import type { Connection } from "../upstream/connection.js";
import type { OpenCall } from "../upstream/open-call.js";
import { ConnectionLost, type RequestOptions } from "../upstream/peer.js";
import { withoutType } from "../upstream/requests-2026.js";
import type { CallEvents } from "./call-events.js";
import { resumeMeta } from "./checkpoint.js";
import { failure, unknownOutcome } from "./outcomes.js";
import type { NextCall, RoundTrip } from "./plan.js";
import type { QuestionPlace } from "./questions.js";

/** How a call is made once. */
export interface CallWays {
  readonly connection: Connection;
  /** The tool, as its server lists it. */
  readonly entry: JsonObject;
  /** Its name, as callers see it. */
  readonly name: string;
  readonly input: JsonObject;
  readonly next: NextCall;
  /** The era of the caller. */
  readonly era: Era;
  /** How often the call was made, this time included. */
  readonly made: number;
  readonly call: OpenCall;
  readonly options: RequestOptions & { readonly signal: AbortSignal };
  readonly events: CallEvents;
  /** Aborts when the task stops; its reason says why. */
  readonly stop: AbortSignal;
  /** What the server reported last, for people. */
  readonly reached: () => string;
  /** The server works on the call. */
  readonly onAlive: () => void;
}

/** How long a server keeps a task of its own, in milliseconds. */
const taskTtlMs = 24 * 60 * 60_000;

/** Makes a call of a tool, or awaits the task that its server made of it. @throws {@link ConnectionLost} */
export async function makeCall(ways: CallWays): Promise<UpstreamResponse> {
  const { connection, next } = ways;
  if (next.kind === "await") return awaitTask(ways, next.task);
  return connection.is2026 ? roundTrips(ways) : oneRequest(ways);
}

/** Source: MCP 2025-11-25, Tasks. */
async function oneRequest(ways: CallWays): Promise<UpstreamResponse> {
  const { connection, entry, name, next, events } = ways;
  if (next.kind === "continue" && next.round !== undefined)
    return unknownOutcome(name, { why: "Its server speaks another version of MCP now", reached: ways.reached() });
  // The list of the other era does not say that.
  const { execution } = connection.facts.tools.find((listed) => listed.name === entry.name) ?? entry;
  const { taskSupport }: JsonObject = Object(execution);
  const isTask = taskSupport === "required" || (taskSupport === "optional" && connection.makesTasks);
  const more = {
    ...(isTask && { task: { ttl: taskTtlMs } }),
    ...(next.kind === "continue" && continuing(ways, next.checkpoint)),
  };
  let response = await ask(ways, more);
  for (let round = 1; round <= wrapLimits.maxRoundTrips; round += 1) {
    const urls = ways.era === "2026" ? urlsBefore(response) : undefined;
    if (urls === undefined) break;
    const given = await answersTo(urls, ways, round);
    if ("error" in given) return given;
    if (Object.values(given.answers).some((answer) => Object(answer).action !== "accept")) return notOpened;
    response = await ask(ways, more);
  }
  const { taskId }: JsonObject = "result" in response ? Object(response.result.task) : {};
  if (typeof taskId !== "string") return response;
  events.noteTask(taskId);
  return awaitTask(ways, taskId);
}

const notOpened: UpstreamResponse = {
  result: { content: [{ type: "text", text: "The user did not open what has to be opened first." }], isError: true },
};

/**
 * What a user has to open before a call can be made, as a server of the 2026 era asks for it; the 2025 era has an error for that.
 *
 * Source: MCP 2025-11-25, Elicitation, "URL Elicitation Required Error"; MCP 2026-07-28, Elicitation, "URL Mode Elicitation Requests".
 */
function urlsBefore(response: UpstreamResponse): JsonObject | undefined {
  if (!("error" in response) || response.error.code !== rpcCodes.urlRequired) return undefined;
  const { elicitations }: JsonObject = Object(response.error.data);
  const asked = (Array.isArray(elicitations) ? elicitations : []).filter(isJsonObject);
  const requests = asked.map(({ elicitationId: _, ...params }, index) => {
    return [`url-${index + 1}`, { method: "elicitation/create", params: { ...params, mode: "url" } }];
  });
  return requests.length === 0 ? undefined : Object.fromEntries(requests);
}

/**
 * Asks until the server has a result: it may ask for input, and say where it stands. The next request is made when that is durable.
 *
 * Source: MCP 2026-07-28, Multi Round-Trip Requests; SEP-2663.
 */
async function roundTrips(ways: CallWays): Promise<UpstreamResponse> {
  const { next, name, call, events, stop, reached } = ways;
  let { round, checkpoint } = next.kind === "continue" ? next : {};
  for (let isFirst = true; ; isFirst = false) {
    const { requestState, inputRequests } = round ?? {};
    const given = inputRequests === undefined ? undefined : await answersTo(inputRequests, ways, round?.count ?? 1);
    if (given !== undefined && "error" in given) return given;
    const response = await ask(ways, {
      ...(given !== undefined && { inputResponses: given.answers }),
      ...(requestState !== undefined && { requestState }),
      ...continuing(ways, checkpoint),
    });
    if ("error" in response) {
      const isForgotten = isFirst && requestState !== undefined && response.error.code === rpcCodes.invalidParams;
      if (!isForgotten) return response;
      const why = `Its server does not take its own state any longer (${response.error.message})`;
      return unknownOutcome(name, { why, reached: reached() });
    }
    const { resultType, taskId } = response.result;
    if (resultType === "task" && typeof taskId === "string") {
      events.noteTask(taskId);
      return awaitTask(ways, taskId);
    }
    if (resultType !== "input_required") return response;
    const later = roundOf(response.result, (round?.count ?? 0) + 1);
    if (typeof later === "string")
      return failure("LIMIT_EXCEEDED", `${later} ${name} may or may not have taken effect.`);
    [round, checkpoint] = [later, undefined];
    events.noteRound(withoutUrls(later));
    if (!(await call.committed())) throw stop.reason;
  }
}

/** What has to be kept of a result that is none; a sentence where that is too much. */
function roundOf({ requestState, inputRequests }: JsonObject, count: number): RoundTrip | string {
  const { maxRoundTrips, maxCheckpointLength } = wrapLimits;
  if (count > maxRoundTrips) return `Its server asked to be asked again ${maxRoundTrips} times (maxRoundTrips).`;
  const round = {
    count,
    ...(typeof requestState === "string" && { requestState }),
    ...(isJsonObject(inputRequests) && Object.keys(inputRequests).length > 0 && { inputRequests }),
  };
  if (JSON.stringify(round).length <= maxCheckpointLength) return round;
  return `The state that its server gave is longer than ${maxCheckpointLength} characters.`;
}

/** What the user is to open may hold secrets, and is not stored: the server is asked again, and asks for it again. */
function withoutUrls({ inputRequests = {}, ...round }: RoundTrip): RoundTrip {
  const kept = Object.entries(inputRequests).filter(([, request]) => Object(Object(request).params).mode !== "url");
  return kept.length === 0 ? round : { ...round, inputRequests: Object.fromEntries(kept) };
}

function ask({ connection, entry, input, call, options }: CallWays, more: JsonObject): Promise<UpstreamResponse> {
  const params = { name: String(entry.name), arguments: input, ...more };
  return connection.call({ method: "tools/call", params }, call, options);
}

function continuing({ made }: CallWays, checkpoint: string | undefined): JsonObject {
  return checkpoint === undefined ? {} : { _meta: resumeMeta(checkpoint, Math.max(2, made)) };
}

/** What the client, or the user, answers; an error where none can answer one of them. */
async function answersTo(
  inputRequests: JsonObject,
  { call, options }: CallWays,
  round: QuestionPlace["round"],
): Promise<{ readonly answers: JsonObject } | Extract<UpstreamResponse, { error: unknown }>> {
  const asked = Object.entries(inputRequests).map(async ([key, request]) => {
    const { method, params }: JsonObject = Object(request);
    const given = isJsonObject(params) ? params : {};
    // One for each: the listeners of many on one signal would be taken for a leak.
    const signal = AbortSignal.any([options.signal]);
    return [key, await call.ask(toText(method), given, signal, { key, round })] as const;
  });
  const answers: Record<string, Json> = {};
  for (const [key, response] of await Promise.all(asked)) {
    if ("error" in response) return response;
    answers[key] = response.result;
  }
  return { answers };
}

/** Waits for the task that a server made of a call. */
async function awaitTask(ways: CallWays, taskId: string): Promise<UpstreamResponse> {
  const { connection, call, options, stop, next } = ways;
  const { passed } = options;
  const cancel = () =>
    void connection.call({ method: "tasks/cancel", params: { taskId } }, call, { passed }).catch(() => {});
  // A pause leaves the server at work: its task is awaited again.
  const abort = () => (Reflect.get(Object(stop.reason), "reason") === "cancel" ? cancel() : undefined);
  stop.addEventListener("abort", abort);
  try {
    if (connection.is2026) return await pollTask(ways, taskId);
    const response = await connection.call({ method: "tasks/result", params: { taskId } }, call, options);
    return "error" in response && next.kind === "await" ? unknownTask(ways, response.error.message) : response;
  } finally {
    stop.removeEventListener("abort", abort);
  }
}

/** Source: SEP-2663, "tasks/get", "tasks/update". */
async function pollTask(ways: CallWays, taskId: string): Promise<UpstreamResponse> {
  const { connection, call, events, onAlive, options } = ways;
  const { signal, passed } = options;
  const ask = (method: string, more: JsonObject = {}) =>
    connection.call({ method, params: { taskId, ...more } }, call, { signal, passed });
  const asked = new Set<string>();
  let refusal: UpstreamResponse | undefined;
  const answer = async (key: string, request: Json) => {
    asked.add(key);
    const given = await answersTo({ [key]: request }, ways, "task");
    const taken = "error" in given ? given : await ask("tasks/update", { inputResponses: given.answers });
    if ("error" in taken) refusal ??= taken;
  };
  for (let said: unknown; ; ) {
    const response = await ask("tasks/get");
    const { status, statusMessage, inputRequests, result, error, pollIntervalMs }: JsonObject =
      "result" in response ? response.result : {};
    const waitMs = typeof pollIntervalMs === "number" ? pollIntervalMs : wrapLimits.pollMs;
    if ("error" in response) {
      const { code, message } = response.error;
      if (code === rpcCodes.invalidParams || code === rpcCodes.methodNotFound) return unknownTask(ways, message);
      await pause(waitMs, undefined, { signal });
      throw new ConnectionLost(`The server could not say how far its task is: ${message}`);
    }
    onAlive();
    if (status === "completed") return { result: withoutType(isJsonObject(result) ? result : {}) };
    if (status === "failed" || status === "cancelled") return { error: errorOf(error, statusMessage) };
    if (refusal !== undefined) {
      await ask("tasks/cancel");
      return refusal;
    }
    if (typeof statusMessage === "string" && statusMessage !== said) events.report({ message: statusMessage });
    said = statusMessage;
    for (const [key, request] of Object.entries(isJsonObject(inputRequests) ? inputRequests : {}))
      if (!asked.has(key)) answer(key, request).catch(() => asked.delete(key));
    await pause(Math.min(Math.max(waitMs, wrapLimits.minPollMs), wrapLimits.maxPollMs), undefined, { signal });
  }
}

function errorOf(error: unknown, statusMessage: unknown): Extract<UpstreamResponse, { error: unknown }>["error"] {
  const { code, message, data }: JsonObject = isJsonObject(error) ? error : {};
  return {
    code: typeof code === "number" ? code : rpcCodes.refused,
    message: toText(message ?? statusMessage ?? "The server ended its task of this call without a result."),
    ...(data !== undefined && { data }),
  };
}

function unknownTask({ name, reached }: CallWays, message: string): UpstreamResponse {
  return unknownOutcome(name, { why: `Its server does not know its task any longer (${message})`, reached: reached() });
}
