import type { DatabaseServer } from "../database/database-server.js";
import { strikeDatabase } from "../database/strike-database.js";
import type { History, HistoryEvent } from "../history/history.js";
import { newDiskFaults, strikeDisk } from "../machine/disk-faults.js";
import { createMachines, type Machine } from "../machine/machine.js";
import { Worker, type WorkerSettings } from "../machine/worker.js";
import { isNetworkFault } from "../world/network.js";
import type { Random } from "../world/random.js";
import type { Actor, World } from "../world/world.js";
import type { Fault } from "./draw-fault.js";
import { AwaitedMoments } from "./moments.js";
import { PlaceDeaths } from "./place-deaths.js";
import { isPlannedDeath, type PlannedDeaths, PointDeaths } from "./point-deaths.js";

/** A server that ended by itself is started again after this time. */
const pauseMs = 1_000;

/** From the end of a tool until its result is written its process has fewer turns. */
const turnsUntilResult = 12;

interface ClusterOptions {
  readonly world: World;
  /** Where the store is, of workers on machines of their own; absent: on the disk of one machine. */
  readonly database: DatabaseServer | undefined;
  readonly history: History;
  readonly settings: WorkerSettings;
  readonly workers: number;
  /** A worker that died is started again after this time. */
  readonly restartMs: number;
  /** A process is frozen for so many milliseconds, in which its callers may leave. */
  readonly onStandstill: (ms: number) => void;
}

