import type { Random } from "../kills/kill-plan.js";
import {
  drawLarge,
  drawMutations,
  isLarge,
  type Level,
  mutateProtocol,
  randomFor,
  writeMessage,
} from "./draw-message.js";
import { bytesOf, type Header, type HttpDraft, mutateBytes, mutateHead } from "./http-draft.js";
import type { Said } from "./traffic/draw-call.js";
import type { Caller } from "./traffic/pools.js";
import { draw2025 } from "./traffic/traffic-2025.js";
import { draw2026, request2026 } from "./traffic/traffic-2026.js";

/** How the bytes of a request reach the server. */
export interface Delivery {
  readonly pieces: readonly Buffer[];
  /** A right request stands before it on the same connection, in the same bytes. */
  readonly pipelined: boolean;
  readonly onNewConnection: boolean;
  /** When its client leaves without a word. */
  readonly leaves: "never" | "before the end" | "at once" | "after the head";
}

/** A request as it is sent. */
export interface DrawnRequest {
  readonly index: number;
  readonly caller: Caller;
  readonly method: string;
  readonly body: string;
  readonly bytes: Buffer;
  readonly exact: boolean;
  readonly session: string | undefined;
  readonly delivery: Delivery;
  /** The names of its mutations, in their order. */
  readonly mutations: readonly string[];
}

/** All that messages are drawn from. */
export interface FuzzWorld {
  readonly seed: number;
  readonly port: number;
  readonly callers: readonly [Caller, ...Caller[]];
  /** The last right message of each caller. */
  readonly last: (Said | undefined)[];
}

const levels: readonly [Level, ...Level[]] = [
  "protocol",
  "protocol",
  "json",
  "json",
  "json",
  "json",
  "json",
  "bytes",
  "head",
  "head",
  "delivery",
];

/**
 * Draws one request. All choices are made by the seed and the index; what stands in the places of ids is what the server said
 * before.
 *
 * @param keeps which of its mutations are made, by their places. Default: all.
 */
export function drawRequest(
  world: FuzzWorld,
  index: number,
  keeps: (place: number) => boolean = () => true,
): DrawnRequest {
  const { seed, callers } = world;
  const random = randomFor(seed, index, 0);
  const caller = callers[index % callers.length] ?? callers[0];
  const other = callers[(index + random.between(1, Math.max(1, callers.length - 1))) % callers.length] ?? callers[0];
  const drawn = isLarge(index) ? [] : drawMutations(random, levels);
  const mutations = drawn.filter((_, place) => keeps(place));
  const randoms = (level: Level): readonly Random[] =>
    mutations.filter((one) => one.level === level).map(({ part }) => randomFor(seed, index, part));
  const right = drawRight(world, index, { caller, other });
  const said = randoms("protocol").reduce(
    (one, own) => mutateProtocol(one, own, { caller, other, last: world.last }),
    right,
  );
  world.last[caller.number] = right;
  const text = said.message === undefined ? "" : writeMessage(said.message, randoms("json"));
  const body = randoms("bytes").reduce<Buffer>((bytes, own) => mutateBytes(bytes, own), Buffer.from(text));
  const draft = randoms("head").reduce((one, own) => mutateHead(one, own), httpDraft(world, said, caller, body));
  const bytes = bytesOf(draft);
  const [delivery = wholeDelivery(bytes)] = randoms("delivery").map((own) => drawDelivery(bytes, own, world.port));
  return {
    ...{ index, caller, method: draft.method, body: body.toString(), bytes, exact: draft.exact, delivery },
    session: said.session,
    mutations: mutations.map(({ level }) => level),
  };
}

function drawRight({ seed }: FuzzWorld, index: number, { caller, other }: { caller: Caller; other: Caller }): Said {
  const random = randomFor(seed, index, 1);
  const known = random.next() < 0.08 ? other.known : caller.known;
  const id = random.next() < 0.3 ? `m-${index}` : index;
  if (isLarge(index)) return request2026({ caller, id }, "tools/call", drawLarge(random, caller.canary));
  return (random.next() < 0.6 ? draw2025 : draw2026)({ random, caller, known, id });
}

function httpDraft({ port }: FuzzWorld, { method, headers }: Said, caller: Caller, body: Buffer): HttpDraft {
  const length: readonly Header[] =
    method === "POST" || body.length > 0 ? [["Content-Length", String(body.length)]] : [];
  const host: Header = ["Host", `127.0.0.1:${port}`];
  return {
    method,
    target: "/mcp",
    version: "HTTP/1.1",
    headers: [host, ...caller.headers, ...headers, ...length],
    body,
    exact: true,
  };
}

function wholeDelivery(bytes: Buffer): Delivery {
  return { pieces: [bytes], pipelined: false, onNewConnection: false, leaves: "never" };
}

const maxPieces = 40;

function drawDelivery(bytes: Buffer, random: Random, port: number): Delivery {
  const whole = wholeDelivery(bytes);
  return random.pick<() => Delivery>([
    () => ({ ...whole, pieces: cut(bytes, random), onNewConnection: random.next() < 0.5 }),
    () => ({
      ...whole,
      pieces: Array.from({ length: Math.min(maxPieces, bytes.length) }, (_, at) =>
        bytes.subarray(at, at + 1 < maxPieces ? at + 1 : undefined),
      ),
    }),
    () => {
      const before = Buffer.from(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
      return { ...whole, pieces: cut(Buffer.concat([before, bytes]), random), pipelined: true, onNewConnection: true };
    },
    () => ({
      ...whole,
      pieces: [bytes.subarray(0, random.between(0, bytes.length))],
      onNewConnection: true,
      leaves: "before the end",
    }),
    () => ({ ...whole, onNewConnection: true, leaves: "at once" }),
    () => ({ ...whole, onNewConnection: true, leaves: "after the head" }),
  ])();
}

function cut(bytes: Buffer, random: Random): readonly Buffer[] {
  const places = Array.from({ length: random.between(1, 5) }, () => random.between(0, bytes.length)).sort(
    (a, b) => a - b,
  );
  return [...places, bytes.length].map((end, at) => bytes.subarray(places[at - 1] ?? 0, end));
}
