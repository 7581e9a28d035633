import { setTimeout as pause } from "node:timers/promises";
import { isJsonObject, type JsonObject, type Tool } from "@resumable-mcp/core";
import type { Documents } from "@resumable-mcp/core/store";
import type {
  CallerHeaders,
  Era,
  Upstream,
  UpstreamChange,
  UpstreamClient,
  UpstreamRequest,
  UpstreamResponse,
  UpstreamSubscribed,
  UpstreamSubscription,
} from "@resumable-mcp/mcp/define-server";
import { mirroredTool } from "../call/mirrored-tool.js";
import { mayRepeat, type RepeatRules } from "../call/plan.js";
import type { CallParts } from "../call/run-call.js";
import { wrapLimits } from "../limits.js";
import type { CallerEras } from "./caller-eras.js";
import type { Connection, ServerFacts } from "./connection.js";
import { isCapable } from "./open-call.js";
import { ConnectionLost, type OpenWire } from "./peer.js";
import { noAnswer, ServerSlot } from "./server-slot.js";

/** How a server is wrapped. */
export interface WrappedServerOptions extends RepeatRules {
  /** Names it until it has said its own name, and in the store. */
  readonly name: string;
  readonly open: OpenWire;
  /** One server for all owners. */
  readonly shared: boolean;
  /** Of all calls of the gateway. */
  readonly eras: CallerEras;
  /** Headers of callers, in lower case, that calls take along. */
  readonly passes: readonly string[];
  readonly onNote: (sentence: string) => void;
  /** Hears of each call before it is made, once the store is open. */
  readonly onCall: () => void;
}

const kind = "upstream";

/**
 * A server behind an engine: one process of it for each owner, or one for all. One of both eras is spoken to in that of its caller: a
 * tool may ask in the way of one era alone.
 */
export class WrappedServer implements Upstream {
  readonly #options: WrappedServerOptions;
  /** Of the owner that comes first: its list of tools is read before that. */
  readonly #home: ServerSlot;
  readonly #slots = new Map<string, ServerSlot>();
  readonly #listeners = new Set<(change: UpstreamChange) => void>();
  readonly #idle: NodeJS.Timeout;
  readonly #closing = new AbortController();
  /** Resolves when it could not be started, to why. */
  readonly failed: Promise<Error>;
  #noteFailed: (error: Error) => void = () => {};
  /** Those that wait for the call of a task. */
  readonly #clients = new Map<string, Set<UpstreamClient>>();
  #homeOwner: string | undefined;
  #documents: Documents | undefined;
  #facts: ServerFacts | undefined;
  #lastFailure: string | undefined;
  #isKept = false;

  constructor(options: WrappedServerOptions) {
    this.#options = options;
    this.failed = new Promise((resolve) => {
      this.#noteFailed = resolve;
    });
    this.#home = this.#makeSlot();
    this.#idle = setInterval(() => this.#endIdle(), wrapLimits.idleMs / 10).unref();
  }

  get facts(): ServerFacts | undefined {
    return this.#facts;
  }

  get notStarted(): string | undefined {
    return this.#facts === undefined ? (this.#lastFailure ?? "It is still starting.") : undefined;
  }

  get tools(): readonly Tool[] {
    return this.toolsAs((name) => name, "1");
  }

  /** The entries of its list of tools that have a name, the first of each. */
  get entries(): readonly (JsonObject & { readonly name: string })[] {
    const named = new Map<string, JsonObject & { readonly name: string }>();
    for (const entry of this.#facts?.tools ?? []) {
      const { name } = entry;
      if (typeof name === "string" && name !== "" && !named.has(name)) named.set(name, { ...entry, name });
    }
    return [...named.values()];
  }

