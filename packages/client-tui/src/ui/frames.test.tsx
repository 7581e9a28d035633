import type { Client, ClientEvent, TaskHandle, TaskInfo } from "@resumable-mcp/client";
import { render } from "ink-testing-library";
import { afterEach, describe, expect, it } from "vitest";
import { createTaskBoard } from "../model/task-board.js";
import { createTheme } from "../theme/theme.js";
import { ThemeContext } from "../theme/theme-context.js";
import { App } from "./app.js";

const server = "http://127.0.0.1:8001/mcp";
const nowMs = Date.parse("2026-11-21T09:00:12.000Z");
const cleanups: (() => void)[] = [];

afterEach(() => {
  for (const clean of cleanups.splice(0)) clean();
});

const info = (id: string, more: Partial<TaskInfo> = {}): TaskInfo => ({
  id,
  tool: "count_words",
  server,
  status: "running",
  interrupted: false,
  progress: 15,
  total: 50,
  percent: 30,
  message: "Processed 15/50 records",
  attempt: 1,
  generation: 1,
  itemCount: 15,
  lastSeq: 9,
  createdAt: "2026-11-21T09:00:00.000Z",
  questions: [],
  ...more,
});

/** Follows nothing and never ends. */
async function* silence(): AsyncIterableIterator<ClientEvent> {
  await new Promise(() => {});
}

/** A client whose one server has these tasks; every verb is written down. */
function fakeClient(tasks: readonly TaskInfo[], said: string[]): Client {
  const find = (id: string) => tasks.find((task) => task.id === id) ?? info(id);
  const handle = (id: string): TaskHandle => {
    const steer = (verb: string) => async () => {
      said.push(`${verb} ${id}`);
      return find(id);
    };
    return {
      id,
      info: steer("info"),
      follow: silence,
      result: () => new Promise(() => {}),
      pause: steer("pause"),
      resume: steer("resume"),
      cancel: steer("cancel"),
      answer: async (key, answer) => {
        said.push(`answer ${id} ${key} ${JSON.stringify(answer)}`);
        return find(id);
      },
      async *items() {},
      remove: async () => {},
      forget: async () => {},
      journal: async () => undefined,
    };
  };
  const inputSchema = {
    type: "object",
    required: ["path"],
    properties: { path: { type: "string" }, deep: { type: "boolean", default: false } },
  };
  return {
    clientId: "id",
    notices: [],
    unfinished: async () => tasks.filter(({ status }) => !["completed", "failed", "cancelled"].includes(status)),
    async call(tool, values) {
      said.push(`call ${tool} ${JSON.stringify(values)}`);
      return { taskId: "new", server, attached: false, events: silence, result: () => new Promise(() => {}) };
    },
    task: handle,
    tasks: async () => tasks,
    stats: async () => [{ server, counts: { running: 1, completed: 2 }, total: 3 }],
    sessionInfo: async () => [],
    tools: async () => [
      { name: "count_words", server, description: "Counts the words of a file.", inputSchema, control: false },
    ],
    ping: async () => [],
    servers: () => [{ address: server, state: { name: "connected", known: true, attempt: 0 } }],
    addServer: async () => ({ address: server, state: { name: "idle", known: false } }),
    removeServer: async () => {},
    testServer: async () => ({ server, ok: true }),
    signIn: async () => {},
    onServerChange: () => () => {},
    summary: () => ({
      clientId: "id",
      stateFile: "/state.json",
      createdAt: "2026-11-21",
      servers: [],
      activeTasks: [],
      completedTasks: [],
    }),
    lastArguments: () => undefined,
    close: async () => {},
  };
}

/** Draws the whole interface at a size, as a terminal without colours shows it. */
function open(tasks: readonly TaskInfo[], size = { columns: 80, rows: 24 }) {
  const said: string[] = [];
  const client = fakeClient(tasks, said);
  const board = createTaskBoard(client, { clock: () => nowMs, schedule: soon });
  const exits: string[] = [];
  const extra = { key: "k", label: "kill the server", run: () => "killed" };
  const screen = render(
    <ThemeContext value={createTheme({ colors: false })}>
      <App
        client={client}
        board={board}
        extraActions={[extra]}
        clock={() => nowMs}
        onExit={(reason) => exits.push(reason)}
        size={size}
      />
    </ThemeContext>,
  );
  cleanups.push(() => {
    screen.unmount();
    board.close();
  });
  const frame = () => screen.lastFrame() ?? "";
  return {
    said,
    exits,
    frame,
    press: (keys: string) => screen.stdin.write(keys),
    until: (text: string) => waitFor(frame, text),
  };
}

function soon(run: () => void): () => void {
  const handle = setImmediate(run);
  return () => clearImmediate(handle);
}

