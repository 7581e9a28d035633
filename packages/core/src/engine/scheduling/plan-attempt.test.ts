import { describe, expect, it } from "vitest";
import { reduceTask } from "../../task/reduce-task.js";
import type { TaskEventBody } from "../../task/task-event.js";
import type { NewSignal, TaskSnapshot } from "../../task/task-record.js";
import { type PlanInputs, planAttempt, waitsUntil } from "./plan-attempt.js";

const nowMs = Date.UTC(2026, 0, 1);
const at = new Date(nowMs).toISOString();
const inputs: Omit<PlanInputs, "waitMs"> = {
  tool: { name: "x", version: "1", kind: "generator" },
  verdict: { kind: "run" },
  worker: "w",
  nowMs,
  maxCrashesWithoutProgress: 3,
  maxCrashesInCompany: 10,
  maxDeathsInWaits: 5,
  inCompany: new Set(),
  crashBackoffMs: 1_000,
  mayRun: true,
  brokenAttempt: undefined,
  unwanted: false,
  childEnded: false,
};
const plain = { name: "x", version: "1", kind: "function" } as const;
const task = {
  id: "t",
  owner: "client:a",
  tool: "x",
  toolVersion: "1",
  key: null,
  input: {},
  detached: false,
  ttlMs: 1,
} as const;
const started = (attempt = 1) => ({ type: "attempt_started", attempt, worker: "w", toolVersion: "1" }) as const;
const asked = { type: "asked", key: "q", question: { message: "?", schema: {} } } as const;
const crashed = { type: "attempt_ended", reason: "crashed" } as const;
const answer = { kind: "answer", key: "q", answer: { action: "decline" } } as const;

function snapshot(bodies: readonly TaskEventBody[], ...signals: readonly NewSignal[]): TaskSnapshot {
  const events = [{ type: "created", task } as const, ...bodies].map((body, index) => ({
    ...body,
    seq: index + 1,
    at,
  }));
  return {
    record: reduceTask(undefined, events),
    signals: signals.map((signal, id) => ({ ...signal, id: String(id) })),
    leased: true,
  };
}

function planned(of: TaskSnapshot, others: Partial<PlanInputs> = {}) {
  return planAttempt(of, { ...inputs, waitMs: waitsUntil(of.record) - nowMs, ...others });
}

/** The types of the events of a plan; a plan that runs ends with `attempt_started`. */
function plan(of: TaskSnapshot, others: Partial<PlanInputs> = {}): readonly string[] {
  const { events, run } = planned(of, others);
  expect(run).toBe(events.at(-1)?.type === "attempt_started");
  return events.map((event) => (event.type === "attempt_ended" ? event.reason : event.type));
}

