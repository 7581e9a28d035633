import type { TaskInfo } from "@resumable-mcp/client";
import { formatTask, formatTasks } from "@resumable-mcp/command-line/options";
import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../test/fake-client.js";
import { hostile, otherServer, twoServers } from "../../test/odd-texts.js";
import { withCommands } from "../advice.js";
import { cutText, textWidth } from "../display/plain-text.js";
import { serverLabelAt } from "../display/server-label.js";
import { continueCommand, saveCommand } from "../display/task-status.js";
import { answerCommand, answerRows } from "./task-text.js";

const texts = { all: true, cut: cutText, widthOf: textWidth };
const serverLabel = (address: string) => serverLabelAt(address, twoServers);
const place = { ...texts, nowMs: Date.parse("2026-11-21T09:03:05.000Z"), columns: 1_000, serverLabel };
const taskTable = (...given: Parameters<typeof formatTasks>) => formatTasks(...given).lines;
const describeTask = (task: TaskInfo) =>
  formatTask(task, {
    advise: withCommands,
    next: continueCommand(task.id, task.error),
    save: saveCommand(task.id),
    answerRows: (question) => answerRows(task.id, question),
  }).lines;

describe("the list of tasks", () => {
  it("has titles, aligned columns and ages; servers where there are several", () => {
    const tasks = [
      fakeTask("task-1"),
      fakeTask("b", { tool: "数える", status: "paused", server: otherServer, message: hostile }),
    ];
    expect(taskTable(tasks, place)).toEqual([
      "TASK    TOOL         STATUS     SERVER          PROGRESS     AGE    MESSAGE",
      "task-1  count_words  > running  work            30% (15/50)  3m05s  Processed 15/50 records",
      "b       数える       = paused   127.0.0.1:8002  30% (15/50)  3m05s  evil next line",
    ]);
    expect(taskTable([fakeTask("a", { server: fakeServer })], { ...place, columns: 48 })).toEqual([
      "TASK  TOOL         STATUS     PROGRESS     AGE …",
      "a     count_words  > running  30% (15/50)  3m05…",
    ]);
  });
});

describe("a task that waits though it may run", () => {
  it("says for what, in words and for scripts", () => {
    const waitsFor = { limit: "rate", until: "2026-11-21T09:04:00.000Z" } as const;
    const { lines, json } = formatTask(fakeTask("a", { status: "pending", waitsFor }));
    const text =
      "waits     at least until 2026-11-21 09:04:00 UTC: as many tasks of this tool began as may in its time.";
    expect(lines).toContain(text);
    expect(json).toMatchObject({ waits_for: waitsFor });
    expect(describeTask(fakeTask("a")).join()).not.toContain("waits");
  });
});

describe("a task that calls others", () => {
  it("names what called it and each that it called", () => {
    const parent = { taskId: "b", key: "report" };
    const children = [{ taskId: "c", key: "page-1", tool: hostile, status: "returned" as const }];
    const lines = describeTask(fakeTask("a", { parent, children }));
    expect(lines).toContain("parent    b, as report");
    expect(lines).toContain("child     c evil next line, as page-1: returned");
  });
});

describe("a task that made files", () => {
  it("lists them, and the command that saves them", () => {
    const file = { mimeType: "text/csv", bytes: 2_048, uri: "task://a/artifacts/orders.csv" };
    const task = fakeTask("a", { artifacts: [{ ...file, name: "orders.csv" }] });
    expect(describeTask(task).join("\n")).toContain(
      "file      orders.csv, text/csv, 2048 bytes\n  save    resumable-mcp save a\n",
    );
    expect(formatTask(task).json).toMatchObject({ artifacts: [{ name: "orders.csv", mime_type: "text/csv" }] });
    expect(describeTask(fakeTask("b")).join()).not.toContain("save");
  });
});

describe("a tool with a title", () => {
  const titled = { tool: "refund", title: "Refund a customer" };

  it("is called by it, and by its name in detail and for scripts", () => {
    const { json, lines } = formatTasks([fakeTask("a", titled)], place);
    expect(lines[1]).toMatch(/^a {5}Refund a customer {2}> running/);
    expect(json).toMatchObject({ tasks: [{ task_name: "refund" }] });
    expect(describeTask(fakeTask("a", titled))[1]).toBe("tool      Refund a customer (refund)");
  });
});

describe("a finished task", () => {
  it("shows its error where it failed, not what it reported last", () => {
    const error = { code: "TOOL_FAILED", message: "The bank refused." };
    expect(taskTable([fakeTask("a", { status: "failed", error })], place)[1]).toMatch(/30% .*The bank refused\.$/);
  });
});

describe("labels of tasks", () => {
  it("have a column where a task has one, are cut, and cannot repaint the terminal", () => {
    const tasks = [fakeTask("a", { label: "book.txt" }), fakeTask("b", { label: hostile.repeat(9) }), fakeTask("c")];
    expect(taskTable(tasks, place)).toEqual([
      "TASK  TOOL         LABEL                             STATUS     PROGRESS     AGE    MESSAGE",
      "a     count_words  book.txt                          > running  30% (15/50)  3m05s  Processed 15/50 records",
      "b     count_words  evil next lineevil next lineevi…  > running  30% (15/50)  3m05s  Processed 15/50 records",
      "c     count_words                                    > running  30% (15/50)  3m05s  Processed 15/50 records",
    ]);
    expect(describeTask(fakeTask("a", { label: "book.txt" })).slice(0, 3)).toEqual([
      "task      a",
      "tool      count_words",
      "label     book.txt",
    ]);
  });
});

describe("a task in detail", () => {
  const question = {
    key: "confirm",
    message: "Really?",
    userOnly: false,
    schema: {
      type: "object",
      properties: { polite: { type: "boolean" }, note: { type: "string" } },
      required: ["polite"],
    },
  };

  it("shows what a question needs, and the command that answers it", () => {
    const lines = describeTask(fakeTask("a", { status: "input_required", questions: [question] }));
    expect(lines.slice(-4)).toEqual([
      "asks      confirm: Really?",
      "  field   polite: a boolean, required",
      "  field   note: a string, optional",
      "  answer  resumable-mcp answer a confirm polite=true [note=…]",
    ]);
    expect(answerCommand("a", { ...question, schema: {} })).toBe("resumable-mcp answer a confirm");
  });

  it("advises the commands of this program, not the tools of a server", () => {
    const error = {
      code: "TOOL_TIMEOUT",
      message: "count reached the limit. resume_task continues the task.",
      continuation: "acme_resume_task continues it.",
      continues: "by_resume" as const,
    };
    expect(describeTask(fakeTask("a", { status: "failed", error })).slice(-3)).toEqual([
      "error     TOOL_TIMEOUT: count reached the limit. `resumable-mcp resume` continues the task.",
      "continue  `resumable-mcp resume` continues it.",
      "          Continue with: resumable-mcp resume a",
    ]);
  });
});
