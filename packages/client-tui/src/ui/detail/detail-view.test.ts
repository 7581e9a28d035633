import { defaultStateFile } from "@resumable-mcp/client";
import { shownLevels } from "@resumable-mcp/protocol/display";
import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../../test/fake-client.js";
import { fakeResult, hostile } from "../../../test/odd-texts.js";
import { nowMs } from "../../../test/open-screens.js";
import { type BoardTask, newBoardTask } from "../../model/board-task.js";
import { initialDetailState } from "./detail-state.js";
import { detailContent, factLines, shellCommand, visibleLines } from "./detail-view.js";

const facts = (task: BoardTask, most = 20, columns = 100) => factLines(task, { columns, nowMs, most });

describe("what is known of a task", () => {
  const question = { key: "q", message: "Sure?", schema: {}, userOnly: false };
  const troubled: BoardTask = {
    ...newBoardTask(fakeTask("a", { generation: 2, itemCount: 1, questions: [question] })),
    away: { reason: "HTTP 503", sinceMs: nowMs - 1_000 },
  };

  it("is one fact a line, in the order in which one reads", () => {
    expect(facts(troubled)).toEqual([
      "last seen: running · attempt 1, generation 2 · 1 item · updated 2s ago",
      `a at ${fakeServer}`,
      "for 11s",
      "message: Processed 15/50 records",
      "question (a answers): Sure?",
      "its server is away (HTTP 503); g tries again now",
    ]);
  });

  it("has neither status nor counts of a task that the client only remembers", () => {
    const remembered = { ...newBoardTask(fakeTask("a", { status: "pending", attempt: 0 })), remembered: true } as const;
    expect(facts(remembered)[0]).toBe("out of reach · last seen 2s ago");
  });

  it("loses first what can be looked up elsewhere, and last its trouble", () => {
    expect([5, 3, 2, 1].map((most) => facts(troubled, most).map((fact) => fact.slice(0, 7).replace(":", "")))).toEqual([
      ["last se", "for 11s", "message", "questio", "its ser"],
      ["last se", "questio", "its ser"],
      ["questio", "its ser"],
      ["questio"],
    ]);
  });

  it("says what called it, and how far what it called is", () => {
    const child = { taskId: "c", key: "page-1", tool: "render" };
    const parent = { taskId: "b", key: "report" };
    const children = [
      { ...child, status: "returned" as const },
      { ...child, status: "failed" as const },
      { ...child, status: "called" as const },
    ];
    const known = facts(newBoardTask(fakeTask("a", { parent, children })));
    expect(known).toContain("called by b, as report");
    expect(known).toContain("calls: 1 of 3 returned, 1 failed");
  });

  it("says with which arguments it was called, once its journal is read", () => {
    const journal = { lastSeq: 1, arguments: { dataset: "orders", limit: 50 }, events: [] };
    expect(facts({ ...newBoardTask(fakeTask("a")), journal })[1]).toBe('arguments: {"dataset":"orders","limit":50}');
  });

  it("lists the files that it made, and the command that saves them", () => {
    const file = { mimeType: "text/csv", uri: "task://a/artifacts/x" };
    const artifacts = [
      { ...file, name: "orders.csv", bytes: 2_048 },
      { ...file, name: hostile, bytes: 1 },
    ];
    expect(facts(newBoardTask(fakeTask("a", { artifacts })))).toContain(
      "files (resumable-mcp save a): orders.csv, 2048 bytes; evil next line, 1 bytes",
    );
  });

  it("names no attempt of a task that has not begun", () => {
    const pending = newBoardTask(fakeTask("a", { status: "pending", attempt: 0 }));
    expect(facts(pending)[0]).toBe("pending · 15 items · updated 2s ago");
  });

  it("tells rate and remaining time of what moves, and how long what is over took", () => {
    const pace = [5, 15].map((progress, index) => ({ progress, atMs: nowMs - 10_000 + index * 10_000 }));
    const moving = { ...newBoardTask(fakeTask("a")), pace };
    const over = { ...newBoardTask(fakeTask("b", { status: "completed" })), pace, result: fakeResult({ words: 12 }) };
    expect([facts(moving)[2], facts(over)[2], facts(over)[3]]).toEqual([
      "for 12s · about 35s left · 1.0/s",
      "took 10s",
      'result: {"words":12}',
    ]);
  });

  it("says that it is only remembered, what its problem is, and nothing that could repaint the terminal", () => {
    const remembered: BoardTask = {
      ...newBoardTask(fakeTask("a", { message: hostile })),
      remembered: true,
      problem: hostile,
    };
    expect(facts(remembered).slice(3)).toEqual([
      "message: evil next line",
      "its server has not answered yet: this is what was last seen",
      "evil next line",
    ]);
  });
});

describe("the part of a task that one looks at", () => {
  const log = ["debug", "info", "notice", "warning", "error", "alert"].map((level) => ({ level, text: `a ${level}` }));
  const task: BoardTask = { ...newBoardTask(fakeTask("a")), log };

  it("is the log from a level on, of which unknown ones count as the worst", () => {
    const counts = shownLevels.map((level) => detailContent(task, { ...initialDetailState, pane: "log", level }).count);
    expect(counts).toEqual([6, 5, 3, 2]);
  });

  it("is the lines of the log that have each word which is searched for", () => {
    const found = detailContent(task, { ...initialDetailState, pane: "log", filter: "ERR a" });
    expect(found.lines.map(({ text }) => text)).toEqual(["         error   a error"]);
  });

  it("is the timeline at first, and the result once there is one", () => {
    const over = { ...task, result: fakeResult({}) };
    expect([detailContent(task, initialDetailState).pane, detailContent(over, initialDetailState).pane]).toEqual([
      "timeline",
      "result",
    ]);
  });

  it("is the end of its lines, or what stands so many lines above that", () => {
    const lines = [1, 2, 3, 4, 5];
    expect([
      visibleLines(lines, 0, 2),
      visibleLines(lines, 2, 2),
      visibleLines(lines, 9, 2),
      visibleLines(lines, 0, 9),
    ]).toEqual([[4, 5], [2, 3], [1, 2], lines]);
  });
});

describe("the shell command for a task", () => {
  it.each([
    ["running", fakeServer, "resumable-mcp watch a --url http://127.0.0.1:8001/mcp"],
    ["completed", fakeServer, "resumable-mcp result a --url http://127.0.0.1:8001/mcp"],
    ["running", "node it's.js", "resumable-mcp watch a --server 'node it'\\''s.js'"],
  ] as const)("that is %s at %s is %s", (status, server, command) => {
    expect(shellCommand(newBoardTask(fakeTask("a", { status, server })), defaultStateFile())).toBe(command);
  });
});