describe("planAttempt", () => {
  it("leaves answers to a failed task where they are, for when it continues, and all else goes (G9)", () => {
    const error = { code: "TOOL_FAILED", message: "503" };
    const failed = snapshot([started(), asked, { type: "failed", error }], answer, { kind: "pause" });
    expect(planned(failed)).toEqual({ events: [], consume: ["1"], run: false });
    const cancelled = snapshot([started(), asked, { type: "cancelled" }], answer);
    expect(planned(cancelled)).toEqual({ events: [], consume: ["0"], run: false });
  });

  it.each<[string, TaskSnapshot, readonly string[]]>([
    ["begins a new task", snapshot([]), ["attempt_started"]],
    ["continues after progress at once", snapshot([started(), { type: "checkpoint" }]), ["crashed", "attempt_started"]],
    ["waits after a death without progress", snapshot([started()]), ["crashed"]],
    [
      "gives up after the third",
      snapshot([started(), crashed, started(2), crashed, started(3)]),
      ["crashed", "failed"],
    ],
    ["leaves a question open", snapshot([started(), asked, { type: "attempt_ended", reason: "waiting" }]), []],
    [
      "takes an answer and continues with it",
      snapshot(
        [started(), asked, { type: "attempt_ended", reason: "waiting", runnableAt: "2027-01-01T00:00:00.000Z" }],
        answer,
      ),
      ["answered", "attempt_started"],
    ],
    ["ignores an answer to what is not asked", snapshot([], answer), ["attempt_started"]],
    ["carries out a pause", snapshot([], { kind: "pause" }), ["desiredState"]],
    ["carries out a pause of an orphan", snapshot([started()], { kind: "pause" }), ["desiredState", "crashed"]],
    [
      "resumes",
      snapshot([{ type: "desiredState", desiredState: "pause" }], { kind: "resume" }),
      ["desiredState", "attempt_started"],
    ],
    [
      "cancels before anything else",
      snapshot([started()], { kind: "pause" }, { kind: "cancel" }),
      ["desiredState", "cancelled"],
    ],
    ["detaches", snapshot([], { kind: "detach" }), ["detached", "attempt_started"]],
    ["leaves a finished task", snapshot([{ type: "cancelled" }], { kind: "resume" }, { kind: "cancel" }), []],
  ])("%s", (_what, of, expected) => {
    expect(plan(of)).toEqual(expected);
  });

  it("consumes every request, and leaves the note that a result was delivered", () => {
    const { consume } = planned(snapshot([{ type: "cancelled" }], { kind: "delivered" }, { kind: "pause" }));
    expect(consume).toEqual(["1"]);
  });

  it("leaves the note that a result was not delivered after all (G7)", () => {
    const { consume } = planned(snapshot([started()], { kind: "undelivered" }, { kind: "resume" }));
    expect(consume).toEqual(["1"]);
  });

  it("waits longer after each death, by the clock that it is given", () => {
    const again = planned(snapshot([started(), crashed, started(2)]));
    expect(again.events).toEqual([{ ...crashed, runnableAt: new Date(nowMs + 2_000).toISOString() }]);
  });

  it("waits until the task is due, unless a user resumes it", () => {
    const bodies = [
      started(),
      { type: "attempt_ended", reason: "retry", runnableAt: new Date(nowMs + 1).toISOString() },
    ] as const;
    expect(plan(snapshot(bodies), { waitMs: 1 })).toEqual([]);
    expect(plan(snapshot(bodies), { waitMs: 0 })).toEqual(["attempt_started"]);
    expect(plan(snapshot(bodies, { kind: "resume" }), { waitMs: 1 })).toEqual(["desiredState", "attempt_started"]);
  });

  it("only carries out requests where it may not run", () => {
    expect(plan(snapshot([], { kind: "detach" }), { mayRun: false })).toEqual(["detached"]);
  });

  it("leaves the judgement of a dead attempt to the process that has its tool", () => {
    expect(plan(snapshot([started()], { kind: "pause" }), { tool: undefined })).toEqual(["desiredState"]);
    expect(plan(snapshot([started()], { kind: "cancel" }), { tool: undefined })).toEqual(["cancelled"]);
  });

  it("lets a task whose process died while it only waited wait on without an attempt (G9)", () => {
    const asking = snapshot([started(), asked]);
    const { events } = planned(asking);
    expect(events).toEqual([crashed]);
    expect(plan(snapshot([started(), asked], answer))).toEqual(["answered", "crashed", "attempt_started"]);
    expect(plan(snapshot([started(), asked], { kind: "resume" }))).toEqual([
      "desiredState",
      "crashed",
      "attempt_started",
    ]);
  });

  it("lets it wait until the first of its waits is over, and not longer (G9)", () => {
    const nap = (ms: number) => ({ type: "sleep", key: `${ms}`, until: new Date(nowMs + ms).toISOString() }) as const;
    const napping = snapshot([started(), asked, nap(9_000), nap(5_000)]);
    expect(planned(napping).events).toEqual([{ ...crashed, runnableAt: nap(5_000).until }]);
    expect(plan(napping, { waitMs: 0 })).toEqual(["crashed", "attempt_started"]);
    const expiring = { ...asked, question: { ...asked.question, expiresAt: nap(1_000).until } };
    expect(planned(snapshot([started(), expiring])).events).toEqual([{ ...crashed, runnableAt: nap(1_000).until }]);
  });

  it.each<[string, readonly TaskEventBody[], readonly string[]]>([
    ["runs a step while it waits", [started(), asked, { type: "waiting", keys: [] }], ["crashed"]],
    ["came back to its wait", [started(), asked, crashed, started(2), { type: "waiting", keys: ["q"] }], ["crashed"]],
    ["came to a checkpoint since", [started(), asked, { type: "checkpoint" }], ["crashed", "attempt_started"]],
  ])("tells by the journal what the attempt did when it died: it %s (G9)", (_what, events, expected) => {
    const of = snapshot(events);
    expect(plan(of)).toEqual(expected);
    const [ended] = planned(of).events;
    expect(ended).toHaveProperty("type", "attempt_ended");
    const waits = events.at(-1)?.type === "waiting" && (of.record.waitsFor ?? []).length > 0;
    expect(ended !== undefined && "runnableAt" in ended).toBe(events.at(-1)?.type === "waiting" && !waits);
  });

  it("gives up a task that dies in one wait after the other and makes no progress between (G12)", () => {
    const deaths = Array.from({ length: 4 }, (_, index) => [started(index + 1), asked, crashed]).flat();
    expect(plan(snapshot([...deaths, started(5), asked]))).toEqual(["crashed", "failed"]);
    expect(plan(snapshot([...deaths, { type: "checkpoint" }, started(5), asked]))).toEqual(["crashed"]);
  });

  it("does not count an attempt that its own store broke as a death", () => {
    expect(plan(snapshot([started()]), { brokenAttempt: 1 })).toEqual(["interrupted", "attempt_started"]);
    expect(plan(snapshot([started(2)]), { brokenAttempt: 1 })).toEqual(["crashed"]);
  });

  it("does not run a tool without checkpoints twice, unless it says so", () => {
    expect(plan(snapshot([started()]), { tool: plain })).toEqual(["crashed", "failed"]);
    expect(plan(snapshot([started()]), { tool: plain, brokenAttempt: 1 })).toEqual(["interrupted", "failed"]);
    expect(plan(snapshot([started()]), { tool: { ...plain, durable: true } })).toEqual(["crashed"]);
  });

  it("follows the tool's policy for a task of another version", () => {
    const paused = snapshot([started(), { type: "attempt_ended", reason: "drained" }]);
    const tool = { name: "x", version: "2", kind: "generator" } as const;
    const verdict = { kind: "change" } as const;
    expect(plan(paused, { verdict, tool })).toEqual(["attempt_started"]);
    expect(plan(paused, { verdict, tool: { ...tool, onVersionChange: "restart" } })).toEqual([
      "restarted",
      "attempt_started",
    ]);
    expect(plan(paused, { verdict, tool: { ...tool, onVersionChange: "fail" } })).toEqual(["failed"]);
    expect(plan(snapshot([]), { tool: { ...tool, onVersionChange: "fail" } })).toEqual(["attempt_started"]);
  });

  it("does nothing but cancel a task that it leaves to another worker", () => {
    const verdict = { kind: "leave" } as const;
    const requested = snapshot([started()], answer, { kind: "resume" });
    expect(planned(requested, { verdict })).toEqual({ events: [], consume: [], run: false });
    expect(planned(snapshot([], { kind: "detach" }, { kind: "cancel" }), { verdict })).toEqual({
      events: [{ type: "detached" }, { type: "cancelled" }],
      consume: ["0", "1"],
      run: false,
    });
  });

  it("carries out requests, and judges no dead attempt, while the task's version may come back", () => {
    const waiting = snapshot([started()], { kind: "pause" });
    expect(planned(waiting, { verdict: { kind: "wait" } })).toEqual({
      events: [{ type: "desiredState", desiredState: "pause" }],
      consume: ["0"],
      run: false,
    });
  });

  it("refuses what it cannot read, once", () => {
    const verdict = { kind: "refuse", message: "needs version 1" } as const;
    const tool = {
      name: "x",
      version: "2",
      kind: "generator",
      stateShape: '{"at":"number"}',
    } as const;
    const refused = { type: "refused", by: "2", toolVersion: "1", message: "needs version 1" } as const;
    expect(planned(snapshot([started(), crashed]), { verdict, tool })).toEqual({
      events: [{ ...refused, stateShape: undefined }],
      consume: [],
      run: false,
    });
    expect(planned(snapshot([started(), crashed, refused]), { verdict, tool })).toEqual({
      events: [],
      consume: [],
      run: false,
    });
  });
});
