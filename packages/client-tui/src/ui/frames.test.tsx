import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../test/fake-client.js";
import { openScreens } from "../../test/open-screens.js";

const escapeKey = "\u001b";
const enter = "\r";
const otherServer = "http://127.0.0.1:8002/mcp";
const question = {
  key: "q",
  message: "Are you sure?",
  schema: { type: "object", properties: { sure: { type: "boolean", default: true } } },
  userOnly: false,
};

describe("the opening screen at 80×24", () => {
  it("shows which servers answer, and what is not finished on each, with its age", async () => {
    const screen = openScreens(
      [fakeTask("a"), fakeTask("b", { status: "paused", server: otherServer }), fakeTask("c", { status: "completed" })],
      {
        servers: [
          { address: fakeServer, state: { name: "connected", known: true, attempt: 0 } },
          { address: otherServer, state: { name: "down", known: true, reason: "connection refused" } },
        ],
      },
    );
    const lines = await screen.until("2 of your tasks");
    expect(lines.slice(0, 8)).toEqual([
      " resumable-mcp · 127.0.0.1:8001 live · 127.0.0.1:8002 down: connection refused",
      "2 of your tasks are not finished: resume, watch, cancel, forget?",
      "",
      "127.0.0.1:8001  live",
      "▸ > count_words ███░░░░░░░ 30% (15/50) 12s                    Processed 15/50 r…",
      "127.0.0.1:8002  down: connection refused",
      "  = count_words ███░░░░░░░ 30% (15/50) 12s                    paused: Processed…",
      "last heard of 2s ago: Processed 15/50 records",
    ]);
    expect(lines.at(-1)).toBe("Enter resume all · r resume · w watch · c cancel · f forget · ? all keys");
    expect(lines).toHaveLength(23);
  });

  it("resumes all of it on Enter", async () => {
    const screen = openScreens([fakeTask("a"), fakeTask("b", { status: "paused" })]);
    await screen.until("2 of your tasks");
    screen.press(enter);
    await screen.until("Tasks 1-2 of 2");
    expect(screen.said).toEqual(["resume b"]);
  });

  it("asks before a task is cancelled or forgotten, and only y says yes", async () => {
    const screen = openScreens([fakeTask("a")]);
    await screen.until("1 of your tasks is");
    screen.press("c");
    await screen.until("Cancel task a (count_words)?");
    screen.press("n");
    await screen.until("1 of your tasks is");
    screen.press("c");
    await screen.until("Cancel task a");
    screen.press("y");
    await screen.until("1 of your tasks is");
    screen.press("f");
    await screen.until("Forget task a (count_words)? It is left alone on its server");
    screen.press("y");
    await screen.until("process data");
    expect(screen.said).toEqual(["cancel a", "forget a"]);
  });
});

describe("the list of tasks", () => {
  const three = [
    fakeTask("a", { createdAt: "2026-11-21T09:00:03.000Z" }),
    fakeTask("b", { tool: "backup", status: "paused", createdAt: "2026-11-21T09:00:02.000Z" }),
    fakeTask("c", { tool: "train", status: "failed", error: { code: "TOOL_FAILED", message: "no data" } }),
  ];
  const openList = async (options?: Parameters<typeof openScreens>[1]) => {
    const screen = openScreens(three, options);
    await screen.until("2 of your tasks");
    screen.press("m");
    await screen.until("list tasks");
    screen.press("2");
    await screen.until("Tasks 1-3 of 3");
    return screen;
  };

  it("has columns that stay in line, and marks that read without colour", async () => {
    const screen = await openList({ size: { columns: 100, rows: 24 } });
    expect(screen.lines().slice(1, 6)).toEqual([
      "Tasks 1-3 of 3",
      "    task        progress                 time   left    rate",
      "▸ > count_words ████░░░░░░░░ 30% (15/50) 9s                     Processed 15/50 records",
      "  = backup      ████░░░░░░░░ 30% (15/50) 10s                    paused: Processed 15/50 records",
      "  x train       ████░░░░░░░░ 30% (15/50) 10s                    failed: no data",
    ]);
  });

  it("marks several tasks and pauses them after one confirmation", async () => {
    const screen = await openList();
    screen.press("  ");
    await screen.until("2 marked");
    screen.press("p");
    await screen.until("Pause 2 tasks? (y/n)");
    screen.press("y");
    await screen.until("Tasks 1-3 of 3");
    expect(screen.said.filter((verb) => verb.startsWith("pause"))).toEqual(["pause a", "pause b"]);
  });

  it("keeps its filter when one comes back from a task", async () => {
    const screen = await openList();
    screen.press("/");
    screen.press("back");
    screen.press(enter);
    await screen.until("Tasks 1-1 of 1  /back");
    screen.press(enter);
    await screen.until("[1 timeline]");
    screen.press(escapeKey);
    await screen.until("Tasks 1-1 of 1  /back");
  });

  it("previews the result of the finished task at the cursor", async () => {
    const result = {
      content: [],
      structuredContent: { words: 12 },
      isError: false,
      meta: {},
      status: "completed",
      reused: false,
      text: "",
    } as const;
    const screen = openScreens([fakeTask("c", { status: "completed" })], { result });
    await screen.until("process data");
    screen.press("2");
    await screen.until('result: {"words":12}');
  });

  it("lists all keys on ?", async () => {
    const screen = await openList();
    screen.press("?");
    await screen.until("u unfinished only");
    screen.press(escapeKey);
    await screen.until("Tasks 1-3 of 3");
  });
});

