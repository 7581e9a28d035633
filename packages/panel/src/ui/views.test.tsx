import type { JsonObject } from "@resumable-mcp/protocol";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type Answers, fakeModel, wireTask } from "../../test/fake-server.js";
import { listRoute, type Route } from "../model/route.js";
import { TextsContext, textsFor } from "../texts/texts.js";
import { App } from "./app.js";
import { Frame } from "./frame.js";
import { ListView } from "./list/list-view.js";
import { PanelContext } from "./panel-context.js";
import { ServerView } from "./server/server-view.js";
import { SignIn } from "./sign-in.js";
import { saveAs } from "./task/task-files.js";
import { TaskScreen } from "./task/task-screen.js";

const evil = '"><img src=x onerror=alert(1)><script>alert(2)</script>\u202egnp.exe\u001b]0;title\u0007';
const events: readonly JsonObject[] = [
  { seq: 1, type: "attempt_started", at: "2026-11-21T09:00:00.000Z", attempt: 1, worker: "a" },
  { seq: 2, type: "log", at: "2026-11-21T09:00:01.000Z", level: "warning", data: evil },
  { seq: 3, type: "attempt_ended", at: "2026-11-21T09:00:09.000Z", reason: "crashed" },
  { seq: 4, type: "attempt_started", at: "2026-11-21T09:00:09.000Z", attempt: 2, worker: "b" },
  { seq: 5, type: "step", at: "2026-11-21T09:00:09.000Z", key: evil },
];
const journal: JsonObject = {
  task_id: "a",
  last_seq: 9,
  next: 9,
  arguments: { dataset: "orders", [evil]: evil },
  events,
};

/** What is drawn of a view after its first poll. */
async function drawn(route: Route, answers: Answers, view: ReactNode, locale = "en"): Promise<string> {
  const { model, rest } = fakeModel({ get_task_journal: journal, ...answers });
  model.look(route);
  await rest();
  const controls = { model, go: () => {} };
  return renderToStaticMarkup(
    <PanelContext value={controls}>
      <TextsContext value={textsFor(locale)}>
        <Frame route={route}>{view}</Frame>
      </TextsContext>
    </PanelContext>,
  );
}

/** What the server lists, so that people read the title of a tool and not its name. */
const list_tools = { tools: [{ name: "render", title: "Render pages" }] };
const taskRoute = { name: "task", taskId: "a" } as const;

/** The parts of a task's view are those of the address. */
function task(part?: "log" | "steps" | "result" | "timeline"): ReactNode {
  return <TaskScreen taskId="a" part={part} onPart={() => {}} isListed />;
}

const question = {
  key: "q",
  message: evil,
  schema: { required: ["name"], properties: { name: { type: "string", title: evil, description: evil } } },
};

describe("a hostile tool", () => {
  const hostile = wireTask("a", {
    task_name: evil,
    label: evil,
    message: evil,
    status: "input_required",
    questions: [question],
  });
  const failed = wireTask("a", { status: "failed", error: { code: "TOOL_FAILED", message: evil } });
  const result = { isError: true, content: [], structuredContent: { [evil]: evil } };

  it.each<[string, Route, Answers, ReactNode]>([
    ["task that asks", taskRoute, { get_task: hostile }, task()],
    ["log", taskRoute, { get_task: hostile }, task("log")],
    ["steps", taskRoute, { get_task: hostile }, task("steps")],
    ["result", taskRoute, { get_task: { ...failed, result } }, task("result")],
    [
      "list",
      listRoute,
      { list_session_tasks: { total_tasks: 1, tasks: [hostile] }, get_checkpoint_stats: { checkpoint_stats: {} } },
      <ListView key="list" route={listRoute} />,
    ],
    [
      "server",
      { name: "server" },
      { get_server_info: { server: { name: evil }, replicas: [{ [evil]: evil }] } },
      <ServerView key="server" />,
    ],
  ])(
    "is shown as text in the view of a %s, without any character that hides or turns",
    async (_view, route, answers, view) => {
      const markup = await drawn(route, answers, view);
      expect(markup).toContain("&lt;img src=x onerror=alert(1)&gt;");
      expect(markup).not.toMatch(/<(?:img|script)/);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(markup).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069]/);
    },
  );
});

