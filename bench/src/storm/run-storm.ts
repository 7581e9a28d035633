import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { createRandom, histogram, type KillPoint, type Random } from "../kills/kill-plan.js";
import { programWith } from "../kills/life.js";
import { type RoundRobin, startRoundRobin } from "../kills/round-robin.js";
import { killNow, type Lives, type Program, type Running, Weather } from "../kills/weather.js";
import { CallBoard } from "./call-board.js";
import { type ClientKind, type ClientOrder, clientKinds } from "./clients/call.js";
import { killDatabase } from "./database-kills.js";
import { type Networks, startNetworks } from "./partitions.js";
import { replicaOn, runningAtOnce } from "./replica.js";
import { reportOn, type Storm, type StormOutcome } from "./report.js";
import type { SharedStore } from "./shared-store.js";

/** How hard the storm is. */
export interface StormOptions {
  /** Kills of replicas, of clients and of the database, whose kills are every tenth. */
  readonly kills: number;
  /** Calls at once, of all clients together. */
  readonly tasks: number;
  readonly replicas: number;
  readonly seed: number;
  /** The networks break, too: between clients and replicas, and between replicas and the database. */
  readonly partitions: boolean;
  readonly keep: boolean;
}

const replicaLives: Lives = { ms: [50, 6_000], notes: [1, 100] };
/** Long enough to lose a lease and to go on. */
const partitionedLives: Lives = { ms: [50, 25_000], notes: [1, 100] };
const clientLives: Lives = { ms: [1_000, 15_000], notes: [1, 30] };
/** How long what is left has after the last kill. */
const calmMs = 600_000;
/** Longer than a lease, which is 15 s. */
const sleepMs = 17_000;

/** Kills replicas, clients and the database again and again, and checks what was called, what ran and what is stored. */
export function runStorm(options: StormOptions, store: SharedStore): Promise<void> {
  return reportOn(new ReplicaStorm(options, store), store, options.keep);
}

class ReplicaStorm implements Storm {
  readonly weather: Weather;
  readonly #options: StormOptions;
  readonly #store: SharedStore;
  readonly #boards: ReadonlyMap<ClientKind, CallBoard>;
  readonly #clientIds: ReadonlyMap<ClientKind, string>;
  #proxy: RoundRobin | undefined;
  #networks: Networks | undefined;

  constructor(options: StormOptions, store: SharedStore) {
    const { kills, tasks, partitions, seed } = options;
    this.#options = options;
    this.#store = store;
    this.weather = new Weather({
      kills,
      tasks,
      sleepMs,
      lives: partitions ? partitionedLives : replicaLives,
      points: store.points,
      progress: () => `${sum([...this.#boards.values()].map((board) => board.complete))} calls complete`,
    });
    this.#clientIds = new Map(clientKinds.map((kind) => [kind, randomUUID()]));
    const each = Math.ceil(tasks / clientKinds.length);
    const boards = [...this.#clientIds].map(
      ([kind, id]) => [kind, new CallBoard(kind, `client:local/${id}`, seed, each)] as const,
    );
    this.#boards = new Map(boards);
  }

