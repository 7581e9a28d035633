import { createEngine, type Engine, type EngineOptions, type Store, type Tool } from "@resumable-mcp/core";
import {
  createBothErasHandler,
  createJsonSchemaValidator,
  createSessionHandler,
  type HttpHandler,
} from "@resumable-mcp/mcp";
import { createHandler2026 } from "@resumable-mcp/mcp/2026";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { createFsStore, type Host, type ProcessIdentity } from "@resumable-mcp/store-fs";
import { createPostgresStore } from "@resumable-mcp/store-postgres";
import { createSimulatedPool } from "../database/database-client.js";
import type { DatabaseServer } from "../database/database-server.js";
import type { History } from "../history/history.js";
import { type Actor, newActor, type World } from "../world/world.js";
import { type Machine, storeFolder } from "./machine.js";
import { createProcessDisk, type ProcessFaults } from "./process-disk.js";

/** When a question is shown again whose answer could not be stored: sooner than is usual. */
const askAgainMs = 2_000;

/** What a server wrote last is with its callers after this time. */
const lastBytesMs = 20;

/** How the workers of a run are set up. */
export interface WorkerSettings {
  readonly durability: "machine" | "process";
  /** Each process is in a namespace of its own, as in containers: only its heartbeat tells that it lives. */
  readonly isIsolated: boolean;
  readonly limits: NonNullable<EngineOptions["limits"]>;
  readonly storeLimits: { readonly [name: string]: number };
  readonly tools: (worker: Worker) => readonly Tool[];
}

interface WorkerOptions {
  readonly world: World;
  readonly machine: Machine;
  /** Where its store is; absent: in a folder of its machine. */
  readonly database: DatabaseServer | undefined;
  readonly history: History;
  readonly settings: WorkerSettings;
  /** Which other processes live, as the machine tells. */
  readonly isAlive: (other: ProcessIdentity) => boolean;
  /** Called at each named point; whether the process dies there. */
  readonly diesAt: (point: string, worker: Worker) => boolean;
  /** Whether it is to die at a call of the disk, before or after the call takes effect. */
  readonly diesAtCall: (call: string, path: string, worker: Worker) => { readonly isBefore: boolean } | undefined;
}

let lastPid = 1_000;

/** Begins to count processes again, so that a run does not depend on the one before. */
export function resetProcessIds(): void {
  lastPid = 1_000;
}

/** One process with the real engine and the real store on its machine's disk. */
export class Worker {
  readonly actor: Actor;
  readonly engine: Engine;
  readonly identity: ProcessIdentity;
  readonly machine: Machine;
  /** It ended by itself. */
  hasExited = false;
  /** What is wrong with it. */
  readonly faults: ProcessFaults = { death: undefined, noFilesUntilMs: 0 };
  readonly #options: WorkerOptions;
  #http: HttpHandler | undefined;
  readonly #onDeath: (() => void)[] = [];
  /** The tasks whose folders are in place, and which have no marker yet. */
  readonly #making = new Set<string>();

  constructor(options: WorkerOptions) {
    const { machine, history, settings } = options;
    this.#options = options;
    this.machine = machine;
    lastPid += 1;
    this.actor = newActor(`p${lastPid}`);
    this.actor.wallAheadMs = machine.wallAheadMs;
    this.identity = {
      host: machine.name,
      bootId: machine.bootId,
      processNamespace: settings.isIsolated ? `container-${lastPid}` : machine.name,
      pid: lastPid,
      startTime: String(lastPid),
    };
    this.engine = createEngine({
      store: options.database === undefined ? this.#openFolder() : this.#openDatabase(options.database),
      tools: settings.tools(this),
      limits: settings.limits,
      validateJsonSchema: createJsonSchemaValidator(),
      observer: (point) => this.#reach(point),
      onError: (error) => this.#noteError(error),
    });
    history.add("started", { worker: this.actor.name });
  }