it("saves a file under a name without folders and characters that hide or turn", () => {
  const link = { href: "", download: "", click: vi.fn() };
  vi.stubGlobal("document", { createElement: () => link });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  saveAs(new Blob(["text"]), "../..\\folder\\\u202egpj.exe\u0000\u2028");
  expect([link.download, link.click.mock.calls.length]).toEqual([".._.._folder__gpj.exe__", 1]);
});

describe("the view of a task", () => {
  it("says how far it is, what can be asked of it, and how often it was cut off", async () => {
    const markup = await drawn(taskRoute, { get_task: wireTask("a", { attempt: 2 }) }, task());
    const texts = ["30% (15/50)", "running", "Pause", "Cancel", "Attempt 1 from", "ended by a crash", "taken over"];
    for (const text of texts) expect(markup).toContain(text);
    expect(markup).not.toContain("Resume");
  });

  it("says with which arguments it was called", async () => {
    const markup = await drawn(taskRoute, { get_task: wireTask("a") }, task());
    expect(markup.indexOf("orders")).toBeGreaterThan(markup.indexOf("Arguments"));
  });

  it("shows its steps with values, durations and attempts, and what keeps it from running", async () => {
    const steps: readonly JsonObject[] = [
      {
        seq: 6,
        type: "step_failed",
        at: "2026-11-21T09:00:11.000Z",
        key: "pay",
        attempt: 1,
        ms: 1_000,
        error: { message: "503" },
      },
      { seq: 7, type: "step", at: "2026-11-21T09:00:13.000Z", key: "pay", ms: 500, value: "paid" },
    ];
    const waiting = { status: "pending", answered: ["sure"], waits_for: { limit: "owner", running: 16 } };
    const answers = {
      get_task: wireTask("a", waiting),
      get_task_journal: { ...journal, events: [...events, ...steps] },
    };
    const markup = await drawn(taskRoute, answers, task("steps"));
    for (const text of ["&quot;paid&quot;", "1.5s", "2 attempts", "Your answer was received", "16 of your tasks run"])
      expect(markup).toContain(text);
    expect(markup.match(/class="step-bar"/g)).toHaveLength(3);
    expect(markup).toMatch(/step-bar" data-failed/);
  });

  it("shows what it called, and what that called, one in the other", async () => {
    const called = (key: string, status: string) => ({
      children: [{ task_id: key, task_name: "render", key, status }],
    });
    const tasks: Readonly<Record<string, JsonObject>> = {
      a: wireTask("a", called("book", "called")),
      book: wireTask("book", { status: "paused", ...called("page", "returned") }),
      page: wireTask("page", { status: "completed", ...called("line", "failed") }),
      line: wireTask("line", { status: "failed" }),
    };
    const get_task: Answers["get_task"] = ({ task_id }) => tasks[String(task_id)] ?? null;
    const markup = await drawn(taskRoute, { get_task, list_tools }, task());
    expect(markup.match(/Render pages/g)).toHaveLength(3);
    const words = markup.match(/<ul class="children">|<\/ul>|>(?:book|page|line|paused|completed|failed)</g);
    const list = '<ul class="children">';
    expect(words).toEqual([
      ...[list, ">book<", ">paused<", list, ">page<", ">completed<", list, ">line<", ">failed<"],
      ...["</ul>", "</ul>", "</ul>"],
    ]);
  });

  it("has in its timeline the title of a tool that it called, and an answer that it has not taken yet", async () => {
    const called = { seq: 6, type: "called", at: "2026-11-21T09:00:11.000Z", key: "book", tool: "render" };
    const answers = {
      get_task: wireTask("a", { status: "pending", answered: ["sure"] }),
      get_task_journal: { ...journal, events: [...events, called] },
      list_tools,
    };
    const markup = await drawn(taskRoute, answers, task("timeline"));
    expect(markup.indexOf("call book of Render pages")).toBeGreaterThan(markup.indexOf("answer to sure received"));
  });

  it("waits in a host for the task of a tool by its title", async () => {
    const facts = { locale: "en", opened: { tool: "render", title: "Render pages" } };
    const { model } = fakeModel({}, { mode: "host", facts: () => facts });
    expect(renderToStaticMarkup(<App model={model} />)).toContain("Waiting for the task of Render pages…");
  });

  it("says the same in German", async () => {
    const markup = await drawn(taskRoute, { get_task: wireTask("a", { attempt: 2 }) }, task(), "de-AT");
    const texts = ["läuft", "Pausieren", "Abbrechen", "beendet von einem Absturz", "übernommen", "Verlauf"];
    for (const text of texts) expect(markup).toContain(text);
  });

  it("asks by a form whose fields have labels", async () => {
    const asking = wireTask("a", { status: "input_required", questions: [{ ...question, message: "Who?" }] });
    const markup = await drawn(taskRoute, { get_task: asking }, task());
    const [, id] = /<label for="([^"]+)"/.exec(markup) ?? [];
    expect([markup.includes("Who?"), markup.includes(`<input id="${id}"`)]).toEqual([true, true]);
  });
});

