import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgresAdmin } from "@resumable-mcp/store-postgres/admin";
import { type PostgresServer, startPostgres } from "@resumable-mcp/store-postgres/testing";
import { damageOf } from "../kills/damage-of.js";
import { createRandom, histogram, type Random } from "../kills/kill-plan.js";
import { beginLife, beginProcess, type Life, type LifeLine } from "../kills/life.js";
import { freePorts, type RoundRobin, startRoundRobin } from "../kills/round-robin.js";
import { StormHistory } from "../kills/storm-history.js";
import type { StormReport } from "../kills/weather.js";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { CallBoard } from "./call-board.js";
import { type ClientKind, type ClientOrder, clientKinds } from "./clients/call.js";
import { killDatabase } from "./database-kills.js";
import { endReplica, killNow } from "./end-replica.js";
import { describeReplicas, judgeReplicas, readStoredTasks } from "./judge-replicas.js";
import { type Networks, startNetworks } from "./partitions.js";
import { buildWith } from "./put-back.js";
import { replicaCommand, replicaEnvironment } from "./replica-command.js";

/** How hard the storm is. */
export interface ReplicaStormOptions {
  /** Kills of servers, of clients and of the database, whose kills are every tenth. */
  readonly kills: number;
  /** Calls at once, of all clients together. */
  readonly tasks: number;
  readonly servers: number;
  readonly seed: number;
  /** The networks break, too: between clients and servers, and between servers and the database. */
  readonly partitions: boolean;
  /** A defect that is put into the servers' store. */
  readonly defect: string | undefined;
  /** Keep what was noted also where there is no problem. */
  readonly keep: boolean;
}

/** How long what is left has after the last kill; with a defect some of it never ends. */
const calmMs = ({ defect }: ReplicaStormOptions): number => (defect === undefined ? 600_000 : 90_000);
/** A process that does less than it should before its kill is waited for, at most so long for each call that is open. */
const patienceMs = 300;
/** Each process lives at least so long, in milliseconds, and does so many things that are noted: slow machines make longer lives. */
const replicaLives: Lives = { ms: [50, 6_000], notes: [1, 100] };
/** Long enough to lose a lease and to go on. */
const partitionedLives: Lives = { ms: [50, 25_000], notes: [1, 100] };
const clientLives: Lives = { ms: [1_000, 15_000], notes: [1, 30] };

interface Lives {
  readonly ms: readonly [low: number, high: number];
  readonly notes: readonly [low: number, high: number];
}

/** Kills servers, clients and their database again and again, and checks what was called, what ran and what is stored. */
export async function runReplicas(options: ReplicaStormOptions): Promise<StormReport> {
  const { kills, tasks, servers, seed } = options;
  console.log(`storm: ${kills} kills, ${tasks} calls at once, ${servers} servers on PostgreSQL, seed ${seed}`);
  const folder = await temporaryFolder();
  const database = await startPostgres();
  const ports = await freePorts(servers);
  const proxy = await startRoundRobin(ports);
  const other = options.defect === undefined ? undefined : await buildWith(options.defect);
  const { environment = {} } = other ?? {};
  const storm = new ReplicaStorm(options, { database, proxy, ports, environment, directory: folder.directory });
  try {
    const report = await storm.run();
    if (options.keep || report.problems.length > 0) {
      const file = `${folder.directory}-evidence.json`;
      await writeFile(file, JSON.stringify(storm.history.inOrder()));
      console.log(`what was noted is in ${file}`);
    }
    return report;
  } finally {
    await storm.end();
    await other?.remove();
    await proxy.close();
    await database.stop();
    await folder.remove();
  }
}

interface Places {
  readonly database: PostgresServer;
  readonly proxy: RoundRobin;
  readonly ports: readonly number[];
  /** Of the servers, in addition to this process's own. */
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
}

/** A process, and how to wait until it has noted so much. */
interface Running {
  readonly life: Life;
  readonly untilNoted: (count: number) => Promise<void>;
}

class ReplicaStorm {
  readonly history = new StormHistory();
  readonly #options: ReplicaStormOptions;
  readonly #places: Places;
  readonly #boards: ReadonlyMap<ClientKind, CallBoard>;
  readonly #clientIds: ReadonlyMap<ClientKind, string>;
  readonly #living = new Set<Life>();
  readonly #killed: string[] = [];
  #networks: Networks | undefined;
  #troubles: readonly string[] = [];
  readonly #problems: string[] = [];
  readonly #enough = new AbortController();

