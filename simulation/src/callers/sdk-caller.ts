import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult, ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { isJsonObject, type JsonObject } from "@resumable-mcp/core";
import type { Facts, History } from "../history/history.js";
import type { VirtualFetch } from "../machine/virtual-fetch.js";
import type { Random } from "../world/random.js";
import { type Actor, newActor, type World } from "../world/world.js";
import type { CallPlan } from "./call-plan.js";
import { metaOf } from "./rpc.js";

/** What crosses a response in this time is certain to count. */
const crossingMs = 50;

interface SdkCallerOptions {
  readonly world: World;
  readonly history: History;
  readonly network: VirtualFetch;
  readonly plan: CallPlan;
}

const url = new URL("http://127.0.0.1:8001/mcp");

/** The SDK's transport, which tells when a request is cancelled. */
class HostTransport extends StreamableHTTPClientTransport {
  readonly #onCancel: (requestId: unknown, accepted: Promise<void>) => void;

  /** @param onCancel is called for each cancellation of a request, with what resolves when the server accepted it. */
  constructor(onCancel: (requestId: unknown, accepted: Promise<void>) => void) {
    super(url);
    this.#onCancel = onCancel;
  }

  override send(...[message, options]: Parameters<StreamableHTTPClientTransport["send"]>): Promise<void> {
    const sent = super.send(message, options);
    if ("method" in message && message.method === "notifications/cancelled")
      this.#onCancel(message.params?.requestId, sent);
    return sent;
  }
}

/**
 * A host with the SDK's own client of the 2025 era, unchanged: it gives a request up after its own time, which cancels it,
 * and makes the call again. Or it leaves without a word, and comes back as another process.
 */
export class SdkCaller {
  readonly plan: CallPlan;
  isDone = false;
  readonly #options: SdkCallerOptions;
  readonly #random: Random;
  readonly #timeoutMs: number;
  #actor: Actor;
  #hasBegun = false;
  #isStopped = false;
  #tries = 0;
  #givesUpLeft: number;
  /** Gives the open request up. */
  #giveUp: () => void = () => {};
  /** The last result that a connection accepted, and the request that it answers; noted where results are given up. */
  #lastResult: { readonly request?: unknown; readonly atMs?: number } = {};
  #hasCancelled = false;
  /** Resolves when the server accepted the last cancellation, or did not: the next call comes behind it. */
  #cancelled: Promise<void> | undefined;

  constructor(options: SdkCallerOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#givesUpLeft = options.plan.givesUpResults ?? 0;
    this.#random = options.world.random.fork();
    this.#timeoutMs = this.#random.pick([1_500, 10_000, 60_000]);
    this.#actor = newActor(options.plan.name);
  }