it("the chart says so where it does not count all tasks", async () => {
  let made = 0;
  const page = () => Array.from({ length: 200 }, () => wireTask(`t${made++}`));
  const listOf = (more: JsonObject) => {
    const route = { ...listRoute, range: "hour" } as const;
    const list_session_tasks = () => ({ tasks: page(), ...more });
    const answers = { list_session_tasks, get_checkpoint_stats: { checkpoint_stats: {} } };
    return drawn(route, answers, <ListView route={route} />);
  };
  const sentence = "The chart counts the newest 1000 tasks.";
  expect(await listOf({ total_tasks: 5_000, next_cursor: "more" })).toContain(sentence);
  expect(await listOf({ total_tasks: 200 })).not.toContain(sentence);
});

describe("the list of all owners", () => {
  const answers = (all_owners: string) => ({
    list_session_tasks: { total_tasks: 1, tasks: [wireTask("a", { owner: "sub:bob" })] },
    get_checkpoint_stats: { checkpoint_stats: { failed: 2 }, total_checkpoints: 1, failed_by_tool: { render: 2 } },
    get_server_info: { all_owners },
    list_tools,
  });

  async function listOf(reach: string, more: Parameters<typeof fakeModel>[1] = {}): Promise<string> {
    const { model, rest } = fakeModel(answers(reach), more);
    model.look(listRoute);
    await rest();
    if (reach !== "own") model.showAllOwners(true);
    await rest();
    return renderToStaticMarkup(
      <PanelContext value={{ model, go: () => {} }}>
        <TextsContext value={textsFor("en")}>
          <ListView route={listRoute} />
        </TextsContext>
      </PanelContext>,
    );
  }

  it("is there for operators alone, with owners, failures by tool, and what may be done", async () => {
    const read = await listOf("read");
    for (const text of [
      "All owners",
      "read-only",
      "sub:bob",
      "Failed tasks, by tool",
      "Render pages",
      "These are the tasks of all owners.",
    ])
      expect(read).toContain(text);
    expect(await listOf("act")).not.toContain("read-only");
    expect(await listOf("own")).not.toContain("All owners");
  });

  it("is not there in a host, which passes on no request of an operator", async () => {
    expect(await listOf("read", { mode: "host" })).not.toContain("All owners<");
  });
});

describe("the page of a user who has to sign in", () => {
  it("takes a token in a field that shows none of it", async () => {
    const signIn = { ways: { token: true, problem: evil }, signedIn: false, withToken: () => {}, signOut: () => {} };
    const { model } = fakeModel({}, { signIn, serverName: evil });
    const markup = renderToStaticMarkup(
      <PanelContext value={{ model, go: () => {} }}>
        <SignIn />
      </PanelContext>,
    );
    expect(markup).toMatch(/<input id="token" type="password" autoComplete="off"/i);
    expect(markup).not.toMatch(/<(?:img|script)/);
  });
});