/** Waits, turn by turn of the event loop, until the frame has the text. */
async function waitFor(frame: () => string, text: string): Promise<string> {
  for (let turn = 0; turn < 2_000; turn += 1) {
    if (frame().includes(text)) return frame();
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error(`"${text}" did not come:\n${frame()}`);
}

const lines = (frame: string) => frame.split("\n").map((line) => line.trimEnd());

describe("the screens at 80×24", () => {
  it("open with what is not finished", async () => {
    const screen = open([info("a"), info("b", { status: "paused" }), info("c", { status: "completed" })]);
    const frame = await screen.until("2 of your tasks");
    expect(lines(frame).slice(0, 5)).toEqual([
      " resumable-mcp · http://127.0.0.1:8001/mcp live",
      "2 of your tasks are not finished: resume, watch, cancel?",
      "",
      "▸ > count_words ███░░░░░░ 30% (15/50) Processed 15/50 records 12s",
      "  = count_words ███░░░░░░ 30% (15/50) paused: Processed 15/50 records 12s",
    ]);
    expect(lines(frame).at(-1)).toBe("Enter resume all · r resume · w watch · c cancel · m menu · Ctrl-C leave");
    expect(lines(frame)).toHaveLength(23);
  });

  it("resume all of it on Enter", async () => {
    const screen = open([info("a"), info("b", { status: "paused" })]);
    await screen.until("2 of your tasks");
    screen.press("\r");
    await screen.until("Tasks 1-2 of 2");
    expect(screen.said).toEqual(["resume b"]);
  });

  it("ask before a task is cancelled", async () => {
    const screen = open([info("a")]);
    await screen.until("1 of your tasks is");
    screen.press("c");
    await screen.until("Cancel task a?");
    screen.press("n");
    await screen.until("1 of your tasks is");
    screen.press("c");
    await screen.until("Cancel task a?");
    screen.press("y");
    await screen.until("1 of your tasks is");
    expect(screen.said).toEqual(["cancel a"]);
  });

  it("lead through tool and form to the new task", async () => {
    const screen = open([]);
    await screen.until("process data");
    screen.press("1");
    await screen.until("Counts the words");
    screen.press("\r");
    await screen.until("path");
    screen.press("\r");
    await screen.until("! is needed");
    screen.press("book.txt");
    await screen.until("book.txt_");
    screen.press("\r");
    await screen.until("count_words ███");
    expect(screen.said).toEqual(['call count_words {"path":"book.txt","deep":false}', "info new"]);
  });

  it("show statistics and session, and come back", async () => {
    const screen = open([]);
    await screen.until("process data");
    screen.press("3");
    expect(lines(await screen.until("completed       2"))).toContain("  total           3");
    screen.press("q");
    await screen.until("process data");
    screen.press("4");
    await screen.until("state file /state.json");
  });

  it("have what the embedding program adds", async () => {
    const screen = open([]);
    await screen.until("k kill the server");
    screen.press("k");
    await screen.until("killed");
  });

  it("answer a question by a form", async () => {
    const schema = { type: "object", properties: { sure: { type: "boolean", default: true } } };
    const question = { key: "q", message: "Are you sure?", schema, userOnly: false };
    const screen = open([info("a", { status: "input_required", questions: [question] })]);
    await screen.until("asks you: Are you sure?");
    screen.press("w");
    await screen.until("asks: Are you sure? (a answers)");
    screen.press("a");
    await screen.until("‹ true ›");
    screen.press("\r");
    await screen.until("asks: Are you sure? (a answers)");
    expect(screen.said).toEqual(['answer a q {"action":"accept","content":{"sure":true}}']);
  });

  it("leave on Ctrl-C and on 0", async () => {
    const screen = open([]);
    await screen.until("process data");
    screen.press("0");
    screen.press("\u0003");
    expect(screen.exits).toEqual(["quit", "interrupt"]);
  });
});

describe("the screens at other sizes", () => {
  it("stay within 40×10", async () => {
    const screen = open([info("a"), info("b")], { columns: 40, rows: 10 });
    const frame = await screen.until("2 of your tasks");
    expect(lines(frame)).toHaveLength(9);
    expect(Math.max(...lines(frame).map((line) => line.length))).toBeLessThanOrEqual(40);
  });

  it("say so when the terminal is too small", async () => {
    await open([], { columns: 30, rows: 8 }).until("Too small: 40×10 is needed");
  });

  it("show many tasks within 120×40, with the cursor among them", async () => {
    const many = Array.from({ length: 200 }, (_, index) => info(`task-${index}`));
    const screen = open(many, { columns: 120, rows: 40 });
    await screen.until("200 of your tasks");
    for (let step = 0; step < 100; step += 1) screen.press("\u001b[B");
    const frame = await screen.until("▸");
    expect(lines(frame)).toHaveLength(39);
  });
});