  begin(afterMs: number): void {
    const { world } = this.#options;
    world.after(afterMs, () => this.#live(), world.director);
    for (const { atMs, what } of this.plan.interventions) {
      if (what === "drop") world.after(afterMs + atMs, () => this.leave(), world.director);
    }
  }

  /** A connection accepted the result of a request: it may give that up before it has the result. */
  resultAccepted(request: unknown, atMs: number): void {
    if (this.plan.givesUpResults === undefined) return;
    this.#lastResult = { request, atMs };
    if (this.#givesUpLeft <= 0) return;
    this.#givesUpLeft -= 1;
    this.#options.world.nextTurn(() => this.#giveUp(), this.#actor);
  }

  stopCalling(): void {
    this.#isStopped = true;
  }

  #note(kind: string, facts: Facts = {}): void {
    const { name: caller, owner } = this.plan;
    if (this.#actor.isAlive) this.#options.history.add(kind, { caller, owner, ...facts });
  }

  #live(): void {
    if (this.isDone || this.#isStopped) return;
    this.#hasBegun = true;
    this.#cancelled = undefined;
    this.#lastResult = {};
    this.#actor = newActor(this.plan.name);
    this.#options.world.after(1, () => void this.#callUntilDone(), this.#actor);
  }

  /** Ends without a word, and may come back as another process. */
  leave(): void {
    if (!this.#hasBegun || this.isDone || !this.#actor.isAlive) return;
    const { world, network } = this.#options;
    this.#note("drops");
    this.#actor.isAlive = false;
    network.leave(this.#actor);
    if (this.#random.percent(this.plan.returnsPercent)) {
      world.after(this.#random.pick([20, 3_000]), () => this.#live(), world.director);
    } else this.isDone = true;
  }

  async #callUntilDone(): Promise<void> {
    let client: Client | undefined;
    while (!this.isDone && !this.#isStopped) {
      try {
        client ??= await this.#connect();
        // It may have been stopped while it connected.
        if (this.#isStopped || (await this.#call(client))) break;
      } catch (error) {
        this.#note("mcp_failed", { how: String(error) });
        // A request that took too long leaves the session as it is; after anything else it begins again.
        if (!(error instanceof McpError) || error.code !== ErrorCode.RequestTimeout) {
          await client?.close();
          client = undefined;
        }
      }
      if (!this.#random.percent(this.plan.returnsPercent)) break;
      await this.#pause(this.#random.pick([20, 500, 3_000]));
      if (this.#cancelled !== undefined) await this.#cancelled;
    }
    this.isDone = true;
    await client?.close();
  }

  async #connect(): Promise<Client> {
    const client = new Client({ name: this.plan.name, version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => this.#answer());
    const transport = new HostTransport((...cancelled) => this.#noteCancellation(...cancelled));
    await client.connect(transport, { timeout: this.#timeoutMs });
    return client;
  }

  /**
   * Once the server accepted that a request is cancelled, the result that was sent a moment before does not count as delivered.
   * Of the later ones nothing is known: a server ignores all of a client whose cancellations come too late, or again.
   */
  #noteCancellation(requestId: unknown, accepted: Promise<void>): void {
    if (this.plan.givesUpResults === undefined) return;
    const { request, atMs: acceptedMs } = this.#lastResult;
    const note = () => {
      if (request !== requestId || acceptedMs === undefined) return;
      const counts = !this.#hasCancelled && this.#options.world.nowMs - acceptedMs <= crossingMs;
      this.#hasCancelled = true;
      if (counts) this.#note("withdrawn", { acceptedMs });
    };
    this.#cancelled = accepted.then(note, () => {});
  }

  async #answer(): Promise<ElicitResult> {
    await this.#pause(this.#random.pick([5, 300, 4_000]));
    if (!this.#random.percent(this.plan.answersPercent)) return new Promise(() => {});
    return { action: "accept", content: { word: `${this.plan.name}-${this.#tries}` } };
  }

  /** @returns whether the call is over. */
  async #call(client: Client): Promise<boolean> {
    this.#tries += 1;
    let before = -1;
    const onprogress = ({ progress }: { readonly progress: number }) => {
      this.#note("sdk_progress", { progress, before });
      before = progress;
    };
    const request = { name: this.plan.tool, arguments: this.plan.input as JsonObject, _meta: metaOf(this.plan) };
    const user = new AbortController();
    this.#giveUp = () => {
      this.#note("gives_up");
      user.abort("The user gave up.");
    };
    const { isError, structuredContent } = await client.callTool(request, undefined, {
      timeout: this.#timeoutMs,
      onprogress,
      signal: user.signal,
    });
    const structured = isJsonObject(structuredContent) ? structuredContent : {};
    const code = isJsonObject(structured.error) ? String(structured.error.code) : undefined;
    const isWhole = isError !== true && typeof structured.done === "number";
    this.#note("sdk_result", { isError: isError === true, isWhole, code });
    return isWhole || (structured.status !== "running" && !/^STORE_|_EXCEEDED$/.test(code ?? ""));
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.#options.world.after(ms, resolve, this.#actor));
  }
}