describe("a task in detail", () => {
  const at = (second: number) => `2026-11-21T09:00:${String(second).padStart(2, "0")}.000Z`;
  const journal = {
    lastSeq: 9,
    events: [
      { seq: 1, at: at(0), type: "created", data: {} },
      { seq: 2, at: at(1), type: "attempt_started", data: { attempt: 1 } },
      { seq: 3, at: at(2), type: "checkpoint", data: { progress: 5 } },
      { seq: 4, at: at(3), type: "checkpoint", data: { progress: 15 } },
      { seq: 5, at: at(3), type: "log", data: { level: "debug", data: "batch 3" } },
      { seq: 6, at: at(4), type: "attempt_ended", data: { reason: "crashed" } },
      { seq: 7, at: at(9), type: "attempt_started", data: { attempt: 2 } },
      { seq: 8, at: at(9), type: "log", data: { level: "warning", data: "disk is slow" } },
      { seq: 9, at: at(9), type: "step", data: { key: "upload" } },
    ],
  };
  const openTask = async (options?: Parameters<typeof openScreens>[1]) => {
    const screen = openScreens([fakeTask("a", { attempt: 2 })], options);
    await screen.until("1 of your tasks");
    screen.press("w");
    return screen;
  };

  it("tells attempts and checkpoints as a timeline", async () => {
    const screen = await openTask({ journal });
    const lines = await screen.until("09:00:09  attempt 2 after a crash at 15");
    expect(lines.slice(1, 13)).toEqual([
      "> count_words ███░░░░░░░ 30% (15/50) 12s                    Processed 15/50 r…",
      "running · attempt 2 · 15 items · heard 2s ago",
      "a at http://127.0.0.1:8001/mcp",
      "for 12s",
      "says: Processed 15/50 records",
      "[1 timeline] 2 log  3 steps  4 result",
      "09:00:00  created",
      "09:00:01  attempt 1",
      "09:00:02  2 checkpoints, 5 to 15",
      "09:00:09  attempt 2 after a crash at 15",
      "09:00:09  step upload",
      "",
    ]);
  });

  it("counts the items that came since the lists were read", async () => {
    const tasks = [fakeTask("a")];
    const screen = openScreens(tasks);
    await screen.until("1 of your tasks");
    tasks[0] = fakeTask("a", { itemCount: 20 });
    screen.press("w");
    await screen.until("running · attempt 1 · 20 items");
  });

  it("has a log that is filtered by level, and steps", async () => {
    const screen = await openTask({ journal });
    await screen.until("attempt 2 after");
    screen.press("2");
    await screen.until("debug   batch 3");
    screen.press("ll");
    expect((await screen.until("warning and worse")).slice(7, 9)).toEqual(["warning disk is slow", ""]);
    screen.press("3");
    await screen.until("09:00:09  upload");
  });

  it("shows a result as a tree that folds", async () => {
    const result = {
      content: [],
      structuredContent: { words: { a: 1, b: 2 }, list: [1, 2, 3] },
      isError: false,
      meta: {},
      status: "completed",
      reused: false,
      text: "",
    } as const;
    const screen = openScreens([fakeTask("c", { status: "completed" })], { result });
    await screen.until("process data");
    screen.press("2");
    await screen.until("Tasks 1-1 of 1");
    screen.press(enter);
    const lines = await screen.until("[4 result]");
    expect(lines.slice(6, 14)).toEqual([
      " 1 timeline  2 log  3 steps [4 result]",
      "- result: {2 fields}",
      "  - words: {2 fields}",
      "      a: 1",
      "      b: 2",
      "  - list: [3 entries]",
      "      0: 1",
      "      1: 2",
    ]);
    screen.press("\u001b[B");
    screen.press(" ");
    expect((await screen.until("+ words")).slice(8, 10)).toEqual(["  + words: {2 fields}", "  - list: [3 entries]"]);
  });

  it("gives the shell command that does the same, on the screen and to the clipboard", async () => {
    const screen = await openTask();
    await screen.until("[1 timeline]");
    screen.press("y");
    await screen.until("The same in a shell");
    expect(screen.copied).toEqual(["resumable-mcp watch a --url http://127.0.0.1:8001/mcp"]);
  });
});

