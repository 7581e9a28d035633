import { createMemoryStore, type Store } from "@resumable-mcp/core";
import fc from "fast-check";
import { expect, test } from "vitest";
import { countTool } from "./counting-tool.js";
import { countTo, eventsOf, openEndpoint, post, readUntil, resume, type StreamEvent } from "./http-endpoint.js";

/** A call that was answered: what its client saw. */
interface PlainCall {
  readonly session: number;
  readonly n: number;
  readonly seen: readonly StreamEvent[];
}

/** What a client knows: which of its sessions have ended, and its calls. */
interface Plain {
  readonly ended: boolean[];
  readonly calls: PlainCall[];
}

/** The endpoint, which restarts on the same store, and the ids of its sessions. */
class Real {
  endpoint: Awaited<ReturnType<typeof openEndpoint>>;
  readonly store: Store;
  readonly sessions: Record<string, string>[] = [];

  private constructor(endpoint: Real["endpoint"], store: Store) {
    this.endpoint = endpoint;
    this.store = store;
  }

  static async open(): Promise<Real> {
    const store: Store = Object.assign(Object.create(createMemoryStore()), { close: async () => {} });
    return new Real(await openEndpoint({ tools: [countTool()], store }), store);
  }

  async restart(): Promise<void> {
    await this.endpoint.close();
    this.endpoint = await openEndpoint({ tools: [countTool()], store: this.store });
  }
}

type Command = fc.AsyncCommand<Plain, Real>;

const command = (
  text: string,
  run: (plain: Plain, real: Real) => Promise<void>,
  needs: "session" | "call" | "nothing",
) => ({
  check: ({ ended, calls }: Plain) => needs === "nothing" || (needs === "session" ? ended : calls).length > 0,
  run,
  toString: () => text,
});

const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

const open: Command = command(
  "open",
  async (plain, { endpoint, sessions }) => {
    const response = await post(endpoint.url, { jsonrpc: "2.0", id: 0, method: "initialize", params });
    await response.text();
    sessions.push({ "mcp-session-id": response.headers.get("mcp-session-id") ?? "" });
    plain.ended.push(false);
  },
  "nothing",
);

const request = (at: number, method: string): Command =>
  command(
    `${method}(session ${at})`,
    async ({ ended }, { endpoint, sessions }) => {
      const index = at % ended.length;
      const response = await post(endpoint.url, { jsonrpc: "2.0", id: 1, method, params: {} }, sessions[index]);
      const text = await response.text();
      expect(response.status).toBe(ended[index] === true ? 404 : 200);
      expect(text).toMatch(ended[index] === true ? /Session not found/ : /"id":1.*"result"|"result".*"id":1/);
    },
    "session",
  );

const call = (at: number, n: number): Command =>
  command(
    `call(session ${at}, ${n})`,
    async ({ ended, calls }, { endpoint, sessions }) => {
      const index = at % ended.length;
      const response = await post(endpoint.url, countTo(n), sessions[index]);
      expect(response.status).toBe(ended[index] === true ? 404 : 200);
      const seen = await readUntil(eventsOf(response), () => false);
      if (ended[index] === true) return;
      expect(seen.at(-1)?.message).toMatchObject({ id: 7, result: { structuredContent: { counted: n } } });
      expect(progressOf(seen)).toEqual(Array.from({ length: n }, (_, step) => step + 1));
      calls.push({ session: index, n, seen });
    },
    "session",
  );

const progressOf = (events: readonly StreamEvent[]): readonly number[] =>
  events.flatMap(({ message }) => Reflect.get(Object(message?.params), "progress") ?? []);

/** What comes after an event that the client has: each later one once, and the same result. */
const goOn = (at: number, place: number): Command =>
  command(
    `resume(call ${at}, event ${place})`,
    async ({ ended, calls }, { endpoint, sessions }) => {
      const { session, n, seen } = calls[at % calls.length] ?? { session: 0, n: 0, seen: [] };
      const from = place % seen.length;
      const response = await resume(endpoint.url, sessions[session] ?? {}, seen[from]?.id ?? "");
      // A finished call has nothing more behind its last event.
      const isOver = from === seen.length - 1;
      expect(response.status).toBe(ended[session] === true ? 404 : isOver ? 405 : 200);
      const rest = await readUntil(eventsOf(response), () => false);
      if (response.status !== 200) return;
      const shown = progressOf(seen.slice(0, from + 1)).at(-1) ?? 0;
      expect(progressOf(rest)).toEqual(Array.from({ length: n - shown }, (_, step) => shown + step + 1));
      expect(rest.at(-1)?.message).toEqual(seen.at(-1)?.message);
    },
    "call",
  );

const end = (at: number): Command =>
  command(
    `end(session ${at})`,
    async ({ ended }, { endpoint, sessions }) => {
      const index = at % ended.length;
      const response = await fetch(endpoint.url, { method: "DELETE", headers: sessions[index] ?? {} });
      await response.text();
      expect(response.status).toBe(ended[index] === true ? 404 : 200);
      ended[index] = true;
    },
    "session",
  );

const restart: Command = command("restart", (_plain, real) => real.restart(), "nothing");

const session = fc.nat({ max: 3 });
const commands = fc.commands(
  [
    fc.constant(open),
    fc.tuple(session, fc.constantFrom("ping", "tools/list")).map(([at, method]) => request(at, method)),
    fc.tuple(session, fc.integer({ min: 1, max: 4 })).map(([at, n]) => call(at, n)),
    fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 7 })).map(([at, place]) => goOn(at, place)),
    session.map(end),
    fc.constant(restart),
  ],
  { maxCommands: 20, size: "+1" },
);

test("sessions, their calls and their streams do what a plain model does, also across restarts (G1, G5, G6)", async () => {
  const property = fc.asyncProperty(commands, async (drawn) => {
    const real = await Real.open();
    try {
      await fc.asyncModelRun(() => ({ model: { ended: [], calls: [] }, real }), [open, ...drawn]);
    } finally {
      await real.endpoint.close();
    }
  });
  await fc.assert(property, { numRuns: 25, includeErrorInReport: true });
});
