import type { Json, JsonObject } from "@resumable-mcp/core";
import { createRandom, type Random } from "../kills/kill-plan.js";
import { type Draft, draftOf, mutateJson, textOf } from "./draft-json.js";
import type { Header } from "./http-draft.js";
import type { Said } from "./traffic/draw-call.js";
import type { Caller } from "./traffic/pools.js";

/** Random choices for one part of one message: no choice for another part changes them. */
export function randomFor(seed: number, index: number, part: number): Random {
  const mixed = Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b) ^ Math.imul(part + 1, 0xc2b2ae35);
  return createRandom(mixed);
}

/** Where a mutation changes a message. */
export type Level = "protocol" | "json" | "bytes" | "head" | "delivery";

/** One change that is to be made, by the choices of `randomFor(seed, index, part)`. */
export interface Mutation {
  readonly level: Level;
  readonly part: number;
}

/** Draws what happens to a message; one of seven stays as it is. */
export function drawMutations(random: Random, levels: readonly [Level, ...Level[]]): readonly Mutation[] {
  const count = random.pick([0, 1, 1, 1, 1, 2, 3]);
  return Array.from({ length: count }, (_, at) => ({ level: random.pick(levels), part: at + 10 }));
}

const largeEvery = 64;

/** Every 64th message is right and large: others come while the server works on it. */
export function isLarge(index: number): boolean {
  return index % largeEvery === largeEvery - 1;
}

/** A call with a large argument, of one of the shapes that cost most. */
export function drawLarge(random: Random, canary: string): JsonObject {
  const size = random.pick([10_000, 100_000, 300_000, 1_000_000, 3_000_000]);
  const value = random.pick<() => Json>([
    () => "x".repeat(size),
    () => 'é\\"\n'.repeat(size / 5),
    () => Array.from({ length: Math.min(size / 3, 45_000) }, () => []),
    () => Array.from({ length: Math.min(size / 2, 45_000) }, (_, at) => at % 10),
    () => Object.fromEntries(Array.from({ length: Math.min(size / 12, 22_000) }, (_, at) => [`key${at}`, at])),
  ])();
  return { name: "take", arguments: { label: `${canary}large`, value } };
}

/** What a mutation of the protocol may use. */
interface Around {
  readonly caller: Caller;
  readonly other: Caller;
  /** The last right message of each caller. */
  readonly last: readonly (Said | undefined)[];
}

type Change = (said: Said, random: Random, around: Around) => Said;

const replaceHeader = (headers: readonly Header[], name: string, value: string): readonly Header[] =>
  headers.map((header) => (header[0] === name ? [name, value] : header));
const withoutHeader = (headers: readonly Header[], name: string) => headers.filter((header) => header[0] !== name);

const changes: readonly [Change, ...Change[]] = [
  // An id that is in use.
  (said, random, { caller }) => withId(said, caller.known.requestIds.pick(random, 1)),
  (said, random) =>
    withId(said, random.pick<string | number>(["", "own_1_2_tools", "ask:x:name", -1, 0, 2 ** 53, "x".repeat(300)])),
  // The session of another one, none, and an unknown one.
  (said, random, { other }) => ({
    ...said,
    headers: replaceHeader(said.headers, "Mcp-Session-Id", other.known.sessions.pick(random, "none")),
    session: undefined,
  }),
  (said) => ({ ...said, headers: withoutHeader(said.headers, "Mcp-Session-Id"), session: undefined }),
  // The other era's words.
  (said, random) => ({
    ...said,
    headers: [
      ...withoutHeader(said.headers, "Mcp-Protocol-Version"),
      ["Mcp-Protocol-Version", random.pick(["2026-07-28", "2025-03-26", "2099-01-01", "x"])],
    ],
  }),
  (said) =>
    withParams(said, (params) => ({ ...params, _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } })),
  (said) => withParams(said, (params) => ({ ...params, _meta: {} })),
  (said) =>
    withParams(said, (params) => ({
      ...params,
      _meta: { ...forged, ...(typeof params._meta === "object" ? params._meta : {}) },
    })),
  // The same once more, by this caller or by another one.
  (said, _, { caller, last }) => last[caller.number] ?? said,
  (said, _, { caller, other, last }) => asOwn(last[other.number], other, caller) ?? said,
  (said, random) => ({ ...said, method: random.pick(["GET", "GET", "GET", "GET", "DELETE"]) }),
];

const forged = {
  "resumable-mcp/call_id": "x".repeat(22),
  "resumable-mcp/task_id": "x".repeat(22),
  "resumable-mcp/redelivered": true,
  "resumable-mcp/after_seq": 3,
  "resumable-mcp/shown_progress": -1,
  "resumable-mcp/request_id": 0,
  "resumable-mcp/handoff": 2 ** 40,
};

function withId(said: Said, id: string | number): Said {
  const { message } = said;
  return message === undefined || !("id" in message) ? said : { ...said, message: { ...message, id } };
}

function withParams(said: Said, change: (params: JsonObject) => JsonObject): Said {
  const { message } = said;
  const params = message?.params;
  if (message === undefined || typeof params !== "object" || params === null || Array.isArray(params)) return said;
  return { ...said, message: { ...message, params: change(params as JsonObject) } };
}

/** What another one sent, with the canary of the caller: otherwise its inputs would be known to both. */
function asOwn(said: Said | undefined, other: Caller, caller: Caller): Said | undefined {
  if (said?.message === undefined) return said;
  const text = JSON.stringify(said.message).replaceAll(other.canary, caller.canary);
  return { ...said, message: JSON.parse(text) };
}

/** Changes a message as one of the protocol. */
export function mutateProtocol(said: Said, random: Random, around: Around): Said {
  return random.pick(changes)(said, random, around);
}

/** Writes a message, after the mutations of its JSON. */
export function writeMessage(message: JsonObject, mutations: readonly Random[]): string {
  if (mutations.length === 0) return JSON.stringify(message);
  return textOf(mutations.reduce<Draft>((draft, random) => mutateJson(draft, random), draftOf(message)));
}
