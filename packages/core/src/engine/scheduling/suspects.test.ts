import { describe, expect, it } from "vitest";
import { engineDefaults } from "../../limits.js";
import { pickNext, type RunningTask } from "./pick-next.js";
import { groupSize, isCrashLoop, isOnTrial, mayJoin, nextTrialMs, type TriedTask, trialMsOf } from "./suspects.js";

const limits = { maxRunning: 32, trialMs: 1_000 };
const tried = (crashes: number, more: Partial<TriedTask> = {}): TriedTask => ({
  crashes,
  waiting: false,
  startedAtMs: 0,
  ...more,
});

describe("suspects", () => {
  it("are tried in smaller groups and for longer with each death", () => {
    expect([1, 2, 3, 4, 9].map((crashes) => groupSize(crashes, limits))).toEqual([32, 8, 2, 1, 1]);
    expect([1, 2, 3].map((crashes) => trialMsOf(crashes, limits))).toEqual([1_000, 4_000, 16_000]);
    expect(groupSize(1, { maxRunning: 0 })).toBe(1);
  });

  it("are on trial until they make progress, wait, or have had their time", () => {
    expect(isOnTrial(tried(1), limits, 999)).toBe(true);
    expect(isOnTrial(tried(1), limits, 1_000)).toBe(false);
    expect(isOnTrial(tried(2), limits, 3_999)).toBe(true);
    expect(isOnTrial(tried(0), limits, 0)).toBe(false);
    expect(isOnTrial(tried(1, { waiting: true }), limits, 0)).toBe(false);
  });

  it.each<[string, number, readonly TriedTask[], number, boolean]>([
    ["no suspect joins whatever runs", 0, [tried(9)], 0, true],
    ["a suspect joins what is not suspected", 9, [tried(0), tried(0)], 0, true],
    ["as many join as the group of the worst holds", 2, Array(7).fill(tried(2)), 0, true],
    ["one more has to wait", 2, Array(8).fill(tried(2)), 0, false],
    ["the worst counts, also when it runs already", 1, [tried(3), tried(1)], 0, false],
    ["the worst counts, also when it is the one that waits", 4, [tried(1)], 0, false],
    ["a trial whose time is over holds up no other task", 4, [tried(1)], 1_000, true],
    ["a task that waits holds up no other task", 4, [tried(4, { waiting: true })], 0, true],
    ["a suspect waits no longer than its own trial lasts", 1, Array(32).fill(tried(9)), 1_000, true],
  ])("%s", (_what, crashes, running, nowMs, expected) => {
    expect(mayJoin({ crashes, queuedAtMs: 0 }, running, limits, nowMs)).toBe(expected);
  });

  it("say when time alone lets one of them start", () => {
    const queue = [
      { crashes: 2, queuedAtMs: 100 },
      { crashes: 0, queuedAtMs: 0 },
    ];
    expect(nextTrialMs(queue, [tried(1, { startedAtMs: 50 })], limits, 200)).toBe(1_050);
    expect(nextTrialMs(queue, [], limits, 1_050)).toBe(4_100);
    expect(nextTrialMs(queue.slice(1), [tried(1)], limits, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it("are judged by the deaths that no other task can have caused", () => {
    const rule = { maxCrashesWithoutProgress: 3, maxCrashesInCompany: 5 };
    expect(isCrashLoop(["a", "b", "c"], [], rule)).toBe(true);
    expect(isCrashLoop(["a", "b"], [], rule)).toBe(false);
    expect(isCrashLoop(["a", "b", "c"], [["x", "b"]], rule)).toBe(false);
    expect(isCrashLoop(["a", "b", "c", "d"], [["x", "b"]], rule)).toBe(true);
    expect(isCrashLoop(["a", "b", "c", "d", "e"], [["a", "b", "c", "d", "e"]], rule)).toBe(true);
    expect(isCrashLoop(["a", "b", "c", "d", "e"], [["a", "b", "c"]], { ...rule, maxCrashesWithoutProgress: 9 })).toBe(
      false,
    );
  });
});

interface ModelTask {
  readonly id: string;
  readonly owner: string;
  readonly tool: string;
  /** Milliseconds of an attempt after which it kills its process. */
  readonly killsAfterMs?: number;
  /** Milliseconds from one checkpoint to the next. */
  readonly stepMs: number;
  readonly arrivesMs: number;
  stepsLeft: number;
  crashes: number;
  crashedIn: string[];
  runnableMs: number;
  status: "waits" | "runs" | "completed" | "CRASH_LOOP";
  server?: number;
  startedMs: number;
  stepBegunMs: number;
  progressed: boolean;
}

/** Servers on one store, turned by hand; everything that the rule decides is decided by the functions under test. */
class Model {
  readonly tasks: ModelTask[] = [];
  /** How long tasks that never were suspects waited for their first slot while a server lived. */
  worstDelayMs = 0;
  nowMs = 0;
  readonly #servers: { worker: string; upMs: number; seen: Map<string, number> }[];
  #lives = 0;

  constructor(servers: number) {
    this.#servers = Array.from({ length: servers }, () => ({ worker: this.#nextWorker(), upMs: 0, seen: new Map() }));
  }

  get over(): boolean {
    return this.tasks.every(({ status }) => status === "completed" || status === "CRASH_LOOP");
  }

  tick(ms: number): void {
    this.nowMs += ms;
    for (const index of this.#servers.keys()) this.#fill(index);
    for (const task of this.tasks) if (task.status === "runs") this.#work(task);
  }

  #nextWorker(): string {
    this.#lives += 1;
    return `w${this.#lives}`;
  }

  #fill(index: number): void {
    const server = this.#servers[index];
    if (server === undefined || server.upMs > this.nowMs) return;
    const waiting = this.tasks.filter(
      ({ status, runnableMs, arrivesMs }) => status === "waits" && Math.max(runnableMs, arrivesMs) <= this.nowMs,
    );
    const queue = waiting.map((task) => {
      const queuedAtMs = server.seen.get(task.id) ?? this.nowMs;
      server.seen.set(task.id, queuedAtMs);
      return { ...task, queuedAtMs, runsElsewhere: false, task };
    });
    for (;;) {
      const running = this.tasks.filter(({ status, server: at }) => status === "runs" && at === index);
      const slots: RunningTask[] = running.map(({ owner, tool, crashes, startedMs }) => ({
        owner,
        tool,
        crashes,
        waiting: false,
        startedAtMs: startedMs,
      }));
      const next = pickNext(queue, slots, { ...engineDefaults, maxRunningOf: () => 99 }, this.nowMs);
      if (next === undefined) return;
      queue.splice(queue.indexOf(next), 1);
      server.seen.delete(next.id);
      this.#start(next.task, index, server.upMs);
    }
  }

  #start(task: ModelTask, server: number, upMs: number): void {
    if (this.#isGuilty(task)) {
      task.status = "CRASH_LOOP";
      return;
    }
    if (task.crashes === 0 && task.startedMs < 0) {
      this.worstDelayMs = Math.max(this.worstDelayMs, this.nowMs - Math.max(task.arrivesMs, upMs));
    }
    Object.assign(task, {
      status: "runs",
      server,
      startedMs: this.nowMs,
      stepBegunMs: this.nowMs,
      progressed: false,
    });
  }

  #work(task: ModelTask): void {
    if (task.killsAfterMs !== undefined) {
      if (this.nowMs - task.startedMs >= task.killsAfterMs) this.#die(task.server ?? 0);
      return;
    }
    if (this.nowMs - task.stepBegunMs < task.stepMs) return;
    Object.assign(task, { stepBegunMs: this.nowMs, progressed: true, crashes: 0, crashedIn: [] });
    task.stepsLeft -= 1;
    if (task.stepsLeft === 0) task.status = "completed";
  }

  #die(index: number): void {
    const server = this.#servers[index];
    if (server === undefined) return;
    const victims = this.tasks.filter(({ status, server: at }) => status === "runs" && at === index);
    for (const task of victims) {
      task.status = "waits";
      task.runnableMs = this.nowMs;
      if (task.progressed) continue;
      task.crashes += 1;
      task.crashedIn.push(server.worker);
      task.runnableMs += engineDefaults.crashBackoffMs * 2 ** (task.crashes - 1);
    }
    for (const task of victims) if (this.#isGuilty(task)) task.status = "CRASH_LOOP";
    this.#servers[index] = { worker: this.#nextWorker(), upMs: this.nowMs + 1_000, seen: new Map() };
  }

  #isGuilty(task: ModelTask): boolean {
    if (task.crashes < engineDefaults.maxCrashesWithoutProgress) return false;
    const others = this.tasks.filter((other) => other !== task && other.status !== "completed");
    return isCrashLoop(
      task.crashedIn,
      others.map(({ crashedIn }) => crashedIn),
      engineDefaults,
    );
  }
}