describe("a question", () => {
  const asking = fakeTask("a", { status: "input_required", questions: [question] });

  it("is told and answered wherever the user is, and what they were filling in is still there", async () => {
    const screen = openScreens([asking]);
    await screen.until("? Ctrl-Y answers: count_words asks: Are you sure?");
    screen.press("m");
    await screen.until("process data");
    screen.press("1");
    await screen.until("Counts the words");
    screen.press(enter);
    await screen.until("[Run and watch]");
    screen.press("half a pa");
    await screen.until("half a pa_");
    screen.press("\u0019");
    await screen.until("‹ true ›");
    screen.press(enter);
    await screen.until("half a pa_");
    expect(screen.said.at(-1)).toBe('answer a q {"action":"accept","content":{"sure":true}}');
  });

  it.each([
    ["decline", 1],
    ["cancel", 2],
  ])("can be answered with %s", async (action, steps) => {
    const screen = openScreens([asking]);
    await screen.until("Ctrl-Y");
    screen.press("\u0019");
    await screen.until("[Answer]");
    screen.press("\t");
    for (let step = 0; step < steps; step += 1) screen.press("\u001b[C");
    screen.press(enter);
    await screen.until("1 of your tasks");
    expect(screen.said).toEqual([`answer a q {"action":"${action}"}`]);
  });

  it("stays when its form is left with Escape", async () => {
    const screen = openScreens([asking]);
    await screen.until("Ctrl-Y");
    screen.press("\u0019");
    await screen.until("[Answer]");
    screen.press(escapeKey);
    await screen.until("? Ctrl-Y answers");
    expect(screen.said).toEqual([]);
  });
});

describe("a call", () => {
  it("leads through tool and form to the new task", async () => {
    const screen = openScreens([]);
    await screen.until("process data");
    screen.press("1");
    await screen.until("Counts the words");
    screen.press(enter);
    await screen.until("path");
    screen.press(enter);
    await screen.until("! is needed");
    screen.press("book.txt");
    await screen.until("book.txt_");
    screen.press(enter);
    await screen.until("count_words ███");
    expect(screen.said.slice(0, 2)).toEqual(['call count_words {"path":"book.txt","deep":false}', "info new"]);
  });

  it("can run in the background, with nested arguments", async () => {
    const inputSchema = {
      type: "object",
      properties: {
        source: { type: "object", required: ["url"], properties: { url: { type: "string" } } },
        tags: { type: "array", items: { type: "string" } },
      },
    };
    const screen = openScreens([], { inputSchema });
    await screen.until("process data");
    screen.press("1");
    await screen.until("Counts the words");
    screen.press(enter);
    expect((await screen.until("0 entries")).slice(2, 6)).toEqual([
      "  source",
      "▸   url * _",
      "  tags    ‹ 0 entries ›",
      "  [Run and watch]  Run in the background",
    ]);
    screen.press("example.com");
    for (const key of ["\t", "+", "\t", "new", "\t", "\u001b[C"]) screen.press(key);
    await screen.until("▸  Run and watch  [Run in the background]");
    screen.press(enter);
    await screen.until("runs in the background");
    expect(screen.said[0]).toBe('call count_words {"source":{"url":"example.com"},"tags":["new"]} detached');
  });
});

describe("the other screens", () => {
  it("show statistics and session, and come back", async () => {
    const screen = openScreens([]);
    await screen.until("process data");
    screen.press("3");
    expect(await screen.until("completed       2")).toContain("  total           3");
    screen.press("q");
    await screen.until("process data");
    screen.press("4");
    await screen.until("state file /state.json");
  });

  it("have what the embedding program adds", async () => {
    const screen = openScreens([]);
    await screen.until("k kill the server");
    screen.press("k");
    await screen.until("killed");
  });

  it("leave on Ctrl-C and on 0", async () => {
    const screen = openScreens([]);
    await screen.until("process data");
    screen.press("0");
    screen.press("\u0003");
    expect(screen.exits).toEqual(["quit", "interrupt"]);
  });
});

describe("the screens at other sizes", () => {
  it("stay within 40×10", async () => {
    const screen = openScreens([fakeTask("a"), fakeTask("b")], { size: { columns: 40, rows: 10 } });
    const lines = await screen.until("2 of your tasks");
    expect(lines).toHaveLength(9);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  it("say so when the terminal becomes too small, and are where they were when it grows again", async () => {
    const screen = openScreens([]);
    await screen.until("process data");
    screen.press("3");
    await screen.until("completed       2");
    screen.resize(30, 8);
    await screen.until("Too small: 40×10 is needed");
    screen.resize(120, 40);
    await screen.until("completed       2");
  });

  it("show many tasks within 120×40, with the cursor among them", async () => {
    const many = Array.from({ length: 200 }, (_, index) => fakeTask(`task-${index}`));
    const screen = openScreens(many, { size: { columns: 120, rows: 40 } });
    await screen.until("200 of your tasks");
    for (let step = 0; step < 100; step += 1) screen.press("\u001b[B");
    expect(await screen.until("▸")).toHaveLength(39);
  });
});
