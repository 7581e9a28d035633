import { isJsonObject, type Tool } from "@resumable-mcp/core";
import { randomToken } from "@resumable-mcp/mcp/stdio";
import { Caller } from "../callers/caller.js";
import { Intruder } from "../callers/intruder.js";
import { McpCaller } from "../callers/mcp-caller.js";
import { plainTool, plainTools } from "../callers/plain-tools.js";
import { Prober, probeOwner } from "../callers/prober.js";
import { type Counts, scriptTool } from "../callers/script-tool.js";
import { SdkCaller } from "../callers/sdk-caller.js";
import { ToolkitCaller } from "../callers/toolkit-caller.js";
import { Visitor } from "../callers/visitor.js";
import { DatabaseServer } from "../database/database-server.js";
import { check } from "../history/check.js";
import { checkDamage, type SetAside, withoutDamaged, withoutLostTails } from "../history/check-damage.js";
import { type FinalTask, type Violation, virtualPatience } from "../history/evidence.js";
import { History } from "../history/history.js";
import type { HttpMessage } from "../machine/received-request.js";
import { VirtualFetch } from "../machine/virtual-fetch.js";
import { resetProcessIds, type Worker } from "../machine/worker.js";
import { enterWorld, leaveWorld, offences } from "../world/virtual-globals.js";
import { type Actor, World } from "../world/world.js";
import { Closer } from "./closer.js";
import { Cluster } from "./cluster.js";
import type { Plan } from "./draw-plan.js";

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

/** How far a standby is behind that is not waited for. */
const lagsMs = [20, 200, 2_000];