/** mulberry32. */
function randomOf(seed: number): (low: number, high: number) => number {
  let state = seed;
  return (low, high) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return low + (((mixed ^ (mixed >>> 14)) >>> 0) % (high - low + 1));
  };
}

function modelOf(seed: number): { model: Model; poisons: ReadonlySet<string> } {
  const random = randomOf(seed);
  const model = new Model(1 + (seed % 3));
  const poisons = new Set<string>();
  const add = (id: string, more: Partial<ModelTask>): void => {
    model.tasks.push({
      id,
      owner: `owner ${random(1, 4)}`,
      tool: "x",
      stepMs: random(1, 40) * 500,
      arrivesMs: random(0, 30) * 500,
      stepsLeft: random(1, 4),
      crashes: 0,
      crashedIn: [],
      runnableMs: 0,
      status: "waits",
      startedMs: -1,
      stepBegunMs: 0,
      progressed: false,
      ...more,
    });
  };
  for (let count = random(1, 4); count > 0; count--) {
    // Some are there from the start, others come when the first have done their harm.
    add(`poison ${count}`, { killsAfterMs: random(1, 40) * 500, arrivesMs: random(0, 1) * random(0, 240) * 500 });
    poisons.add(`poison ${count}`);
  }
  for (let count = random(0, 20); count > 0; count--) add(`innocent ${count}`, {});
  // Calls of others, as they come all the time: one each second, some of which are under way at each death.
  for (let count = 0; count < 300; count++) {
    add(`call ${count}`, {
      owner: `caller ${count % 10}`,
      arrivesMs: count * 1_000,
      stepMs: random(1, 6) * 500,
      stepsLeft: 1,
    });
  }
  return { model, poisons };
}

describe("suspects in a model with random poison, on one to three servers", () => {
  it.each(Array.from({ length: 60 }, (_, index) => index + 1))(
    "all innocent tasks complete, each poison ends with CRASH_LOOP, and calls start at once: seed %i (G10, G12)",
    (seed) => {
      const { model, poisons } = modelOf(seed);
      while (!model.over && model.nowMs < 4 * 3_600_000) model.tick(500);
      const ended = Object.fromEntries(model.tasks.map(({ id, status }) => [id, status]));
      const expected = model.tasks.map(({ id }) => [id, poisons.has(id) ? "CRASH_LOOP" : "completed"]);
      expect(ended).toEqual(Object.fromEntries(expected));
      const deaths = model.tasks.filter(({ id }) => poisons.has(id)).map(({ crashes }) => crashes);
      expect(Math.max(...deaths)).toBeLessThanOrEqual(engineDefaults.maxCrashesInCompany);
      expect(model.worstDelayMs).toBeLessThanOrEqual(500);
    },
  );
});
