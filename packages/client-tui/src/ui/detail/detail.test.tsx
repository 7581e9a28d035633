import type { TaskJournal } from "@resumable-mcp/protocol";
import { describe, expect, it } from "vitest";
import { drawPart, large, least, usual } from "../../../test/draw.js";
import { fakeTask } from "../../../test/fake-client.js";
import { frames } from "../../../test/frames-at-sizes.js";
import { fakeResult, hostile } from "../../../test/odd-texts.js";
import { keys, type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";
import { Detail } from "./detail.js";

const at = (second: number) => `2026-11-21T09:00:${String(second).padStart(2, "0")}.000Z`;
const journal: TaskJournal = {
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
const question = { key: "q", message: "May all data of last year be deleted?", schema: {}, userOnly: false };

const shellWords = "resumable-mcp watch a --url http://127.0.0.1:8001/mcp --state /state.json";

async function openTask(options?: OpenScreensOptions, task = fakeTask("a", { attempt: 2 })) {
  const screen = openScreens([task], options);
  await screen.go(["1 of your tasks", keys.enter]);
  return screen;
}

async function openFinished(task = fakeTask("c", { status: "completed" }), options: OpenScreensOptions = {}) {
  const result = fakeResult({ words: { a: 1, b: 2 }, list: [1, 2, 3] });
  const screen = openScreens([task], { result, ...options });
  await screen.go(["process data", "2"], ["Tasks 1-1 of 1", keys.enter]);
  return screen;
}

describe("a task in detail", () => {
  it("tells attempts and checkpoints as a timeline", async () => {
    const screen = await openTask({ journal });
    expect(await screen.until("09:00:09  attempt 2 after a crash at 15")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │> count_words ███░░░░░░░ 30% (15/50)  12s                    Processed 15/50 …
      │running · attempt 2 · 15 items · updated 2s ago
      │a at http://127.0.0.1:8001/mcp
      │for 12s
      │message: Processed 15/50 records
      │log: warning: disk is slow
      │[timeline] log  steps  result
      │09:00:00  created
      │09:00:01  attempt 1
      │09:00:02  2 checkpoints, 5 to 15
      │09:00:09  attempt 2 after a crash at 15
      │09:00:09  step upload
      ⋮ 9 empty lines
      │p pause · c cancel · Tab part · y copy · ↑↓ scroll · End follow · ? all keys
    `);
  });

  it("runs the tool again with the arguments of the task, or with others", async () => {
    const given = { path: "/var/log", deep: true };
    const screen = await openTask({ journal: { ...journal, arguments: given } });
    await screen.go(["09:00:09  attempt 2", "n"], ["path* /var/log", keys.enter]);
    await expect.poll(() => screen.said).toContain(`call count_words ${JSON.stringify(given)}`);
    const gone = await openTask({ journal, tools: async () => [] });
    await gone.go(["09:00:09  attempt 2", "n"]);
    await gone.until("Its server has no tool count_words now.");
    const away = await openTask({ journal, tools: () => Promise.reject(new Error("No server answers.")) });
    await away.go(["09:00:09  attempt 2", "n"]);
    await away.until("No server answers.");
  });

  it("keeps the newest of its timeline and the state of its task on a low and narrow screen", async () => {
    const screen = await openTask({ journal, size: least });
    expect(await screen.until("09:00:09  step upload")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │> count_words ██░░░ 30% (15/50) 12s
      │running · attempt 2 · 15 items · update…
      │message: Processed 15/50 records
      │[timeline] log  steps  result
      │09:00:09  attempt 2 after a crash at 15
      │09:00:09  step upload
      │
      │p pause · c cancel · ? all keys
    `);
  });

  it("tells trouble and questions first where there is no room for all that is known", async () => {
    const asking = fakeTask("a", { status: "input_required", questions: [question] });
    const screen = await openTask({ size: least }, asking);
    expect(await screen.until("question (a answers)")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │? count_words ██░░░ 30% (15/50) 12s
      │question (a answers): May all data of l…
      │[timeline] log  steps  result
      │Its server gives no timeline.
      │
      │? Ctrl-Y answers: count_words asks: May…
      │
      │p pause · c cancel · ? all keys
    `);
  });

  it("tells why a task failed, and nothing of it can repaint the terminal", async () => {
    const failed = fakeTask("c", { tool: hostile, status: "failed", error: { code: "TOOL_FAILED", message: hostile } });
    const screen = await openFinished(failed, { result: { ...fakeResult({ [hostile]: hostile }), status: "failed" } });
    expect(await screen.until("- result: {1 field}")).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │x evil next line ███░░░░░░░ 30% (15/50)  10s            failed: evil next line
      │failed · attempt 1 · 15 items · updated 2s ago
      │c at http://127.0.0.1:8001/mcp
      │took 10s
      │error: evil next line
      │result: {"\\u001b[2J\\u001b[31mevil \\u0007\\u001b]0;title\\u0007\\nnext line":"\\u001…
      │ timeline  log  steps [result]
      │- result: {1 field}
      │    evil next line: "\\u001b[2J\\u001b[31mevil \\u0007\\u001b]0;title\\u0007\\nnext l…
      ⋮ 12 empty lines
      │r resume · Tab part · y copy · ↑↓ scroll · Enter fold, unfold · ? all keys
    `);
  });

  it("has under what failed the places at which the tool threw, once they are asked for", async () => {
    const stack = "at read (file:///tools.js:12:9)\nat run (file:///tools.js:30:5)";
    const error = { code: "TOOL_FAILED", message: "No network." };
    const events: TaskJournal["events"] = [
      { seq: 1, at: at(0), type: "attempt_started", data: { attempt: 1 } },
      { seq: 2, at: at(1), type: "attempt_ended", data: { reason: "retry", error, stack } },
      { seq: 3, at: at(2), type: "attempt_started", data: { attempt: 2 } },
      { seq: 4, at: at(3), type: "failed", data: { error, stack } },
    ];
    const options = { journal: { lastSeq: 4, events }, result: { ...fakeResult({}), status: "failed" } as const };
    const way = [
      ["process data", "2"],
      ["Tasks 1-1 of 1", keys.enter],
      ["[result]", keys.tab],
      ["failed: No network.", "s"],
    ] as const;
    expect(await frames([fakeTask("c", { status: "failed", error })], way, "at run", options)).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │x count_words ███░░░░░░░ 30% (15/50)  10s                    failed: No netwo…
      │failed · attempt 1 · 15 items · updated 2s ago
      │c at http://127.0.0.1:8001/mcp
      │took 10s
      │error: No network.
      │result: {}
      │[timeline] log  steps  result
      │09:00:00  attempt 1
      │09:00:01  attempt failed: No network.
      │            at read (file:///tools.js:12:9)
      │            at run (file:///tools.js:30:5)
      │09:00:02  attempt 2 after a failure at 0
      │09:00:03  failed: No network.
      │            at read (file:///tools.js:12:9)
      │            at run (file:///tools.js:30:5)
      ⋮ 6 empty lines
      │r resume · Tab part · y copy · s stack · ↑↓ scroll · End follow · ? all keys

      120×40
      │ resumable-mcp · 127.0.0.1:8001 live
      │x count_words █████░░░░░░░░░░ 30% (15/50)  10s                    failed: No network.
      │failed · attempt 1 · 15 items · updated 2s ago
      │c at http://127.0.0.1:8001/mcp
      │took 10s
      │error: No network.
      │result: {}
      │[timeline] log  steps  result
      │09:00:00  attempt 1
      │09:00:01  attempt failed: No network.
      │            at read (file:///tools.js:12:9)
      │            at run (file:///tools.js:30:5)
      │09:00:02  attempt 2 after a failure at 0
      │09:00:03  failed: No network.
      │            at read (file:///tools.js:12:9)
      │            at run (file:///tools.js:30:5)
      ⋮ 22 empty lines
      │r resume · Tab part · y copy · s stack · ↑↓ scroll · End follow · n restart · d delete · Y copy arguments · ? all keys

      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │x count_words ██░░░ 30% (15/50) 10s
      │failed · attempt 1 · 15 items · updated…
      │error: No network.
      │[timeline] log  steps  result
      │            at read (file:///tools.js:1…
      │            at run (file:///tools.js:30…
      │
      │r resume · Tab part · ? all keys
    `);
  });

  it("says how far a failed task came, and which key, call and command continue it (G7)", async () => {
    const error = { code: "TOOL_FAILED", message: "No network.", continuation: "-", continues: "by_call" } as const;
    const result = { ...fakeResult({}), status: "failed" } as const;
    const screen = await openFinished(fakeTask("c", { status: "failed", error }), { result });
    expect((await screen.until("[result]")).lines.slice(1, 8)).toEqual([
      "x count_words ███░░░░░░░ 30% (15/50)  10s                    failed: No netwo…",
      "failed · attempt 1 · 15 items · updated 2s ago",
      "c at http://127.0.0.1:8001/mcp",
      "took 10s",
      "error: No network.",
      "Resume it, or call it again, to continue at 30% (15/50).",
      "in a shell: resumable-mcp resume c",
    ]);
  });

  it("says on a small screen what continues a failed task, and that nothing does (G7)", async () => {
    const error = { code: "TOOL_FAILED", message: "No.", continuation: "-" } as const;
    for (const [continues, text] of [
      ["by_resume", "Resume continues at 30% (15/50); the sa…"],
      ["never", "It stopped at 30% (15/50); the same cal…"],
    ] as const) {
      const task = fakeTask("c", { status: "failed", error: { ...error, continues } });
      const screen = await openFinished(task, { size: least });
      expect((await screen.until("error: No.")).lines).toContain(text);
    }
  });

  it("counts the items that came since the lists were read", async () => {
    const tasks = [fakeTask("a")];
    const screen = openScreens(tasks);
    await screen.until("1 of your tasks");
    tasks[0] = fakeTask("a", { itemCount: 20 });
    screen.press(keys.enter);
    await screen.until("running · attempt 1 · 20 items");
  });

  it("has a log that is filtered by level, and steps", async () => {
    const screen = await openTask({ journal });
    await screen.go(["attempt 2 after", keys.tab], ["debug   batch 3", "ll"]);
    expect((await screen.until("level ≥ warning")).lines.slice(8, 10)).toEqual(["09:00:09 warning disk is slow", ""]);
    screen.press(keys.tab);
    await screen.until("09:00:09  upload");
  });

  it("says which level its log has on a narrow screen too", async () => {
    const screen = await openTask({ journal, size: least });
    await screen.go(["step upload", keys.tab], ["debug   batch 3", "ll"]);
    expect((await screen.until("level ≥ warning")).lines[4]).toBe("[log]  level ≥ warning");
  });

  it("says of each part that nothing is in it", async () => {
    const screen = await openTask({ size: least });
    await screen.go(
      ["Its server gives no timeline.", keys.tab],
      ["No log messages.", keys.tab],
      ["No remembered steps.", keys.tab],
    );
    await screen.until("No result yet.");
  });

  it("scrolls, and says how far above the end one is", async () => {
    const events = Array.from({ length: 60 }, (_, seq) => ({
      seq,
      at: at(9),
      type: "step",
      data: { key: `part ${seq}` },
    }));
    const screen = await openTask({ journal: { lastSeq: 59, events } });
    await screen.go(["step part 59", "\u001b[A"], ["1 line up, End follows", "\u001b[5~"], ["11 lines up", "\u001b[F"]);
    expect((await screen.until("step part 59")).lines[6]).toBe("[timeline] log  steps  result");
  });

  it("shows a result as a tree that folds", async () => {
    const screen = await openFinished();
    expect((await screen.until("[result]")).lines.slice(6, 14)).toEqual([
      " timeline  log  steps [result]",
      "- result: {2 fields}",
      "  - words: {2 fields}",
      "      a: 1",
      "      b: 2",
      "  - list: [3 entries]",
      "      0: 1",
      "      1: 2",
    ]);
    screen.press(keys.down);
    screen.press(" ");
    expect((await screen.until("+ words")).lines.slice(8, 10)).toEqual([
      "  + words: {2 fields}",
      "  - list: [3 entries]",
    ]);
  });

  it.each([[usual], [least], [large]])("keeps the cursor of a long result in sight at %j", async (size) => {
    const result = fakeResult({ list: Array.from({ length: 150 }, (_, index) => index) });
    const screen = await openFinished(fakeTask("c", { status: "completed" }), { result, size });
    await screen.until("[150 entries]");
    for (let step = 0; step < 20; step += 1) screen.press("\u001b[6~");
    expect((await screen.until("149: 149")).lines).toHaveLength(size.rows - 1);
  });

  it("gives the shell command that does the same below the task and to the clipboard", async () => {
    const screen = await openTask();
    await screen.go(["[timeline]", "y"]);
    const { lines } = await screen.until("resumable-mcp watch a");
    expect(lines.slice(-3)).toEqual([
      "ℹ In the clipboard, if your terminal allows it: resumable-mcp watch a --url",
      "  http://127.0.0.1:8001/mcp --state /state.json",
      "p pause · c cancel · Tab part · y copy · ↑↓ scroll · End follow · ? all keys",
    ]);
    expect(lines.join("\n")).toContain("[timeline]");
    expect(screen.copied).toEqual([shellWords]);
  });

  it("copies its arguments and its id, and says where its server does not tell the arguments", async () => {
    const screen = await openTask({ journal: { ...journal, arguments: { path: "/var/log" } } });
    await screen.go(["09:00:09  attempt 2", "Y"], ['if your terminal allows it: {"path":"/var/log"}', "i"]);
    await screen.until("if your terminal allows it: a");
    expect(screen.copied).toEqual(['{"path":"/var/log"}', "a"]);
    const silent = await openTask();
    await silent.go(["[timeline]", "Y"]);
    await silent.until("Its server has not said its arguments.");
    expect(silent.copied).toEqual([]);
  });

  it("searches its log", async () => {
    const screen = await openTask({ journal });
    await screen.go(["attempt 2 after", keys.tab], ["debug   batch 3", "/"], ["[log] steps  result   /_", "SLOW"]);
    const { lines } = await screen.until("/SLOW_");
    expect([lines.slice(8, 10), lines.at(-1)]).toEqual([
      ["09:00:09 warning disk is slow", ""],
      "type to find · Enter keep · Esc show all",
    ]);
    screen.press("x");
    await screen.until("No line matches. Esc shows all.");
    screen.press(keys.escape);
    await screen.until("debug   batch 3");
  });

  it("gives it on a screen of its own where it would be cut below the task", async () => {
    const screen = await openTask({ size: least });
    await screen.go(["[timeline]", "y"]);
    expect(await screen.until("Shell command")).toMatchInlineSnapshot(`
      40×10
      │ resumable-mcp · 127.0.0.1:8001 live
      │Shell command  1-5 of 6
      │resumable-mcp watch a --url
      │http://127.0.0.1:8001/mcp --state
      │/state.json
      │
      │It is also in the clipboard, if your
      │
      │↑↓ scroll · Esc back
    `);
    expect(screen.copied).toEqual([shellWords]);
  });

  it("says in whole words that a task no longer exists, and how to leave", () => {
    const gone = <Detail task={undefined} columns={40} rows={6} nowMs={0} onOutcome={() => {}} onLook={() => {}} />;
    expect(drawPart(gone, least).frame().lines).toEqual([
      "This task no longer exists: it was",
      "deleted, or its server no longer knows",
      "it. Esc goes back.",
    ]);
  });
});