/** Runs a plan from the first call to the last final event, and judges what was seen. */
export async function runPlan(plan: Plan): Promise<Report> {
  const world = new World(plan.seed);
  enterWorld(world);
  resetProcessIds();
  emptyTokenPool(world);
  const run = new Run(world, plan);
  try {
    const { tasks, setAside } = await run.whole();
    await world.endTurn();
    const evidence = { plan, patience: virtualPatience, events: run.history.events, tasks };
    const violations = [
      ...checkDamage(evidence, setAside),
      ...check(withoutLostTails(withoutDamaged(evidence, setAside))),
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

/** Servers fetch random bytes for many tokens at once: what the run before this one left is not used. */
function emptyTokenPool(world: World): void {
  while (world.fills === 0) randomToken(1);
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
  readonly #cluster: Cluster;
  readonly #counts: Counts = new Map();
  readonly #tools = new Map<string, readonly Tool[]>();
  readonly #callers: readonly (Caller | McpCaller | SdkCaller | ToolkitCaller)[];

  constructor(world: World, plan: Plan) {
    this.#world = world;
    this.#plan = plan;
    this.history = new History(() => world.nowMs);
    const { standby } = plan;
    const noteEffect = (effect: string) => this.history.noteEffect(effect);
    this.#cluster = new Cluster({
      world,
      database: standby && new DatabaseServer(world, noteEffect, standby === "synchronous" ? [0] : lagsMs),
      history: this.history,
      settings: {
        durability: plan.durability,
        isIsolated: plan.isIsolated,
        limits: plan.limits,
        storeLimits: plan.storeLimits,
        tools: (worker) => this.#toolsOf(this.#versionOf(worker)),
      },
      workers: plan.workers,
      restartMs: plan.restartMs,
      onStandstill: (ms) => this.#leaveWithin(ms),
    });
    const pickWorker = () => this.#cluster.pick();
    const network = new VirtualFetch({
      world,
      pickWorker,
      onAccepted: (...accepted) => this.#noteAccepted(...accepted),
    });
    world.fetch = network.fetch;
    world.hasPhases = plan.theme === "leaving";
    this.#callers = plan.calls.map((call) => {
      const options = { world, history: this.history, pickWorker, plan: call };
      if (call.via === "toolkit") return new ToolkitCaller({ ...options, network });
      if (call.via === "sdk") return new SdkCaller({ ...options, network });
      return call.via === "engine" ? new Caller(options) : new McpCaller(options);
    });
  }

  async whole(): Promise<{ readonly tasks: readonly FinalTask[]; readonly setAside: readonly SetAside[] }> {
    const { calls, faults, calmMs, probeEveryMs, visitEveryMs, versions } = this.#plan;
    this.#cluster.startAll();
    for (const [index, caller] of this.#callers.entries()) caller.begin(calls[index]?.atMs ?? 0);
    for (const fault of faults) this.#world.after(fault.atMs, () => this.#cluster.strike(fault), this.#world.director);
    const pickWorker = () => this.#cluster.pick();
    if (probeEveryMs > 0) {
      new Prober({
        world: this.#world,
        history: this.history,
        pickWorker,
        everyMs: probeEveryMs,
        untilMs: calmMs + 10_000,
      }).begin();
    }
    if (visitEveryMs > 0) {
      const owners = ownersOf(this.#plan);
      const [world, history] = [this.#world, this.history];
      new Visitor({ world, history, pickWorker, owners, everyMs: visitEveryMs, untilMs: calmMs }).begin();
      new Intruder({ world, history, pickWorker, everyMs: 5 * visitEveryMs, untilMs: calmMs }).begin();
    }
    await this.#world.runUntil(calmMs);
    this.#cluster.calm();
    // The first version does not run what the second one left.
    if (versions !== "one") this.#cluster.replaceAll();
    for (const caller of this.#callers) caller.stopCalling();
    this.history.add("calm", { wallMs: this.#world.wallMs(pickWorker()?.actor ?? this.#world.director) });
    if (probeEveryMs > 0) await this.#world.runUntil(calmMs + 11_000);
    // What a cut network held up arrives.
    if (this.#plan.standby !== undefined) await this.#world.runUntil(calmMs + 13_000);
    const closer = new Closer(this.#world, this.history, () => this.#cluster.pick(), ownersOf(this.#plan));
    // After a restart the wall clock says when a wait ends.
    const steps = faults.filter(({ kind }) => kind === "clock" || kind === "clock_while_down");
    const steppedMs = steps.reduce((sum, { amount }) => sum + Math.abs(amount), 0);
    const isQuiet = () =>
      this.#callers.every((caller) => {
        if (caller instanceof ToolkitCaller) return caller.isDone;
        return !(caller instanceof Caller) || !caller.isCalling;
      });
    await closer.untilAllEnd(calmMs + livenessMs + steppedMs, isQuiet);
    return closer.readAll(() => this.#cluster.tasksSetAside());
  }

  #noteAccepted({ name }: Actor, { body }: HttpMessage): void {
    const { atMs } = this.history.add("accepted", { caller: name });
    const request: unknown = body === undefined ? undefined : JSON.parse(body);
    for (const caller of this.#callers) {
      if (!(caller instanceof SdkCaller) || caller.plan.name !== name) continue;
      caller.resultAccepted(isJsonObject(request) ? request.id : undefined, atMs);
    }
  }

  /** While a process stands still for a time, callers leave: not those that give results up, which are there to cancel. */
  #leaveWithin(ms: number): void {
    const { random, director } = this.#world;
    for (const caller of this.#callers) {
      const staysThere = caller instanceof SdkCaller && caller.plan.givesUpResults !== 0;
      if (staysThere || !(caller instanceof SdkCaller || caller instanceof McpCaller)) continue;
      this.#world.after(random.between(0, 0.8 * ms), () => caller.leave(), director);
    }
  }

  /** All processes of a version share its tools. */
  #toolsOf(version: string): readonly Tool[] {
    const known = this.#tools.get(version);
    if (known !== undefined) return known;
    const { history } = this;
    const here = () => this.#cluster.workerOf(this.#world.current);
    const tools = [
      scriptTool({ history, counts: this.#counts, here, version, settings: this.#plan.tool }),
      ...plainTools.map((name) => plainTool(name, { history, here })),
    ];
    this.#tools.set(version, tools);
    return tools;
  }

  #versionOf({ identity }: Worker): string {
    const { versions, calmMs } = this.#plan;
    const { nowMs } = this.#world;
    const isSecond = versions === "mixed" ? nowMs >= calmMs || identity.pid % 2 === 0 : nowMs > calmMs / 2;
    return versions !== "one" && isSecond ? "2" : "1";
  }
}

function ownersOf(plan: Plan): readonly string[] {
  return [...new Set([...plan.calls.map(({ owner }) => owner), ...(plan.probeEveryMs > 0 ? [probeOwner] : [])])];
}
