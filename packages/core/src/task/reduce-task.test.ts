import { describe, expect, it } from "vitest";
import { reduceTask } from "./reduce-task.js";
import type { NewTask, TaskEvent, TaskEventBody } from "./task-event.js";
import type { TaskRecord } from "./task-record.js";

const task: NewTask = {
  id: "task-0000000000000001",
  owner: "client:a",
  tool: "count",
  toolVersion: "1",
  key: "k",
  input: { n: 1 },
  detached: false,
  ttlMs: 1_000,
};
const created: TaskEventBody = { type: "created", task };
const started = (attempt: number, toolVersion = "1"): TaskEventBody => ({
  type: "attempt_started",
  attempt,
  worker: "w",
  toolVersion,
});

function journal(...bodies: readonly TaskEventBody[]): readonly TaskEvent[] {
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: `2026-01-01T00:00:0${index}.000Z` }));
}

function fold(...bodies: readonly TaskEventBody[]): TaskRecord {
  return reduceTask(undefined, journal(created, ...bodies));
}

describe("reduceTask", () => {
  it("gives the same record whether a journal is folded at once or event by event", () => {
    const events = journal(
      created,
      started(1),
      { type: "checkpoint", progress: 1, total: 2, state: { at: 1 }, items: [1, 2], itemBytes: 5 },
      { type: "step", key: "a", value: 1 },
      { type: "asked", key: "q", question: { message: "?", schema: {} } },
      { type: "answered", key: "q", answer: { action: "decline" } },
      { type: "completed", output: "done" },
    );
    const one = reduceTask(undefined, events);
    const steps = events.reduce<TaskRecord | undefined>((record, event) => reduceTask(record, [event]), undefined);
    expect(steps).toEqual(one);
    expect(one).toMatchObject({
      status: "completed",
      progress: 1,
      total: 2,
      itemCount: 2,
      itemBytes: 5,
      lastSeq: 7,
      createdAt: "2026-01-01T00:00:00.000Z",
      finishedAt: "2026-01-01T00:00:06.000Z",
    });
  });

  it("says when a task may continue whose other question is open: without a time it would wait for that answer (G9)", () => {
    const question = { message: "?", schema: {} };
    const asks: readonly TaskEventBody[] = [
      started(1),
      { type: "asked", key: "one", question },
      { type: "asked", key: "other", question },
    ];
    const waiting: TaskEventBody = { type: "attempt_ended", reason: "waiting" };
    const changes: readonly (readonly TaskEventBody[])[] = [
      [waiting],
      [waiting, { type: "answered", key: "one", answer: { action: "decline" } }],
      [waiting, { type: "desiredState", desiredState: "run" }],
      [
        { type: "failed", error: { code: "TOOL_FAILED", message: "" } },
        { type: "restarted", generation: 2, fromState: true },
      ],
      [
        { type: "failed", error: { code: "TOOL_FAILED", message: "" } },
        { type: "restarted", generation: 2, fromState: false },
      ],
    ];
    expect(changes.map((change) => fold(...asks, ...change).runnableAt)).toEqual([
      undefined,
      "2026-01-01T00:00:05.000Z",
      "2026-01-01T00:00:05.000Z",
      "2026-01-01T00:00:05.000Z",
      undefined,
    ]);
  });

  it("remembers of a map how far it is, counts its items, and forgets it with the state", () => {
    const map = { key: "pages", at: 2, failed: 1, digest: "d2" } as const;
    const events: readonly TaskEventBody[] = [
      started(1),
      { type: "checkpoint", progress: 1, map: { ...map, at: 1 }, items: ["a"], itemBytes: 5 },
      { type: "checkpoint", progress: 2, total: 2, map: { ...map, done: true }, items: ["b"], itemBytes: 5 },
    ];
    expect(fold(...events)).toMatchObject({
      remembered: { pages: { kind: "map", at: 2, failed: 1, digest: "d2", done: true } },
      ...{ progress: 2, total: 2, itemCount: 2, itemBytes: 10, progressed: true },
    });
    const failure: TaskEventBody = { type: "failed", error: { code: "TOOL_FAILED", message: "" } };
    const restart = (fromState: boolean) =>
      fold(...events, failure, { type: "restarted", generation: 2, fromState }).remembered;
    expect([Object.keys(restart(true)), restart(false)]).toEqual([["pages"], {}]);
  });

  it("does not change the record that it is given", () => {
    const before = fold(started(1));
    const copy = structuredClone(before);
    reduceTask(before, [
      { type: "step", key: "a", value: 1, seq: 3, at: "2026-01-01T00:00:09.000Z" },
      { type: "checkpoint", progress: 5, seq: 4, at: "2026-01-01T00:00:09.000Z" },
    ]);
    expect(before).toEqual(copy);
  });

  it("refuses a journal that does not begin with its creation, has a gap, or is created twice", () => {
    const at = "2026-01-01T00:00:00.000Z";
    const conflict = expect.objectContaining({ code: "SEQ_CONFLICT" });
    expect(() => reduceTask(undefined, [])).toThrow(conflict);
    expect(() => reduceTask(undefined, [{ ...started(1), seq: 1, at }])).toThrow(conflict);
    expect(() => reduceTask(fold(), [{ ...started(1), seq: 3, at }])).toThrow(conflict);
    expect(() => reduceTask(fold(), [{ ...created, seq: 2, at }])).toThrow(conflict);
  });

  it.each<[string, readonly TaskEventBody[], Partial<TaskRecord>]>([
    ["pending when it is made", [], { status: "pending" }],
    ["running while an attempt lives", [started(1)], { status: "running", live: true, attempt: 1 }],
    [
      "running while it is asked to pause",
      [started(1), { type: "desiredState", desiredState: "pause" }],
      { status: "running" },
    ],
    [
      "paused when its attempt has ended for that",
      [started(1), { type: "desiredState", desiredState: "pause" }, { type: "attempt_ended", reason: "paused" }],
      { status: "paused", live: false },
    ],
    [
      "input_required while it asks",
      [started(1), { type: "asked", key: "q", question: { message: "?", schema: {} } }],
      { status: "input_required" },
    ],
    ["cancelled for good", [{ type: "cancelled" }], { status: "cancelled", live: false }],
    [
      "failed with its error",
      [{ type: "failed", error: { code: "X", message: "x" } }],
      { error: { code: "X", message: "x" } },
    ],
    ["detached", [{ type: "detached" }], { detached: true }],
  ])("knows a task that is %s", (_what, events, expected) => {
    expect(fold(...events)).toMatchObject(expected);
  });

  it("counts deaths without progress, and forgets them at the first progress", () => {
    const died: readonly TaskEventBody[] = [started(1), { type: "attempt_ended", reason: "crashed" }];
    expect(fold(...died, ...died)).toMatchObject({ crashes: 2, live: false });
    expect(fold(...died, started(2), { type: "checkpoint" })).toMatchObject({ crashes: 0 });
    expect(fold(started(1), { type: "checkpoint" }, { type: "attempt_ended", reason: "crashed" })).toMatchObject({
      crashes: 0,
    });
    expect(fold(started(1), { type: "attempt_ended", reason: "interrupted" })).toMatchObject({ crashes: 0 });
  });

  it("counts deaths while the attempt only waits apart from those in which the tool ran (G9)", () => {
    const asks: TaskEventBody = { type: "asked", key: "q", question: { message: "?", schema: {} } };
    const crashed: TaskEventBody = { type: "attempt_ended", reason: "crashed" };
    const back: TaskEventBody = { type: "waiting", keys: ["q"] };
    expect(fold(started(1), asks)).toMatchObject({ waitsFor: ["q"] });
    expect(fold(started(1), asks, crashed, started(2), back, crashed)).toMatchObject({ crashes: 0, deathsInWaits: 2 });
    expect(fold(started(1), asks, crashed, started(2), crashed)).toMatchObject({ crashes: 1, deathsInWaits: 1 });
    expect(fold(started(1), asks, { type: "waiting", keys: [] }, crashed)).toMatchObject({ crashes: 1 });
    for (const progress of [
      { type: "checkpoint" },
      { type: "step", key: "s", value: 1 },
      { type: "answered", key: "q", answer: { action: "decline" } },
    ] as const) {
      const record = fold(started(1), asks, crashed, started(2), back, progress, crashed);
      expect([record.crashes, record.deathsInWaits, record.waitsFor]).toEqual([0, undefined, undefined]);
    }
  });

  it("lets a task go on at once when it is answered, whatever it waited for", () => {
    const waiting: readonly TaskEventBody[] = [
      started(1),
      { type: "asked", key: "q", question: { message: "?", schema: {} } },
      { type: "attempt_ended", reason: "waiting", runnableAt: "2026-02-01T00:00:00.000Z" },
    ];
    expect(fold(...waiting).runnableAt).toBe("2026-02-01T00:00:00.000Z");
    expect(fold(...waiting, { type: "desiredState", desiredState: "pause" }).runnableAt).toBe(
      "2026-02-01T00:00:00.000Z",
    );
    expect(fold(...waiting, { type: "answered", key: "q", answer: { action: "cancel" } }).runnableAt).toBeUndefined();
  });

  it("takes one answer for a question, and none for what was not asked", () => {
    const asked: TaskEventBody = { type: "asked", key: "q", question: { message: "?", schema: {} } };
    const answer = (key: string, action: "decline" | "cancel"): TaskEventBody => ({
      type: "answered",
      key,
      answer: { action },
    });
    expect(fold(asked, answer("q", "decline"), answer("q", "cancel"), answer("x", "cancel")).remembered).toEqual({
      q: { kind: "answer", question: { message: "?", schema: {} }, answer: { action: "decline" } },
    });
  });

  it("remembers which version left the state", () => {
    const left: readonly TaskEventBody[] = [started(1, "1"), { type: "checkpoint", state: 1 }, started(2, "2")];
    expect(fold(...left)).toMatchObject({ toolVersion: "2", stateVersion: "1" });
    expect(fold(...left, { type: "checkpoint", state: 2 })).toMatchObject({ stateVersion: "2" });
  });

  it("shows why code refuses a task, until code runs it or it ends", () => {
    const begun: readonly TaskEventBody[] = [
      { type: "attempt_started", attempt: 1, worker: "w", toolVersion: "1", stateShape: '"number"' },
      { type: "checkpoint", state: 1, message: "row 1" },
      { type: "attempt_ended", reason: "drained" },
    ];
    const refused = (by: string): TaskEventBody => ({
      type: "refused",
      by,
      toolVersion: "1",
      stateShape: '"number"',
      message: `needs 1, not ${by}`,
    });
    const waiting = fold(...begun, started(2, "2"), { type: "attempt_ended", reason: "interrupted" }, refused("2"));
    expect(waiting).toMatchObject({
      status: "pending",
      toolVersion: "1",
      stateVersion: "1",
      stateShape: '"number"',
      message: "needs 1, not 2",
      refused: { by: "2", message: "row 1" },
    });
    const over: readonly TaskEventBody[] = [
      started(3, "1"),
      { type: "cancelled" },
      { type: "assigned", toolVersion: "3" },
      { type: "restarted", generation: 2, fromState: true },
    ];
    for (const event of over) {
      const { message, refused: left } = fold(...begun, refused("2"), refused("3"), event);
      expect([event.type, message, left]).toEqual([event.type, "row 1", undefined]);
    }
    const assigned = fold(...begun, refused("2"), { type: "assigned", toolVersion: "3" });
    expect([assigned.toolVersion, assigned.stateVersion, assigned.stateShape]).toEqual(["3", "1", undefined]);
  });

  it("keeps everything in a restart from the last state, and nothing in one from nothing (G6.2)", () => {
    const failed: readonly TaskEventBody[] = [
      started(1),
      { type: "checkpoint", progress: 3, total: 9, state: 3, items: [1], itemBytes: 3, message: "3/9" },
      { type: "step", key: "a", value: 1 },
      { type: "failed", error: { code: "X", message: "x" } },
    ];
    const kept = fold(...failed, { type: "restarted", generation: 2, fromState: true });
    expect(kept).toMatchObject({
      status: "pending",
      generation: 2,
      progress: 3,
      state: 3,
      itemCount: 1,
      itemsFromSeq: 1,
    });
    expect(kept.remembered).toEqual({ a: { kind: "step", value: 1 } });
    expect([kept.error, kept.finishedAt]).toEqual([undefined, undefined]);
    const again = fold(...failed, { type: "restarted", generation: 2, fromState: false });
    expect(again).toMatchObject({ progress: 0, itemCount: 0, itemBytes: 0, itemsFromSeq: 6, remembered: {} });
    expect([again.state, again.stateVersion, again.total, again.message]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("keeps keys that mean something to JavaScript", () => {
    const { remembered } = fold(
      { type: "step", key: "__proto__", value: 1 },
      { type: "step", key: "constructor", value: 2 },
    );
    expect(Object.keys(remembered)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(remembered)).toBe(Object.prototype);
  });
});
