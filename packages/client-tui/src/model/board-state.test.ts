import type { TaskInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { type BoardAction, initialBoardState, reduceBoard } from "./board-state.js";
import { createThrottledStore } from "./throttled-store.js";

const info = (more: Partial<TaskInfo> = {}): TaskInfo => ({
  id: "a",
  tool: "count",
  server: "http://a/mcp",
  status: "running",
  interrupted: false,
  progress: 5,
  total: 50,
  percent: 10,
  attempt: 1,
  generation: 1,
  itemCount: 5,
  lastSeq: 4,
  questions: [],
  ...more,
});
const listed: BoardAction = { type: "listed", tasks: [info()], atMs: 0 };
const run = (...actions: BoardAction[]) => actions.reduce(reduceBoard, initialBoardState);
const event = (value: Extract<BoardAction, { type: "event" }>["event"]): BoardAction => ({
  type: "event",
  taskId: "a",
  event: value,
});

describe("the board", () => {
  it("moves a task by what it hears, and is not put back by an older list", () => {
    const state = run(listed, event({ type: "progress", progress: 20, total: 50, seq: 9 }), listed);
    expect(state.tasks.get("a")?.info).toMatchObject({ progress: 20, percent: 40, lastSeq: 9 });
  });

  it("takes a newer list over what it heard", () => {
    const newer: BoardAction = {
      type: "listed",
      tasks: [info({ status: "paused", lastSeq: 12, progress: 25 })],
      atMs: 0,
    };
    expect(run(listed, newer).tasks.get("a")?.info).toMatchObject({ status: "paused", progress: 25 });
  });

  it("knows that a waiting task that moves is running", () => {
    const pending: BoardAction = { type: "listed", tasks: [info({ status: "pending" })], atMs: 0 };
    expect(run(pending, event({ type: "progress", progress: 6, seq: 5 })).tasks.get("a")?.info.status).toBe("running");
  });

  it("tells a question wherever the user is, and forgets it when the task goes on", () => {
    const question = { key: "sure", message: "Sure?", schema: {}, userOnly: false };
    const asked = run(listed, event({ type: "question", question }));
    expect([asked.notice?.text, asked.tasks.get("a")?.info.status]).toEqual([
      "count asks: Sure? (open it, then a)",
      "input_required",
    ]);
    const answered = reduceBoard(asked, event({ type: "status", status: "running" }));
    expect(answered.tasks.get("a")?.info.questions).toEqual([]);
  });

  it("keeps the last 200 lines of a log", () => {
    const lines = Array.from({ length: 250 }, (_, index) =>
      event({ type: "log", level: "info", data: `line ${index}` }),
    );
    const log = run(listed, ...lines).tasks.get("a")?.log ?? [];
    expect([log.length, log.at(-1)?.text]).toEqual([200, "line 249"]);
  });

  it("shows that a connection is being mended until it is", () => {
    const broken = run(
      listed,
      event({ type: "reconnecting", attempt: 1, nextDelayMs: 10, reason: "connection refused" }),
    );
    expect(broken.tasks.get("a")?.reconnecting).toBe("connection refused");
    expect(reduceBoard(broken, event({ type: "reconnected" })).tasks.get("a")?.reconnecting).toBeUndefined();
  });

  it("ignores what it hears of a task that it does not know", () => {
    expect(run(event({ type: "reconnected" }))).toBe(initialBoardState);
  });
});

describe("a throttled store", () => {
  it("tells of many changes once, with the last value", () => {
    let due = () => {};
    let told = 0;
    const store = createThrottledStore((sum: number, add: number) => sum + add, 0, {
      intervalMs: 67,
      schedule: (run) => {
        due = run;
        return () => {};
      },
    });
    store.subscribe(() => {
      told += 1;
    });
    for (let change = 0; change < 100; change += 1) store.dispatch(1);
    expect([store.current, store.getSnapshot(), told]).toEqual([100, 0, 0]);
    due();
    expect([store.getSnapshot(), told]).toEqual([100, 1]);
  });
});
