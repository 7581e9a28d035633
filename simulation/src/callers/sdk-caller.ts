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

interface SdkCallerOptions {
  readonly world: World;
  readonly history: History;
  readonly network: VirtualFetch;
  readonly plan: CallPlan;
}

const url = new URL("http://127.0.0.1:8001/mcp");

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
  #isStopped = false;
  #tries = 0;

  constructor(options: SdkCallerOptions) {
    this.#options = options;
    this.plan = options.plan;
    this.#random = options.world.random.fork();
    this.#timeoutMs = this.#random.pick([1_500, 10_000, 60_000]);
    this.#actor = newActor(options.plan.name);
  }

  begin(afterMs: number): void {
    const { world } = this.#options;
    world.after(afterMs, () => this.#live(), world.director);
    for (const { atMs, what } of this.plan.interventions) {
      if (what === "drop") world.after(afterMs + atMs, () => this.#leave(), world.director);
    }
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
    this.#actor = newActor(this.plan.name);
    this.#options.world.after(1, () => void this.#callUntilDone(), this.#actor);
  }

  #leave(): void {
    if (this.isDone || !this.#actor.isAlive) return;
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
    }
    this.isDone = true;
    await client?.close();
  }

  async #connect(): Promise<Client> {
    const client = new Client({ name: this.plan.name, version: "1" }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, () => this.#answer());
    await client.connect(new StreamableHTTPClientTransport(url), { timeout: this.#timeoutMs });
    return client;
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
    const { isError, structuredContent } = await client.callTool(request, undefined, {
      timeout: this.#timeoutMs,
      onprogress,
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
