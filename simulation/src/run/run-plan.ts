import { ownerTag } from "@resumable-mcp/core/engine";
import { observerPoints, type ProcessIdentity } from "@resumable-mcp/store-fs";
import { Caller } from "../callers/caller.js";
import { McpCaller } from "../callers/mcp-caller.js";
import { Prober, probeOwner } from "../callers/prober.js";
import { type Failures, scriptTool } from "../callers/script-tool.js";
import { check } from "../history/check.js";
import { type FinalTask, type Violation, virtualPatience } from "../history/evidence.js";
import { History } from "../history/history.js";
import { Machine } from "../machine/machine.js";
import { resetProcessIds, Worker, type WorkerSettings } from "../machine/worker.js";
import type { Random } from "../world/random.js";
import { enterWorld, leaveWorld, offences } from "../world/virtual-globals.js";
import { World } from "../world/world.js";
import { Closer } from "./closer.js";
import type { Fault, Plan } from "./draw-plan.js";

/** What a run came to. */
export interface Report {
  readonly plan: Plan;
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly digest: string;
  readonly virtualMs: number;
  readonly turns: number;
}

/** After the last fault every task that can end does so within this virtual time. */
export const livenessMs = 900_000;

const points: readonly string[] = [
  ...observerPoints,
  "engine.attempt.started",
  "engine.attempt.ended",
  "engine.checkpoint.before",
  "engine.checkpoint.after",
];

/** The named points at which processes die. */
export const namedPoints: readonly string[] = points;

/** Runs a plan from the first call to the last final event, and judges what was seen. */
export async function runPlan(plan: Plan): Promise<Report> {
  const world = new World(plan.seed);
  enterWorld(world);
  resetProcessIds();
  const run = new Run(world, plan);
  try {
    const tasks = await run.whole();
    const violations = [
      ...check({ plan, patience: virtualPatience, events: run.history.events, tasks }),
      ...offences.map(toViolation),
      ...world.uncaught.map(toUncaught),
    ];
    return {
      plan,
      history: run.history,
      violations,
      digest: run.history.digest(),
      virtualMs: world.nowMs,
      turns: world.turns,
    };
  } finally {
    leaveWorld();
  }
}

function toViolation(what: string): Violation {
  return { rule: "determinism", text: `The run touched ${what}.` };
}

function toUncaught(error: string): Violation {
  return { rule: "G12", text: `An error that no code caught would have ended the process: ${error}` };
}

