import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../test/fake-client.js";
import { type BoardAction, initialBoardState, reduceBoard } from "../model/board-state.js";
import { newBoardTask } from "../model/board-task.js";
import { changeSentences, openingSentences, taskSentence, withoutResult } from "./sentences.js";
import { parseSpokenCommand } from "./spoken-command.js";

const servers = [{ address: fakeServer, state: { name: "connected", known: true, attempt: 0 } as const }];
const before = reduceBoard(
  { ...initialBoardState, servers },
  { type: "listed", server: fakeServer, tasks: [fakeTask("a")] },
);
const heard = (...actions: readonly BoardAction[]) => changeSentences(before, actions.reduce(reduceBoard, before));
const progress = (value: number): BoardAction => ({
  type: "event",
  taskId: "a",
  event: { type: "progress", progress: value, total: 50, message: `Processed ${value}` },
  atMs: 0,
});

describe("sentences", () => {
  it("open with the servers and with what is not finished, numbered", () => {
    expect(openingSentences(before, [...before.tasks.values()])).toEqual([
      "Server 127.0.0.1:8001 is live.",
      "1 of your tasks is not finished.",
      "1. count_words at 127.0.0.1:8001 is running: 30 percent, 15 of 50. Processed 15/50 records.",
    ]);
  });

  it("tell progress every ten percent and no more often", () => {
    expect([heard(progress(17)), heard(progress(20))]).toEqual([
      [],
      ["count_words at 127.0.0.1:8001 is running: 40 percent, 20 of 50. Processed 20."],
    ]);
  });

  it("tell what the server logs, each message once and no debugging (feature 43)", () => {
    const log = (level: string, data: string, seq: number): BoardAction => ({
      type: "event",
      taskId: "a",
      event: { type: "log", level, data, seq },
      atMs: 0,
    });
    const first = [log("info", "Resuming processing from record 15", 10), log("debug", "batch 4", 11)];
    const state = first.reduce(reduceBoard, before);
    expect(heard(...first)).toEqual(["count_words, info: Resuming processing from record 15."]);
    expect(changeSentences(state, reduceBoard(state, log("error", "It failed!", 12)))).toEqual([
      "count_words, error: It failed!",
    ]);
  });

  it("tell a question, a lost server, a notice and the end at once", () => {
    const question = { key: "k", message: "Sure?", schema: {}, userOnly: false };
    expect(heard({ type: "event", taskId: "a", event: { type: "question", question }, atMs: 0 })[0]).toContain(
      "It asks: Sure?",
    );
    const down = { address: fakeServer, state: { name: "down", known: true, reason: "connection refused" } as const };
    expect(heard({ type: "servers", servers: [down], atMs: 0 })).toEqual([
      "Server 127.0.0.1:8001 is down: connection refused.",
    ]);
    expect(heard({ type: "notice", kind: "info", text: "hello" })).toEqual(["hello."]);
    const result = { content: [], isError: false, meta: {}, status: "completed", reused: false, text: "12" } as const;
    expect(heard({ type: "finished", taskId: "a", result })).toEqual(["count_words is completed: 12."]);
  });

  it("say how far a failed task came and what continues it (G7)", () => {
    const error = {
      code: "TOOL_FAILED",
      message: "No network",
      continuation: "The task reached 25/50 (50 %); the same call continues the task from its last checkpoint.",
      continues: "by_call",
    } as const;
    const result = { content: [], isError: true, meta: {}, status: "failed", reused: false, text: "", error } as const;
    expect(heard({ type: "finished", taskId: "a", result })).toEqual([
      "count_words is failed: No network. The task reached 25/50 (50 %); the same call continues the task from its last checkpoint.",
    ]);
  });

  it("tell an end that a list knows of when its result has come, or cannot come, and once", () => {
    const completed = fakeTask("a", { status: "completed", lastSeq: 12 });
    const result = { content: [], isError: false, meta: {}, status: "completed", reused: false, text: "12" } as const;
    const listed = reduceBoard(before, { type: "listed", server: fakeServer, tasks: [completed] });
    const finished = reduceBoard(listed, { type: "finished", taskId: "a", result });
    const lost = reduceBoard(listed, { type: "lost", taskId: "a", problem: "no answer", gone: false });
    expect([withoutResult(before, listed), withoutResult(listed, listed), withoutResult(before, finished)]).toEqual([
      ["a"],
      [],
      [],
    ]);
    expect([before, listed, finished].map((state, at, all) => changeSentences(all[at - 1] ?? before, state))).toEqual([
      [],
      [],
      ["count_words is completed: 12."],
    ]);
    expect(changeSentences(listed, lost)).toEqual(["count_words is completed."]);
    expect(
      changeSentences(
        before,
        reduceBoard(before, {
          type: "listed",
          server: fakeServer,
          tasks: [fakeTask("a", { status: "cancelled", lastSeq: 12 })],
        }),
      ),
    ).toEqual(["count_words is cancelled."]);
  });

  it("say of a finished task how it ended, not how far its last checkpoint was", () => {
    const error = { code: "TOOL_FAILED", message: "No network" };
    const ends = [
      { status: "completed", percent: 100 },
      { status: "failed", error },
    ] as const;
    expect(ends.map((end) => taskSentence(newBoardTask(fakeTask("a", end))))).toEqual([
      "count_words is completed.",
      "count_words is failed: No network.",
    ]);
  });

  it("hold no character that would move a cursor", () => {
    expect(taskSentence(newBoardTask(fakeTask("a", { message: "\u001b[2Jboo" })))).toContain("boo.");
    expect(taskSentence(newBoardTask(fakeTask("a", { message: "\u001b[2Jboo" })))).not.toContain("\u001b");
  });
});

describe("a typed command", () => {
  it.each([
    ["", { verb: "list" }],
    ["resume all", { verb: "resume_all" }],
    ["  pause 2 ", { verb: "pause", number: 2 }],
    ["call count to=5 name=x", { verb: "call", tool: "count", words: ["to=5", "name=x"] }],
    ["pause", { verb: "unknown", text: "pause" }],
    ["pause 0", { verb: "unknown", text: "pause 0" }],
    ["quit", { verb: "quit" }],
  ])("%j means %j", (line, command) => {
    expect(parseSpokenCommand(line)).toEqual(command);
  });
});