  #openFolder(): Store {
    const { world, machine, history, settings, diesAtCall } = this.#options;
    const disk = createProcessDisk({
      world,
      machine,
      actor: this.actor,
      faults: this.faults,
      die: () => this.die("at a call of the disk"),
      diesAt: (call, path) => diesAtCall(call, path, this),
    });
    return createFsStore({
      directory: storeFolder,
      durability: settings.durability,
      limits: settings.storeLimits,
      disk,
      host: this.#host(),
      observer: (point, task) => this.#reachOfStore(point, task),
      onWarning: (message) => history.add("warning", { worker: this.actor.name, message }),
    });
  }

  #openDatabase(server: DatabaseServer): Store {
    const { world, machine, history, settings } = this.#options;
    const process = {
      actor: this.actor,
      host: machine.name,
      reachCall: (isBefore: boolean) => this.#reachStatement(isBefore),
      onDeath: (run: () => void) => this.onDeath(run),
    };
    return createPostgresStore({
      pool: createSimulatedPool({ world, server, process }),
      limits: settings.storeLimits,
      onWarning: (message) => history.add("warning", { worker: this.actor.name, message }),
    });
  }

  /** It may die before or after it sends a statement. */
  #reachStatement(isBefore: boolean): void {
    const { death } = this.faults;
    if (death === undefined || !this.isAlive || death.isBefore !== isBefore || --death.callsLeft > 0) return;
    this.die("at a statement");
  }

  /** Its MCP endpoint for clients of both eras, over HTTP. */
  get http(): HttpHandler {
    this.#http ??= this.#endpoint();
    return this.#http;
  }

  #endpoint(): HttpHandler {
    const { engine } = this;
    const definition = defineServer({ name: "simulated", version: "1.0.0", tools: engine.tools });
    const onError = (error: unknown) => this.#noteError(error);
    return createBothErasHandler({
      maxBodyBytes: 1_000_000,
      era2025: async () =>
        createSessionHandler({
          engine,
          definition,
          limits: { askAgainMs },
          onError,
        }),
      era2026: async () => createHandler2026({ engine, definition, onError }),
    });
  }

  get isAlive(): boolean {
    return this.actor.isAlive;
  }

  /** Kills the process: nothing that it began happens any more. */
  die(reason: string): void {
    this.#stop({ reason });
  }

  /** Ends the process as it does by itself. */
  exit(reason: string): void {
    this.hasExited = true;
    this.#stop({ reason, byItself: true });
  }

  #stop(facts: { readonly reason: string; readonly byItself?: boolean }): void {
    if (!this.actor.isAlive) return;
    this.actor.isAlive = false;
    const { history } = this.#options;
    history.add("died", { worker: this.actor.name, ...facts });
    for (const task of this.#making) history.add("half_made", { half: task });
    for (const run of this.#onDeath) run();
  }

  /** Ends the process as a server ends that is asked to: its last answers go out before. */
  shutDown(): void {
    const end = () => this.exit("shut down");
    this.run((engine) => {
      const last = async () => {
        await engine.drain();
        await this.#http?.close();
        this.#options.world.after(lastBytesMs, () => engine.close().then(end, end), this.actor);
      };
      last().catch(end);
    });
  }

  /** Calls back when the process dies, as a broken connection does. */
  onDeath(run: () => void): void {
    if (this.isAlive) this.#onDeath.push(run);
    else run();
  }

  /** Kills the process when so many turns of its event loop are over. */
  dieAfterTurns(turns: number): void {
    let left = turns;
    this.actor.beforeTurn = () => {
      left -= 1;
      if (left < 0) this.die("between two turns of its event loop");
    };
  }

  /** Freezes the process when so many turns of its event loop are over: of what comes meanwhile it hears afterwards. */
  freezeAfterTurns(turns: number, ms: number, onFrozen: (ms: number) => void): void {
    if (this.actor.beforeTurn !== undefined) return;
    const { world, history } = this.#options;
    let left = turns;
    this.actor.beforeTurn = () => {
      left -= 1;
      if (left >= 0) return;
      this.actor.beforeTurn = undefined;
      this.actor.frozenUntilMs = world.nowMs + ms;
      history.add("stands_still", { worker: this.actor.name, ms });
      onFrozen(ms);
    };
  }

  /** Runs code in the name of the process, in a turn of its own. */
  run(code: (engine: Engine) => void): void {
    this.#options.world.nextTurn(() => code(this.engine), this.actor);
  }

  #reachOfStore(point: string, task: string | undefined): void {
    if (task !== undefined && point === "store.create.published") this.#making.add(task);
    if (task !== undefined && point === "store.create.synced") this.#making.delete(task);
    this.#reach(point);
  }

  #reach(point: string): void {
    const { history, diesAt } = this.#options;
    if (!this.actor.isAlive) return;
    history.reach(point);
    if (!diesAt(point, this)) return;
    history.crossed(point);
    this.die(`at ${point}`);
  }

  #noteError(error: unknown): void {
    if (!this.actor.isAlive) return;
    this.#options.history.add("error", { worker: this.actor.name, message: String(error) });
  }

  #host(): Host {
    return {
      identity: this.identity,
      processState: (other) => {
        const { host, bootId, processNamespace } = this.identity;
        const isVisible = other.host === host && other.bootId === bootId && other.processNamespace === processNamespace;
        if (!isVisible) return "unknown";
        return this.#options.isAlive(other) ? "alive" : "dead";
      },
    };
  }
}