class Run {
  readonly history: History;
  readonly #world: World;
  readonly #plan: Plan;
  readonly #machine: Machine;
  readonly #settings: WorkerSettings;
  readonly #failures: Failures = new Map();
  readonly #slots: (Worker | undefined)[];
  readonly #random: Random;
  readonly #callers: readonly (Caller | McpCaller)[];
  #isPowered = true;
  #isCalm = false;

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
    this.history = new History(() => world.nowMs);
    this.#machine = new Machine("machine", world);
    this.#random = world.random.fork();
    this.#settings = {
      durability: plan.durability,
      limits: plan.limits,
      storeLimits: plan.storeLimits,
      tools: (worker) => [scriptTool({ history: this.history, failures: this.#failures, worker })],
    };
    this.#slots = Array.from({ length: plan.workers }, () => undefined);
    const pickWorker = () => this.#pickWorker();
    this.#callers = plan.calls.map((call) => {
      const options = { world, history: this.history, pickWorker, plan: call };
      return call.via === "engine" ? new Caller(options) : new McpCaller(options);
    });
  }

  async whole(): Promise<readonly FinalTask[]> {
    const { calls, faults, calmMs, probeEveryMs } = this.#plan;
    for (const slot of this.#slots.keys()) this.#start(slot);
    for (const [index, caller] of this.#callers.entries()) caller.begin(calls[index]?.atMs ?? 0);
    for (const fault of faults) this.#world.after(fault.atMs, () => this.#strike(fault), this.#world.director);
    const pickWorker = () => this.#pickWorker();
    if (probeEveryMs > 0) {
      new Prober({
        world: this.#world,
        history: this.history,
        pickWorker,
        everyMs: probeEveryMs,
        untilMs: calmMs + 10_000,
      }).begin();
    }
    await this.#world.runUntil(calmMs);
    this.#calm();
    if (probeEveryMs > 0) await this.#world.runUntil(calmMs + 11_000);
    const closer = new Closer(this.#world, this.history, () => this.#pickWorker(), ownersOf(this.#plan));
    // After a restart the wall clock says when a wait ends.
    const steppedMs = faults.reduce((sum, { kind, amount }) => sum + (kind === "clock" ? Math.abs(amount) : 0), 0);
    await closer.untilAllEnd(calmMs + livenessMs + steppedMs);
    return closer.readAll();
  }

  #pickWorker(): Worker | undefined {
    const living = this.#slots.filter((worker) => worker?.isAlive === true);
    return living.length === 0 ? undefined : this.#random.pick(living);
  }

  #start(slot: number): void {
    if (!this.#isPowered || this.#slots[slot]?.isAlive === true) return;
    const { history } = this;
    const worker = new Worker({
      world: this.#world,
      machine: this.#machine,
      history,
      settings: this.#settings,
      isAlive: (other) => this.#livesOn(other),
    });
    this.#slots[slot] = worker;
    worker.onDeath(() => this.#later(this.#plan.restartMs, () => this.#start(slot)));
    worker.run((engine) => void engine.open().catch((error: unknown) => this.#afterOpening(worker, error)));
  }

  /** A server whose store cannot be opened ends, and is started again. */
  #afterOpening(worker: Worker, error: unknown): void {
    if (!worker.isAlive) return;
    this.history.add("not_opened", { worker: worker.actor.name, message: String(error) });
    worker.die("its store could not be opened");
  }

  #livesOn(other: ProcessIdentity): boolean {
    return this.#slots.some((worker) => worker?.isAlive === true && worker.identity.pid === other.pid);
  }

  #later(ms: number, run: () => void): void {
    this.#world.after(ms, run, this.#world.director);
  }

  #strike({ kind, slot, amount }: Fault): void {
    if (this.#isCalm) return;
    const worker = this.#slots[slot];
    const { faults } = this.#machine;
    const untilMs = this.#world.nowMs + amount;
    this.history.add("fault", { fault: kind, slot, amount });
    if (kind === "power") this.#losePower(amount);
    if (kind === "kill_all") this.#killAll("killed with all others");
    if (kind === "clock") this.#stepClock(amount);
    if (kind === "full") faults.fullUntilMs = untilMs;
    if (kind === "slow") faults.slowUntilMs = untilMs;
    if (kind === "errors") {
      faults.errorPercent = 5;
      this.#later(amount, () => {
        faults.errorPercent = 0;
      });
    }
    if (worker?.isAlive !== true) return;
    if (kind === "kill") worker.die("killed");
    if (kind === "freeze") worker.actor.frozenUntilMs = untilMs;
    if (kind === "drift") worker.actor.drift = amount;
    if (kind === "die_at_call") worker.deathPlan = { callsLeft: amount, isBefore: this.#random.percent(50) };
    if (kind === "die_at_point") {
      const name = points[amount % points.length] ?? "";
      worker.deathPoint = { name, left: 1 + this.#random.below(3) };
    }
    if (kind === "drain") this.#drain(worker);
  }

  /** Sets the wall clock of the machine. */
  #stepClock(ms: number): void {
    this.#machine.wallAheadMs += ms;
    for (const worker of this.#slots) if (worker !== undefined) worker.actor.wallAheadMs = this.#machine.wallAheadMs;
  }

  #drain(worker: Worker): void {
    worker.run((engine) => {
      const done = () => worker.die("drained");
      engine.close().then(done, done);
    });
  }

  #killAll(reason: string): void {
    for (const worker of this.#slots) worker?.die(reason);
  }

  #losePower(offMs: number): void {
    if (!this.#isPowered) return;
    this.#isPowered = false;
    this.#killAll("the power was lost");
    this.#machine.losePower(this.#random);
    this.#later(offMs, () => {
      this.#isPowered = true;
      for (const slot of this.#slots.keys()) this.#start(slot);
    });
  }

  /** Ends all faults: what still fails from now on is a defect. */
  #calm(): void {
    this.#isCalm = true;
    this.#isPowered = true;
    Object.assign(this.#machine.faults, { fullUntilMs: 0, slowUntilMs: 0, errorPercent: 0 });
    for (const [slot, worker] of this.#slots.entries()) {
      if (worker?.isAlive !== true) this.#start(slot);
      else {
        worker.deathPlan = undefined;
        worker.deathPoint = undefined;
        worker.actor.frozenUntilMs = 0;
      }
    }
    for (const caller of this.#callers) caller.stopCalling();
    this.history.add("calm", {});
  }
}

function ownersOf(plan: Plan): readonly string[] {
  return [
    ...new Set([
      ...plan.calls.map(({ owner }) => ownerTag("client", owner)),
      ...(plan.probeEveryMs > 0 ? [probeOwner] : []),
    ]),
  ];
}