/** The workers of a run on their machine, and what is done to them. */
export class Cluster {
  readonly #options: ClusterOptions;
  readonly #machines: ReturnType<typeof createMachines>;
  readonly #random: Random;
  readonly #workers = new Map<Actor, Worker>();
  readonly #slots: (Worker | undefined)[];
  readonly #deaths: readonly PlannedDeaths<Fault>[];
  readonly #pointDeaths = new PointDeaths();
  /** They drain while another has taken their place. */
  readonly #replaced = new Set<Worker>();
  /** The workers with whose death the power is lost. */
  readonly #takesPower = new Set<Worker>();
  readonly #placeDeaths = new PlaceDeaths();
  readonly #moments: AwaitedMoments<Omit<Fault, "kind">>;
  #isPowered = true;
  #isMounted = true;
  #isCalm = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
    const others = options.database === undefined ? 0 : options.workers - 1;
    this.#machines = createMachines(others, options.world, (effect) => options.history.noteEffect(effect));
    this.#random = options.world.random.fork();
    this.#slots = Array.from({ length: options.workers }, () => undefined);
    this.#moments = new AwaitedMoments(options.database !== undefined);
    options.history.onEvent = (event) => this.#note(event);
    options.history.onEffect = (effect) => this.#note({ kind: `effect ${effect}`, worker: options.world.current.name });
    this.#deaths = this.#slots.map(() => ({ die_at_call: [], die_at_turn: [] }));
  }

  /** Lets what waits for a moment break right after it. */
  #note(event: { readonly kind: string; readonly worker?: HistoryEvent["worker"] }): void {
    const fault = this.#moments.note(event);
    if (fault === undefined) return;
    const slot = Math.max(0, this.#slots.indexOf(this.#slots.find((worker) => worker?.actor.name === event.worker)));
    const isKill = fault.kind === "power" && this.#options.settings.durability === "process";
    this.#later(0, () => this.strike({ ...fault, slot, kind: isKill ? "kill_all" : fault.kind }));
  }

  #machineOf(slot: number): Machine {
    return this.#machines[slot] ?? this.#machines[0];
  }

  /** A worker that can be reached now. */
  pick(): Worker | undefined {
    const living = this.#slots.filter((worker) => worker?.isAlive === true);
    return living.length === 0 ? undefined : this.#random.pick(living);
  }

  /** The process in whose name code runs. */
  workerOf(actor: Actor): Worker {
    const worker = this.#workers.get(actor);
    if (worker === undefined) throw new RangeError(`${actor.name} is not a process.`);
    return worker;
  }

  /** The tasks that the store has set aside as damaged, and what it reports of them. */
  tasksSetAside(): ReadonlyMap<string, string> {
    return this.#machines[0].tasksSetAside();
  }

  startAll(): void {
    for (const slot of this.#slots.keys()) this.#start(slot);
  }

  #start(slot: number): void {
    if (!this.#isPowered || !this.#isMounted || this.#slots[slot]?.isAlive === true) return;
    const { world, database, history, settings, restartMs } = this.#options;
    const worker = new Worker({
      world,
      machine: this.#machineOf(slot),
      database,
      history,
      settings,
      isAlive: (other) => this.#living.some(({ identity }) => identity.pid === other.pid),
      diesAt: (point, worker) => this.#diesAt(point, worker),
      diesAtCall: (call, path, worker) => this.#diesAtCall(call, path, worker),
    });
    this.#slots[slot] = worker;
    this.#workers.set(worker.actor, worker);
    if (!this.#isCalm) this.#armDeaths(slot, worker);
    worker.onDeath(() => {
      this.#replaced.delete(worker);
      this.#later(worker.hasExited ? pauseMs : restartMs, () => this.#start(slot));
      if (this.#takesPower.delete(worker)) this.#losePower(restartMs);
    });
    worker.run((engine) => void engine.open().catch((error: unknown) => this.#afterOpening(worker, error)));
  }

  /** A server whose store cannot be opened ends, and is started again. */
  #afterOpening(worker: Worker, error: unknown): void {
    if (!worker.isAlive) return;
    this.#options.history.add("not_opened", { worker: worker.actor.name, message: String(error) });
    worker.exit("its store could not be opened");
  }

  get #living(): readonly Worker[] {
    return [...this.#slots, ...this.#replaced].flatMap((worker) => (worker?.isAlive === true ? [worker] : []));
  }

  #later(ms: number, run: () => void): void {
    const { world } = this.#options;
    world.after(ms, run, world.director);
  }

  /** Does what a fault says, unless nothing is to break any more. */
  strike(fault: Fault): void {
    const { kind, slot, amount, point, takesPower } = fault;
    if (this.#isCalm) return;
    const { world, history } = this.#options;
    history.add("fault", { fault: kind, slot, amount, point, takesPower });
    if (isNetworkFault(kind)) world.network.strike(kind, amount, this.#random);
    if (kind === "die_at_place") this.#placeDeaths.add(fault, this.#random);
    if (kind === "at_moment") this.#moments.await(fault, 1 + this.#random.below(3));
    if (isPlannedDeath(kind)) this.#planDeath(kind, fault);
    if (point !== undefined) this.#pointDeaths.add({ point, left: amount, takesPower: takesPower === true });
    this.#strikeMachine(fault);
    strikeDatabase(this.#options.database, fault, { host: this.#machineOf(slot).name, history });
    const worker = this.#slots[slot];
    if (worker?.isAlive === true) this.#strikeWorker(worker, fault);
  }

  #strikeMachine({ kind, slot, amount }: Fault): void {
    const { faults } = this.#machines[0];
    const untilMs = this.#options.world.nowMs + amount;
    if (kind === "power") this.#losePower(amount);
    if (kind === "kill_all" || kind === "clock_while_down") this.#killAll("killed with all others");
    if (kind === "clock" || kind === "clock_while_down") this.#stepClock(this.#machineOf(slot), amount);
    strikeDisk(faults, kind, untilMs);
    if (kind === "rot") this.#noteDamage(this.#machines[0].rot(this.#random));
    if (kind === "lost_end") this.#noteDamage(this.#machines[0].loseEnd(this.#random));
    if (kind === "unmount") this.#unmount(amount);
    if (kind === "remove_folder" && this.#isMounted) this.#machines[0].remove(amount === 0 ? "open" : "done");
  }

  #strikeWorker(worker: Worker, { kind, slot, amount }: Fault): void {
    const untilMs = this.#options.world.nowMs + amount;
    if (kind === "kill") worker.die("killed");
    if (kind === "no_files") worker.faults.noFilesUntilMs = untilMs;
    if (kind === "freeze") worker.actor.frozenUntilMs = untilMs;
    if (kind === "stand_still")
      worker.freezeAfterTurns(this.#random.below(turnsUntilResult), amount, this.#options.onStandstill);
    if (kind === "shut_down") worker.shutDown();
    if (kind === "drift") worker.actor.drift = amount;
    if (kind === "replace") {
      this.#replaced.add(worker);
      this.#slots[slot] = undefined;
      this.#start(slot);
    }
    if (kind === "drain" || kind === "drain_frozen" || kind === "replace") this.#drain(worker);
    if (kind !== "drain_frozen") return;
    this.#later(this.#random.between(0, 200), () => {
      worker.actor.frozenUntilMs = untilMs;
    });
  }

  #diesAt(point: string, worker: Worker): boolean {
    const death = this.#pointDeaths.reach(point);
    if (death?.takesPower === true) this.#takesPower.add(worker);
    return death !== undefined;
  }

  #diesAtCall(call: string, path: string, worker: Worker): { readonly isBefore: boolean } | undefined {
    const death = this.#placeDeaths.reach(call, path);
    if (death?.takesPower === true) this.#takesPower.add(worker);
    return death;
  }

  /** In each life a worker is to die at one call; what is planned beyond that is for its next lives. */
  #planDeath(kind: keyof PlannedDeaths<Fault>, fault: Fault): void {
    const { slot } = fault;
    this.#deaths[slot]?.[kind].push(fault);
    const worker = this.#slots[slot];
    if (worker?.isAlive === true) this.#armDeaths(slot, worker);
  }

  #armDeaths(slot: number, worker: Worker): void {
    const planned = this.#deaths[slot];
    const atCall = worker.faults.death === undefined ? planned?.die_at_call.shift() : undefined;
    if (atCall !== undefined) {
      worker.faults.death = { callsLeft: atCall.amount, isBefore: this.#random.percent(50) };
      if (atCall.takesPower === true) this.#takesPower.add(worker);
    }
    const atTurn = worker.actor.beforeTurn === undefined ? planned?.die_at_turn.shift() : undefined;
    if (atTurn !== undefined) {
      worker.dieAfterTurns(atTurn.amount);
      if (atTurn.takesPower === true) this.#takesPower.add(worker);
    }
  }

  /** Sets the wall clock of a machine. */
  #stepClock(machine: Machine, ms: number): void {
    machine.wallAheadMs += ms;
    for (const worker of this.#living) worker.actor.wallAheadMs = worker.machine.wallAheadMs;
  }

  #drain(worker: Worker): void {
    worker.run((engine) => {
      const done = () => worker.exit("drained");
      engine.close().then(done, done);
    });
  }

  /** Stops every worker as a deployment does: another one is started in its place. */
  replaceAll(): void {
    for (const worker of this.#living) this.#drain(worker);
  }

  #killAll(reason: string): void {
    for (const worker of this.#living) worker.die(reason);
  }

  /** No worker is started while the store's folder is away: it would begin a new store, and rightly so. */
  #unmount(awayMs: number): void {
    if (!this.#isMounted || !this.#isPowered) return;
    this.#isMounted = false;
    this.#machines[0].unmount();
    this.#later(awayMs, () => this.#mount());
  }

  #mount(): void {
    if (this.#isMounted) return;
    this.#isMounted = true;
    this.#machines[0].mount();
    this.startAll();
  }

  #losePower(offMs: number): void {
    if (!this.#isPowered) return;
    this.#mount();
    this.#isPowered = false;
    this.#killAll("the power was lost");
    this.#options.history.add("power_lost", {});
    this.#machines[0].losePower(this.#random);
    this.#later(offMs, () => {
      this.#isPowered = true;
      this.startAll();
    });
  }

  #noteDamage(path: string | undefined): void {
    const [, area, , task] = path?.split("/").slice(1) ?? [];
    if (path !== undefined) this.#options.history.add("rotted", { path, task: area === "tasks" ? task : undefined });
  }

  /** Ends all faults: what still fails from now on is a defect. */
  calm(): void {
    this.#isCalm = true;
    this.#takesPower.clear();
    this.#pointDeaths.clear();
    this.#placeDeaths.clear();
    this.#moments.clear();
    this.#mount();
    this.#isPowered = true;
    this.#options.world.network.calm();
    this.#options.database?.calm();
    Object.assign(this.#machines[0].faults, newDiskFaults());
    for (const worker of this.#living) {
      worker.faults.death = undefined;
      worker.faults.noFilesUntilMs = 0;
      worker.actor.frozenUntilMs = 0;
      worker.actor.beforeTurn = undefined;
    }
    this.startAll();
  }
}