  /** Its tools under the names that callers see. @param version of each. */
  toolsAs(shown: (name: string) => string, version: string): readonly Tool[] {
    return this.entries.map((entry) => {
      const name = shown(entry.name);
      const repeats = (listed: JsonObject) => mayRepeat({ ...listed, name }, this.#options);
      return mirroredTool({ entry, name, mayRepeat: repeats, ...this.#places }, version);
    });
  }

  get capabilities(): JsonObject {
    return this.#facts?.capabilities ?? {};
  }

  /** Starts the server, again and again, and resolves when its tools are known. @throws where its program was not found. */
  async start(): Promise<void> {
    const { signal } = this.#closing;
    for (;;) {
      try {
        await this.#home.connect(signal);
        return;
      } catch (error) {
        if (signal.aborted || (error instanceof ConnectionLost && error.cannotStart)) throw error;
      }
      await pause(wrapLimits.waitMs, undefined, { signal, ref: false });
    }
  }

  keepIn(documents: Documents): void {
    this.#documents = documents;
    if (this.#facts === undefined) void this.#readKept(documents).catch((error: unknown) => this.#complain(error));
  }

  join(taskId: string, client: UpstreamClient): () => void {
    const clients = this.#clients.get(taskId) ?? new Set();
    this.#clients.set(taskId, clients.add(client));
    return () => {
      clients.delete(client);
      if (clients.size === 0) this.#clients.delete(taskId);
    };
  }

  watch(listener: (change: UpstreamChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get passes(): readonly string[] {
    return this.#options.passes;
  }

  expect(owner: string, era: Era, headers?: CallerHeaders): (taskId: string | undefined) => void {
    return this.#options.eras.expect(owner, era, headers);
  }

  /** @param soon a server whose last start failed is started in the background, and the answer is an error. Limit: `firstListMs`. */
  async ask(request: UpstreamRequest, soon = false): Promise<UpstreamResponse> {
    const { owner, era, method, params } = request;
    const limit = soon ? [AbortSignal.timeout(wrapLimits.firstListMs)] : [];
    const signal = AbortSignal.any([request.signal, ...limit]);
    try {
      const slot = this.#slotOf(owner, era);
      const connecting = slot.connect(signal);
      connecting.catch(() => {});
      if (soon && slot.isAway) throw new ConnectionLost("It could not be started, and is tried again.");
      const connection = await connecting;
      return await connection.request(method, params, { signal });
    } catch (error) {
      return noAnswer(this.#options.name, error);
    }
  }

  /** Limit: `firstListMs`. */
  async subscribe({ owner, era, uri, signal, updated }: UpstreamSubscription): Promise<UpstreamSubscribed> {
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(wrapLimits.firstListMs)]);
      return await this.#slotOf(owner, era).subscribe(uri, updated, limited);
    } catch (error) {
      return noAnswer(this.#options.name, error);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#idle);
    this.#closing.abort(new Error("The gateway stops."));
    await Promise.all([this.#home, ...this.#slots.values()].map((slot) => slot.close()));
  }

  /** @throws where too many run for others. */
  #slotOf(owner: string, era: Era): ServerSlot {
    const user = this.#options.shared ? "" : owner;
    this.#homeOwner ??= user;
    if (user === this.#homeOwner && this.#home.suits(era)) return this.#home;
    const spoken = this.#home.onlyEra ?? era;
    const key = `${spoken} ${user}`;
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    if (this.#slots.size >= wrapLimits.maxServers - 1) this.#endOldest();
    const slot = this.#makeSlot(spoken);
    this.#slots.set(key, slot);
    return slot;
  }

  #makeSlot(era?: Era): ServerSlot {
    const { open, onNote } = this.#options;
    const listener = {
      facts: (facts: ServerFacts) => this.#noteFacts(facts),
      failed: (error: Error) => {
        this.#lastFailure = error.message;
        this.#noteFailed(error);
      },
      heard: (method: string, params: JsonObject) => this.#tell({ method, params }),
      note: onNote,
    };
    return new ServerSlot(open, listener, era);
  }

  #endOldest(): void {
    const [oldest] = [...this.#slots]
      .filter(([, slot]) => !slot.busy)
      .sort(([, one], [, other]) => one.usedMs - other.usedMs);
    if (oldest === undefined)
      throw new Error(`${wrapLimits.maxServers} servers are busy for other owners (maxServers). Call again later.`);
    this.#end(...oldest);
  }

  #endIdle(): void {
    for (const [owner, slot] of this.#slots) {
      if (!slot.busy && performance.now() - slot.usedMs > wrapLimits.idleMs) this.#end(owner, slot);
    }
  }

  #end(owner: string, slot: ServerSlot): void {
    this.#slots.delete(owner);
    void slot.close();
  }

  #noteFacts(facts: ServerFacts): void {
    const before = JSON.stringify(this.#facts?.tools);
    this.#facts = facts;
    this.#isKept = false;
    if (JSON.stringify(facts.tools) === before) return;
    this.#tell({ method: "notifications/tools/list_changed", params: {} });
  }

  get #places(): Pick<CallParts, "eraOf" | "headersOf" | "live" | "connect" | "client"> {
    return {
      eraOf: (owner, taskId) => this.#options.eras.find(owner, taskId),
      headersOf: async (taskId, signal) => (this.passes.length === 0 ? {} : this.#options.eras.headers(taskId, signal)),
      live: (owner, era) => this.#liveFor(owner, era),
      connect: async (owner, era, signal) => this.#slotOf(owner, era).connect(signal),
      client: (taskId, needed) =>
        [...(this.#clients.get(taskId) ?? [])].find(({ capabilities }) => isCapable(capabilities, needed)),
    };
  }

  /** With the first call, which has opened the store, what the server offers is kept. */
  #liveFor(owner: string, era: Era): Connection | undefined {
    this.#options.onCall();
    return this.#slotOf(owner, era).live;
  }

  /** Keeps in the store what the server offers, unless it is kept. */
  keep(): void {
    if (!this.#isKept) void this.#keep().catch((error: unknown) => this.#complain(error));
  }

  #tell(change: UpstreamChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** While the server is away, its tools are listed as they were last. */
  async #readKept(documents: Documents): Promise<void> {
    const kept = await documents.getDocument(kind, this.#options.name);
    const { value } = kept ?? {};
    if (this.#facts !== undefined) return;
    if (!isJsonObject(value) || !Array.isArray(value.tools)) {
      this.note("It has not started before: it has no tools until it does.");
      return;
    }
    this.note("Its tools are listed as they were last.");
    const { name = "", version = "", instructions, capabilities } = value;
    this.#noteFacts({
      name: String(name),
      version: String(version),
      instructions: typeof instructions === "string" ? instructions : undefined,
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      tools: value.tools.filter(isJsonObject),
    });
  }

  async #keep(): Promise<void> {
    const [documents, facts] = [this.#documents, this.#facts];
    if (documents === undefined || facts === undefined) return;
    this.#isKept = true;
    const { name: id } = this.#options;
    const known = await documents.getDocument(kind, id);
    const value: JsonObject = JSON.parse(JSON.stringify(facts));
    if (JSON.stringify(known?.value) === JSON.stringify(value)) return;
    const now = { wallMs: Date.now(), monotonicMs: performance.now() };
    const owner = "server:upstream";
    await documents.putDocument({ kind, id, owner, value, expectedVersion: known?.version ?? 0, now });
  }

  /** Says something of the server to the operator. */
  note(sentence: string): void {
    this.#options.onNote(sentence);
  }

  #complain(error: unknown): void {
    this.note(`What the server offers could not be kept: ${error instanceof Error ? error.message : String(error)}`);
  }
}
