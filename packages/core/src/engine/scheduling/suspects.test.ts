import { describe, expect, it } from "vitest";
import { engineDefaults } from "../../limits.js";
import { pickNext, type RunningTask } from "./pick-next.js";
import { isCrashLoop, isInCompany, isOnTrial, mayJoin, nextTrialMs, type TriedTask, trialMsFor } from "./suspects.js";

const limits = { trialMs: 1_000, crashBackoffMs: 100 };
const tried = (crashes: number, more: Partial<TriedTask> = {}): TriedTask => ({
  crashes,
  progressed: false,
  waiting: false,
  startedAtMs: 0,
  ...more,
});

describe("suspects", () => {
  it("are tried for longer with each death", () => {
    expect([1, 2, 3].map((crashes) => trialMsFor(crashes, limits))).toEqual([1_000, 4_000, 16_000]);
  });

  it("are on trial until they make progress, wait, or have had their time", () => {
    expect(isOnTrial(tried(2), limits, 3_999)).toBe(true);
    expect(isOnTrial(tried(2), limits, 4_000)).toBe(false);
    expect([0, 1].map((crashes) => isOnTrial(tried(crashes), limits, 0))).toEqual([false, false]);
    expect(isOnTrial(tried(2, { waiting: true }), limits, 0)).toBe(false);
  });

  it.each<[string, number, readonly TriedTask[], number, boolean]>([
    ["a task that is not suspected joins whatever runs", 0, [tried(9)], 0, true],
    ["those that died once run together, and next to a trial", 1, [tried(9), tried(1)], 0, true],
    ["one that died once waits for one that did not die", 1, [tried(0)], 199, false],
    ["not for long", 1, [tried(0)], 200, true],
    ["a suspect waits for the trial of another", 2, [tried(2)], 0, false],
    ["it waits for tasks that could kill the process", 2, [tried(0)], 0, false],
    ["it does not wait for one that made progress", 2, [tried(0, { progressed: true })], 0, true],
    [
      "it does not wait for one that only waits",
      2,
      [tried(0, { waiting: true }), tried(4, { waiting: true })],
      0,
      true,
    ],
    ["it waits for tasks that are not on trial for twice its backoff", 2, [tried(0), tried(1)], 400, true],
    ["it waits for a trial for longer", 2, [tried(2)], 3_999, false],
    ["it waits no longer than its own trial lasts", 2, [tried(9)], 4_000, true],
    ["a trial whose time is over holds up no other task", 4, [tried(2)], 4_000, true],
  ])("%s", (_what, crashes, running, nowMs, expected) => {
    expect(mayJoin({ crashes, queuedAtMs: 0 }, running, limits, nowMs)).toBe(expected);
  });

  it("say when time alone lets one of them start", () => {
    const queue = [
      { crashes: 2, queuedAtMs: 100 },
      { crashes: 0, queuedAtMs: 0 },
    ];
    expect(nextTrialMs(queue, [tried(2, { startedAtMs: -3_600 })], limits, 200)).toBe(400);
    expect(nextTrialMs(queue, [], limits, 400)).toBe(500);
    expect(nextTrialMs(queue, [], limits, 500)).toBe(4_100);
    expect(nextTrialMs(queue.slice(1), [tried(2)], limits, 0)).toBe(Number.POSITIVE_INFINITY);
  });

  it.each<[string, readonly TriedTask[], boolean]>([
    ["one that runs alone has none", [tried(2)], false],
    ["tasks that are not suspected have none among themselves", [tried(0), tried(0)], false],
    ["another suspect is company", [tried(2), tried(2)], true],
    ["and so it is to one that died once", [tried(1), tried(0)], true],
    ["a task that is not suspected is company, too", [tried(2), tried(0)], true],
    ["one that made progress is none", [tried(2), tried(0, { progressed: true })], false],
    ["one that only waits is none", [tried(2), tried(0, { waiting: true })], false],
    ["a suspect that only waits has none", [tried(2, { waiting: true }), tried(0), tried(0)], false],
  ])("have company or not: %s", (_what, running, expected) => {
    expect(isInCompany(running)).toBe(expected);
  });

  it("are judged by the deaths that no other task can have caused, and their first one", () => {
    const rule = { maxCrashesWithoutProgress: 3, maxCrashesInCompany: 5 };
    const judge = (deaths: string, company: string, changed: Partial<typeof rule> = {}) =>
      isCrashLoop([...deaths], new Set(company), { ...rule, ...changed });
    expect([judge("abc", ""), judge("ab", "")]).toEqual([true, false]);
    expect([judge("abc", "a"), judge("abc", "b"), judge("abcd", "b")]).toEqual([true, false, true]);
    expect([judge("abcd", "abcd"), judge("abcde", "abcde")]).toEqual([false, true]);
    expect(judge("abcde", "abc", { maxCrashesWithoutProgress: 9 })).toBe(false);
    // One death convicts no task, whatever the limit.
    expect([
      judge("a", "", { maxCrashesWithoutProgress: 1 }),
      judge("ab", "", { maxCrashesWithoutProgress: 1 }),
    ]).toEqual([false, true]);
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
  readonly #inCompany = new Set<string>();
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
      const limits = { ...engineDefaults, maxRunningOf: () => 99 };
      const next = pickNext(queue, this.#slotsOf(index), limits, this.nowMs);
      if (next === undefined) return;
      queue.splice(queue.indexOf(next), 1);
      server.seen.delete(next.id);
      this.#start(next.task, index, server.upMs);
    }
  }

  #slotsOf(index: number): RunningTask[] {
    const running = this.tasks.filter(({ status, server: at }) => status === "runs" && at === index);
    return running.map((task) => ({ ...task, waiting: false, startedAtMs: task.startedMs }));
  }

  #start(task: ModelTask, server: number, upMs: number): void {
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
    if (isInCompany(this.#slotsOf(index))) this.#inCompany.add(server.worker);
    for (const task of victims) {
      task.status = "waits";
      task.runnableMs = this.nowMs;
      if (task.progressed) continue;
      task.crashes += 1;
      task.crashedIn.push(server.worker);
      task.runnableMs += engineDefaults.crashBackoffMs * 2 ** (task.crashes - 1);
    }
    for (const task of victims)
      if (isCrashLoop(task.crashedIn, this.#inCompany, engineDefaults)) task.status = "CRASH_LOOP";
    this.#servers[index] = { worker: this.#nextWorker(), upMs: this.nowMs + 1_000, seen: new Map() };
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