  async run(): Promise<StormOutcome> {
    const { weather } = this;
    const slots = Array.from({ length: this.#options.replicas }, (_, slot) => slot);
    this.#proxy = await startRoundRobin(() => weather.urls());
    const proxy = this.#proxy.url;
    if (this.#options.partitions) this.#networks = await this.#startNetworks(proxy, slots);
    const troubles = this.#networks?.run(this.#seedOf(2_000), weather.signal);
    const replicas = slots.map((slot) =>
      weather.runReplica((point) => this.#replica(slot, point), createRandom(this.#seedOf(slot))),
    );
    const clients = clientKinds.map((kind, index) =>
      this.#runClient(kind, proxy, createRandom(this.#seedOf(100 + index))),
    );
    await Promise.all([...replicas, this.#killDatabases(createRandom(this.#seedOf(1_000)))]);
    const broken = (await troubles) ?? [];
    console.log(`${weather.kills} kills; what is left has ${calmMs / 1_000} s`);
    const calm = new AbortController();
    const tooLate = pause(calmMs, false, { signal: calm.signal }).catch(() => false);
    const all = await Promise.race([Promise.all(clients).then(() => true), tooLate]);
    calm.abort();
    weather.history.add("ended", { all });
    const boards = [...this.#boards.values()];
    const complete = [...this.#boards].map((board) => `${board[1].complete} of ${board[0]}`).join(", ");
    return {
      calls: boards.flatMap(({ calls }) => calls),
      open: boards.flatMap(({ open }) => open),
      limits: runningAtOnce,
      lines: [`${broken.length} partitions`, ...histogram(broken), `results: ${complete}`],
    };
  }

  async end(): Promise<void> {
    await this.weather.end();
    await this.#networks?.close();
    await this.#proxy?.close();
  }

  #startNetworks(proxy: string, slots: readonly number[]): Promise<Networks> {
    const { place: store, database } = this.#store;
    const onTrouble = (end: ClientKind | number) => {
      if (typeof end === "number") this.weather.history.add("fault", { fault: "partition", slot: end });
      else this.#noteLostAnswers(end);
    };
    return startNetworks({ store, proxy, slots: database === undefined ? [] : slots, onTrouble });
  }

  #seedOf(part: number): number {
    return this.#options.seed * 10_007 + part;
  }

  #replica(slot: number, point: KillPoint | undefined): Program {
    const { words, environment } = replicaOn(this.#networks?.urlOf(slot) ?? this.#store.place);
    return { words, environment: { ...environment, ...this.#store.environment(point) } };
  }

  /** Kills one process of clients after the other; the last one ends when all that was called has its result. */
  async #runClient(kind: ClientKind, proxy: string, random: Random): Promise<void> {
    const { weather } = this;
    while (!weather.isEnough) {
      const running = await this.#beginClient(kind, proxy);
      await weather.liveOn(running, clientLives, random);
      await killNow(running.life);
      weather.count(`the clients ${kind}`);
    }
    const { life: last } = await this.#beginClient(kind, proxy);
    last.end();
    await last.death.catch(() => {});
  }

  /** Every tenth kill, the fifth one first. */
  async #killDatabases(random: Random): Promise<void> {
    const { database } = this.#store;
    while (database !== undefined && !this.weather.isEnough) {
      if (this.weather.kills % 10 !== 4) {
        await pause(20);
        continue;
      }
      this.weather.history.add("fault", { fault: "database" });
      this.weather.count(await killDatabase(database, random));
    }
  }

  async #beginClient(kind: ClientKind, proxy: string): Promise<Running> {
    const { history } = this.weather;
    const url = this.#networks?.urlOf(kind) ?? proxy;
    const folder = join(this.#store.directory, kind);
    await mkdir(folder, { recursive: true });
    const clientId = this.#clientIds.get(kind) ?? "";
    const board = this.#boards.get(kind);
    const order: ClientOrder = { kind, url, clientId, folder, seed: this.#options.seed, places: board?.places() ?? [] };
    const hear: Program["hear"] = (line, life) => {
      if (line.kind !== "noted") return;
      board?.hear(line.event);
      if (line.event.kind === "client_result") history.hear(life.name, { ...line.event, kind: "accepted" });
    };
    const running = this.weather.begin({ words: programWith("storm/client.js", order), hear });
    const noteEnd = () => {
      for (const caller of board?.open ?? []) history.add("client_dies", { caller });
      this.#noteLostAnswers(kind);
    };
    running.life.death.then(noteEnd, noteEnd);
    return running;
  }

  /** What a kernel or a network accepted counts as delivered, though no client has read it. */
  #noteLostAnswers(kind: ClientKind): void {
    for (const caller of this.#boards.get(kind)?.open ?? [])
      this.weather.history.add("accepted", { caller, status: "unknown" });
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
