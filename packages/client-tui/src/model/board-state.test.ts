import type { TaskInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../test/fake-client.js";
import { type BoardAction, initialBoardState, isReady, reduceBoard, reduceBoardBatch } from "./board-state.js";
import { isUnfinished } from "./board-task.js";
import { createThrottledStore } from "./throttled-store.js";

const info = (more: Partial<TaskInfo> = {}) => fakeTask("a", { progress: 5, percent: 10, lastSeq: 4, ...more });
const listing = (...tasks: readonly TaskInfo[]): BoardAction => ({ type: "listed", server: fakeServer, tasks });
const listed = listing(info());
const run = (...actions: BoardAction[]) => actions.reduce(reduceBoard, initialBoardState);
const event = (value: Extract<BoardAction, { type: "event" }>["event"], atMs = 0): BoardAction => ({
  type: "event",
  taskId: "a",
  event: value,
  atMs,
});

describe("the board", () => {
  it("moves a task by what it hears, and is not put back by an older list", () => {
    const state = run(listed, event({ type: "progress", progress: 20, total: 50, seq: 9 }), listed);
    expect(state.tasks.get("a")?.info).toMatchObject({ progress: 20, percent: 40, lastSeq: 9 });
  });

  it("takes a newer list over what it heard", () => {
    const newer = listing(info({ status: "paused", lastSeq: 12, progress: 25 }));
    expect(run(listed, newer).tasks.get("a")?.info).toMatchObject({ status: "paused", progress: 25 });
  });

  it("knows that a waiting task that moves is running", () => {
    const pending = listing(info({ status: "pending" }));
    expect(run(pending, event({ type: "progress", progress: 6, seq: 5 })).tasks.get("a")?.info.status).toBe("running");
  });

  it("says that a task pauses until it is paused, or another client withdrew the request", () => {
    const requested: BoardAction = { type: "requested", taskId: "a", verb: "pause" };
    const seen = (more: Partial<TaskInfo> = {}): BoardAction => ({ type: "seen", task: info(more) });
    const said = (...actions: BoardAction[]) => run(listed, requested, ...actions).tasks.get("a")?.requested;
    // A list does not say what is requested.
    expect([said(), said(listed), said(seen({ requested: "pause" }))]).toEqual(["pause", "pause", "pause"]);
    expect([said(seen({ status: "paused" })), said(seen())]).toEqual([undefined, undefined]);
    expect(run(listed, seen({ requested: "cancel" })).tasks.get("a")?.requested).toBe("cancel");
  });

  it("keeps why a task failed until the task continues, and then nothing of its result (G7)", () => {
    const error = { code: "TOOL_FAILED", message: "No network.", continues: "by_call" } as const;
    const result = { content: [], isError: true, meta: {}, status: "failed", reused: false, text: "", error } as const;
    const failed = run(listed, { type: "finished", taskId: "a", result });
    expect(failed.tasks.get("a")).toMatchObject({ info: { status: "failed", error }, result });
    const again = info({ generation: 2, lastSeq: 12 });
    const continued = reduceBoard(failed, { type: "seen", task: again });
    expect(continued.tasks.get("a")).toEqual({ info: again, log: [], pace: [] });
    const { error: _before, ...known } = result;
    const completed = { ...known, isError: false, status: "completed" } as const;
    const ended = reduceBoard(failed, { type: "finished", taskId: "a", result: completed });
    expect(ended.tasks.get("a")?.info.error).toBeUndefined();
    expect([failed, ended].map((state) => state.tasks.get("a")?.info.percent)).toEqual([10, 100]);
  });

  it("holds a question until the task continues", () => {
    const question = { key: "sure", message: "Sure?", schema: {}, userOnly: false };
    const asked = run(listed, event({ type: "question", question }));
    expect(asked.tasks.get("a")?.info).toMatchObject({ status: "input_required", questions: [question] });
    const answered = reduceBoard(asked, event({ type: "status", status: "running" }));
    expect(answered.tasks.get("a")?.info.questions).toEqual([]);
  });

  it("keeps the last 200 lines of a log", () => {
    const lines = Array.from({ length: 250 }, (_, index) =>
      event({ type: "log", level: "info", data: `line ${index}`, seq: index }),
    );
    const log = run(listed, ...lines).tasks.get("a")?.log ?? [];
    expect([log.length, log.at(-1)]).toEqual([200, { level: "info", text: "line 249", seq: 249 }]);
  });

  it("shows that a connection is being restored until it is", () => {
    const broken = run(
      listed,
      event({ type: "reconnecting", attempt: 1, nextDelayMs: 10, reason: "connection refused" }),
    );
    expect(broken.tasks.get("a")?.away?.reason).toBe("connection refused");
    expect(reduceBoard(broken, event({ type: "reconnected" })).tasks.get("a")?.away).toBeUndefined();
  });

  it("ignores what it hears of a task that it does not know", () => {
    expect(run(event({ type: "reconnected" }))).toBe(initialBoardState);
  });

  it("says of a task that its server no longer knows that it was not found, and that nothing can be done with it", () => {
    const lost = run(listed, { type: "lost", taskId: "a", problem: "There is no task of that id.", gone: true });
    const task = lost.tasks.get("a");
    expect([task?.problem, task === undefined ? undefined : isUnfinished(task)]).toEqual([
      "not found: its server no longer knows it",
      false,
    ]);
    expect(reduceBoard(lost, listed).tasks.get("a")?.gone).toBeUndefined();
  });

  it("shows what it remembers of a server that does not answer, until that does", () => {
    const active = {
      task_id: "a",
      task_name: "count_words",
      server_url: fakeServer,
      current_step: 15,
      total_steps: 50,
      last_message: "Processed",
      started_at: "2026-11-21T09:00:00.000Z",
      last_update: "2026-11-21T09:00:01.000Z",
    };
    const silent = run({ type: "silent", server: fakeServer, tasks: [active] });
    expect(silent.tasks.get("a")).toMatchObject({ remembered: true, info: { percent: 30, message: "Processed" } });
    expect(reduceBoard(silent, listed).tasks.get("a")?.remembered).toBeUndefined();
  });

  it("is ready when every server has answered or has failed to", () => {
    const two = [fakeServer, "http://127.0.0.1:8002/mcp"].map((address) => ({
      address,
      state: { name: "idle", known: false } as const,
    }));
    const begun = run({ type: "servers", servers: two, atMs: 0 }, listed);
    const ended = reduceBoard(begun, { type: "silent", server: "http://127.0.0.1:8002/mcp", tasks: [] });
    expect([isReady(begun), isReady(ended)]).toEqual([false, true]);
  });
});

describe("a throttled store", () => {
  it("tells of many changes once, with the last value", () => {
    let due = () => {};
    let notified = 0;
    const store = createThrottledStore(
      (sum: number, added: readonly number[]) => added.reduce((all, one) => all + one, sum),
      0,
      {
        intervalMs: 67,
        schedule: (run) => {
          due = run;
          return () => {};
        },
      },
    );
    store.subscribe(() => {
      notified += 1;
    });
    for (let change = 0; change < 100; change += 1) store.dispatch(1);
    expect([store.current, store.getSnapshot(), notified]).toEqual([100, 0, 0]);
    due();
    expect([store.getSnapshot(), notified]).toEqual([100, 1]);
  });

  it("applies what came together, and nothing before it is read", () => {
    const batches: number[] = [];
    let due = () => {};
    const store = createThrottledStore(
      (count: number, actions: readonly string[]) => {
        batches.push(actions.length);
        return count + actions.length;
      },
      0,
      {
        intervalMs: 200,
        schedule: (run) => {
          due = run;
          return () => {};
        },
      },
    );
    for (let change = 0; change < 10; change += 1) store.dispatch("moved");
    const before = [...batches];
    due();
    for (let change = 0; change < 1_001; change += 1) store.dispatch("moved");
    expect([before, store.current, batches]).toEqual([[], 1_011, [10, 1_000, 1]]);
  });
});

describe("a batch of what happened", () => {
  it("changes the board as if each had come alone", () => {
    const actions: readonly BoardAction[] = [
      listed,
      ...[16, 17, 18].map(
        (at): BoardAction => ({
          type: "event",
          taskId: "a",
          event: { type: "progress", progress: at, seq: at },
          atMs: at,
        }),
      ),
      { type: "notice", kind: "info", text: "noted" },
      { type: "event", taskId: "a", event: { type: "log", level: "info", data: "said", seq: 19 }, atMs: 20 },
      { type: "removed", taskId: "b" },
      { type: "event", taskId: "b", event: { type: "progress", progress: 1, seq: 99 }, atMs: 21 },
    ];
    const before = structuredClone(initialBoardState);
    expect(reduceBoardBatch(initialBoardState, actions)).toEqual(actions.reduce(reduceBoard, initialBoardState));
    expect(initialBoardState).toEqual(before);
  });

  it("leaves a board that was shown as it was", () => {
    const shown = reduceBoardBatch(initialBoardState, [listed]);
    const tasks = new Map(shown.tasks);
    reduceBoardBatch(shown, [
      { type: "event", taskId: "a", event: { type: "progress", progress: 40, seq: 40 }, atMs: 1 },
    ]);
    expect(shown.tasks).toEqual(tasks);
  });
});