  constructor(options: ReplicaStormOptions, places: Places) {
    this.#options = options;
    this.#places = places;
    this.#clientIds = new Map(clientKinds.map((kind) => [kind, randomUUID()]));
    const each = Math.ceil(options.tasks / clientKinds.length);
    const boards = [...this.#clientIds].map(
      ([kind, id]) => [kind, new CallBoard(kind, `client:local/${id}`, options.seed, each)] as const,
    );
    this.#boards = new Map(boards);
  }

  async run(): Promise<StormReport> {
    if (this.#options.partitions) this.#networks = await this.#startNetworks();
    const troubles = this.#networks?.run(this.#seedOf(2_000), this.#enough.signal);
    const slots = this.#places.ports.map((port, slot) => this.#runReplica(port, createRandom(this.#seedOf(slot))));
    const clients = clientKinds.map((kind, index) => this.#runClient(kind, createRandom(this.#seedOf(100 + index))));
    await Promise.all([...slots, this.#killDatabases(createRandom(this.#seedOf(1_000)))]);
    this.#troubles = (await troubles) ?? [];
    const leftMs = calmMs(this.#options);
    console.log(`${this.#killed.length} kills; what is left has ${leftMs / 1_000} s`);
    const calm = new AbortController();
    const tooLate = pause(leftMs, false, { signal: calm.signal }).catch(() => false);
    const all = await Promise.race([Promise.all(clients).then(() => true), tooLate]);
    calm.abort();
    this.history.add("ended", { all });
    await this.end();
    return this.#report();
  }

  async end(): Promise<void> {
    this.#enough.abort();
    for (const life of this.#living) life.kill("SIGKILL");
    await Promise.allSettled([...this.#living].map((life) => life.death));
    const networks = this.#networks;
    this.#networks = undefined;
    await networks?.close();
  }

  #startNetworks(): Promise<Networks> {
    const { database, proxy, ports } = this.#places;
    const onTrouble = (end: ClientKind | number) => {
      if (typeof end === "number") this.history.add("fault", { fault: "partition", port: end });
      else this.#noteLostAnswers(end);
    };
    return startNetworks({ database: database.url, proxy: proxy.url, ports, onTrouble });
  }

  #seedOf(part: number): number {
    return this.#options.seed * 10_007 + part;
  }

  get #isEnough(): boolean {
    return this.#enough.signal.aborted;
  }

  /** Kills one life of a replica after the other; the last one stays. */
  async #runReplica(port: number, random: Random): Promise<void> {
    while (!this.#isEnough) {
      const running = this.#beginReplica(port);
      await running.life.ready;
      await this.#liveOn(running, this.#options.partitions ? partitionedLives : replicaLives, random);
      const noteFreeze = () => this.history.add("fault", { fault: "freeze", worker: running.life.name });
      this.#count(await endReplica(running.life, { random, noteFreeze, signal: this.#enough.signal }));
    }
    await this.#beginReplica(port).life.ready;
  }

  /** The same for the clients of one kind; the last process ends when all that was called has its result. */
  async #runClient(kind: ClientKind, random: Random): Promise<void> {
    while (!this.#isEnough) {
      const running = await this.#beginClient(kind);
      await this.#liveOn(running, clientLives, random);
      await killNow(running.life);
      this.#count(`the clients ${kind}`);
    }
    const { life: last } = await this.#beginClient(kind);
    last.end();
    await last.death.catch(() => {});
  }

  /** Every tenth kill, the fifth one first. */
  async #killDatabases(random: Random): Promise<void> {
    while (!this.#isEnough) {
      if (this.#killed.length % 10 !== 4) {
        await pause(20);
        continue;
      }
      this.history.add("fault", { fault: "database" });
      this.#count(await killDatabase(this.#places.database, random));
    }
  }

  /** Waits until it is time for a process to end. */
  async #liveOn({ life, untilNoted }: Running, { ms, notes }: Lives, random: Random): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.#enough.signal, over.signal]);
    const tooLong = pause(patienceMs * this.#options.tasks, undefined, { signal });
    const lived = Promise.all([
      pause(random.between(...ms), undefined, { signal }),
      untilNoted(random.between(...notes)),
    ]);
    await Promise.race([lived, tooLong, life.death]).catch(() => {});
    over.abort();
    await Promise.allSettled([tooLong]);
  }

  #count(what: string): void {
    if (this.#isEnough) return;
    this.#killed.push(what);
    const { length } = this.#killed;
    if (length % 50 === 0) console.log(`${length} kills, ${this.#complete} calls complete`);
    if (length >= this.#options.kills) this.#enough.abort();
  }

  get #complete(): number {
    return [...this.#boards.values()].reduce((sum, { complete }) => sum + complete, 0);
  }

  #beginReplica(port: number): Running {
    const { database, environment } = this.#places;
    const command = replicaCommand(port, this.#networks?.urlOf(port) ?? database.url);
    return this.#begin((hear) => beginProcess(command, hear, { ...environment, ...replicaEnvironment }));
  }

  async #beginClient(kind: ClientKind): Promise<Running> {
    const { directory, proxy } = this.#places;
    const url = this.#networks?.urlOf(kind) ?? proxy.url;
    const folder = join(directory, kind);
    await mkdir(folder, { recursive: true });
    const clientId = this.#clientIds.get(kind) ?? "";
    const places = this.#boards.get(kind)?.places() ?? [];
    const order: ClientOrder = { kind, url, clientId, folder, seed: this.#options.seed, places };
    return this.#begin((hear) => beginLife("replicas/replica-client.js", order, hear), kind);
  }

  #begin(program: (hear: (line: LifeLine) => void) => Life, kind?: ClientKind): Running {
    let noted = 0;
    const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
    const life: Life = program((line) => {
      if (line.kind === "error") this.#problems.push(`G12: ${line.text}`);
      if (line.kind !== "noted") return;
      noted += 1;
      for (const { count, resolve } of waiting) if (noted >= count) resolve();
      this.history.hear(life.name, line.event);
      if (kind === undefined) return;
      this.#boards.get(kind)?.hear(line.event);
      const { caller, task } = line.event;
      if (line.event.kind === "client_result")
        this.history.hear(life.name, { ...line.event, kind: "accepted", caller, task });
    });
    this.#living.add(life);
    if (kind === undefined) this.history.add("started", { worker: life.name });
    const noteEnd = () => {
      this.#living.delete(life);
      if (kind === undefined) this.history.add("died", { worker: life.name });
      if (kind === undefined) return;
      for (const caller of this.#boards.get(kind)?.open ?? []) this.history.add("client_dies", { caller });
      this.#noteLostAnswers(kind);
    };
    life.death.then(noteEnd, (error: unknown) => {
      noteEnd();
      this.#problems.push(String(error));
    });
    return { life, untilNoted: (count) => new Promise((resolve) => waiting.push({ count, resolve })) };
  }

  /** What a kernel or a network accepted counts as delivered, though no client has read it. */
  #noteLostAnswers(kind: ClientKind): void {
    for (const caller of this.#boards.get(kind)?.open ?? [])
      this.history.add("accepted", { caller, status: "unknown" });
  }

  async #report(): Promise<StormReport> {
    const boards = [...this.#boards.values()];
    const stored = await readStoredTasks(this.#places.database.url);
    const events = this.history.inOrder();
    const calls = boards.flatMap((board) => board.calls);
    const problems = judgeReplicas({ ...stored, calls, open: boards.flatMap(({ open }) => open), events });
    const damage = await damageOf(openPostgresAdmin({ connectionString: this.#places.database.url }));
    const lines = [...describeReplicas(events, stored.tasks)];
    const row = ([text, count]: readonly [string, number]) => `${String(count).padStart(6)}  ${text}`;
    const broken = histogram(this.#troubles).map(row);
    if (broken.length > 0) lines.push(`${this.#troubles.length} partitions:`, ...broken);
    const complete = [...this.#boards].map(([kind, { complete: count }]) => `${count} of ${kind}`).join(", ");
    return {
      lines: [`${this.#killed.length} kills:`, ...histogram(this.#killed).map(row), ...lines, `results: ${complete}`],
      problems: [...this.#problems, ...damage, ...problems],
      complete: `${this.#complete} calls`,
    };
  }
}
