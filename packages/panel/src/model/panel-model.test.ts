import type { JsonObject } from "@resumable-mcp/protocol";
import { isAway } from "@resumable-mcp/protocol/display";
import { describe, expect, it } from "vitest";
import { fakeModel, startMs, wireTask } from "../../test/fake-server.js";
import { CallError } from "../connection/connection.js";
import { mayAct, ownersReach } from "./panel-state.js";
import { listRoute } from "./route.js";

const away = new CallError("away", "Failed to fetch");
const unknown = new CallError("refused", "Task x not found.", "TASK_NOT_FOUND");
const listOf = (...tasks: readonly JsonObject[]) => ({ total_tasks: tasks.length, tasks });
const stats = { checkpoint_stats: { running: 2, completed: 1 }, total_checkpoints: 3 };

describe("the list", () => {
  it("is read at once, page by page, and again a second later while something moves", async () => {
    const page = model({
      list_session_tasks: ({ cursor }) =>
        cursor === undefined
          ? { ...listOf(wireTask("a"), wireTask("b")), next_cursor: "2" }
          : listOf(wireTask("c", { status: "completed" })),
      get_checkpoint_stats: stats,
    });
    page.model.look(listRoute);
    await page.rest();
    expect([page.state().listed, page.state().counts, page.state().link.name, page.delay()]).toEqual([
      ["a", "b", "c"],
      { running: 2, completed: 1 },
      "live",
      1_000,
    ]);
  });

  it("keeps the value of each task of which nothing has changed", async () => {
    const tasks = [wireTask("a"), wireTask("b")];
    const page = model({ list_session_tasks: () => listOf(...tasks), get_checkpoint_stats: stats });
    page.model.look(listRoute);
    await page.rest();
    const before = page.state().tasks;
    tasks[1] = wireTask("b", { progress: 16, last_seq: 10 });
    await page.tick();
    const after = page.state().tasks;
    expect([after.get("a") === before.get("a"), after.get("b") === before.get("b")]).toEqual([true, false]);
  });

  it("keeps the tasks that it shows, and no others", async () => {
    let round = 0;
    const page = model({
      list_session_tasks: () => listOf(wireTask(`a${round}`), wireTask(`b${round}`)),
      get_checkpoint_stats: stats,
    });
    page.model.look(listRoute);
    await page.rest();
    for (round = 1; round <= 5; round += 1) await page.tick();
    expect([...page.state().tasks.keys()]).toEqual(["a5", "b5"]);
  });

  it("shows at most 1,000 tasks, and says how many there are", async () => {
    const pages: JsonObject[] = [];
    const page = model({
      list_session_tasks: () => {
        pages.push({});
        const tasks = Array.from({ length: 200 }, (_, index) => wireTask(`${pages.length}-${index}`));
        return { total_tasks: 5_000, tasks, next_cursor: "more" };
      },
      get_checkpoint_stats: stats,
    });
    page.model.look(listRoute);
    await page.rest();
    expect([pages.length, page.state().listed?.length, page.state().total]).toEqual([5, 1_000, 5_000]);
  });
});

describe("an operator", () => {
  const answers = (all_owners: string) => ({
    list_session_tasks: listOf(wireTask("a", { owner: "sub:bob" })),
    get_checkpoint_stats: { ...stats, failed_by_tool: { render: 2 } },
    get_server_info: { all_owners },
  });

  it("sees the tasks of all owners when they ask for them, and nothing of before", async () => {
    const page = model(answers("read"));
    page.model.look(listRoute);
    await page.rest();
    expect([page.forAll, page.state().allOwners, ownersReach(page.state()), mayAct(page.state())]).toEqual([
      [],
      false,
      "read",
      true,
    ]);
    page.model.showAllOwners(true);
    expect([page.state().listed, page.state().tasks.size]).toEqual([undefined, 0]);
    await page.rest();
    expect(page.forAll).toEqual(["list_session_tasks", "get_checkpoint_stats"]);
    expect([page.state().tasks.get("a")?.info.owner, page.state().failedByTool]).toEqual(["sub:bob", { render: 2 }]);
    expect(mayAct(page.state())).toBe(false);
    page.model.showAllOwners(false);
    await page.rest();
    expect([page.forAll.length, page.state().allOwners]).toEqual([2, false]);
  });

  it("may change them where the server says so", async () => {
    const page = model(answers("act"));
    page.model.look(listRoute);
    await page.rest();
    page.model.showAllOwners(true);
    await page.rest();
    expect(mayAct(page.state())).toBe(true);
  });
});

describe("a server that is away", () => {
  it("leaves what was last seen with clocks that stand, is tried again less and less often, and comes back", async () => {
    let isAway_ = false;
    const page = model({
      list_session_tasks: () => (isAway_ ? away : listOf(wireTask("a"), wireTask("b", { status: "completed" }))),
      get_checkpoint_stats: stats,
    });
    page.model.look(listRoute);
    await page.rest();
    isAway_ = true;
    await page.tick();
    const { tasks, link } = page.state();
    expect(link).toEqual({
      name: "reconnecting",
      reason: "Failed to fetch",
      sinceMs: startMs + 1_000,
      retryAtMs: startMs + 2_000,
    });
    expect([...tasks.values()].map(isAway)).toEqual([true, false]);
    const delays = [await page.tick(), await page.tick(), await page.tick()];
    expect([delays, page.state().link]).toMatchObject([[1_000, 2_000, 4_000], { sinceMs: startMs + 1_000 }]);
    isAway_ = false;
    await page.tick();
    expect([page.state().link.name, [...page.state().tasks.values()].some(isAway)]).toEqual(["live", false]);
  });

  it("is asked more slowly by a page that cannot be seen", async () => {
    const page = model({ list_session_tasks: listOf(wireTask("a")), get_checkpoint_stats: stats });
    page.page.hidden = true;
    page.model.look(listRoute);
    await page.rest();
    expect(page.delay()).toBe(5_000);
  });
});

describe("a server that refuses", () => {
  it("is not away: what it says is a notice, and what is shown stays as it is", async () => {
    let refused = false;
    const page = model({
      get_task: () => (refused ? new CallError("refused", "The task is damaged.", "TASK_CORRUPT") : wireTask("a")),
    });
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    refused = true;
    await page.tick();
    const { link, notice, tasks } = page.state();
    expect([link.name, notice?.text, [...tasks.values()].some(isAway)]).toEqual([
      "live",
      "The task is damaged.",
      false,
    ]);
    expect([await page.tick(), page.delay()]).toEqual([1_000, 2_000]);
  });
});

describe("a task that is left", () => {
  it("leaves its journal and its result behind when another one is looked at", async () => {
    const page = model({
      get_task: ({ task_id }) => wireTask(String(task_id), { last_seq: 2 }),
      get_task_journal: { task_id: "a", last_seq: 2, next: 2, events: [1, 2].map((seq) => ({ seq, type: "created" })) },
    });
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    page.model.look({ name: "task", taskId: "b" });
    await page.rest();
    const kept = [...page.state().tasks].map(([id, { journal }]) => [id, journal?.events.length]);
    expect(kept).toEqual([
      ["a", undefined],
      ["b", 2],
    ]);
  });
});

describe("one task", () => {
  const events: readonly JsonObject[] = [
    { seq: 1, type: "created", at: "2026-11-21T09:00:00.000Z" },
    { seq: 2, type: "attempt_started", at: "2026-11-21T09:00:00.000Z", attempt: 1, worker: "w" },
  ];

  it("is read with what happened since, and with its result once it is over", async () => {
    let task = wireTask("a", { last_seq: 2 });
    const page = model({
      get_task: ({ include }) => (include === undefined ? task : { ...task, result: { content: [], isError: false } }),
      get_task_journal: ({ after }) => ({
        task_id: "a",
        last_seq: 3,
        next: 3,
        events: [...events, { seq: 3, type: "completed" }].filter(({ seq }) => Number(seq) > Number(after)),
      }),
    });
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    task = wireTask("a", { last_seq: 3, status: "completed" });
    await page.tick();
    const shown = page.state().tasks.get("a");
    expect([shown?.journal?.events.map(({ seq }) => seq), shown?.result]).toEqual([
      [1, 2, 3],
      { content: [], isError: false },
    ]);
    // What is known is not asked for again.
    await page.tick();
    expect(page.calls.slice(-1)).toEqual([["get_task", { task_id: "a" }]]);
  });

  it("that belongs to another user is as unknown as one that does not exist", async () => {
    const page = model({ get_task: unknown });
    page.model.look({ name: "task", taskId: "x" });
    await page.rest();
    expect([page.state().unknown.has("x"), page.state().link.name, page.state().tasks.size]).toEqual([true, "live", 0]);
  });

  it("has no history where the server has no journal for apps", async () => {
    const page = model({ get_task: wireTask("a") });
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    expect([page.state().link.name, page.state().tasks.get("a")?.journal?.events]).toEqual(["live", []]);
  });
});

describe("a request", () => {
  it("of another client is shown, and no longer once it is taken back", async () => {
    let requested: JsonObject = { requested: "pause" };
    const page = model({ get_task: () => wireTask("a", requested) });
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    const before = page.state().tasks.get("a")?.requested;
    requested = {};
    await page.tick();
    expect([before, page.state().tasks.get("a")?.requested]).toEqual(["pause", undefined]);
  });

  it("is shown until it has happened, and its failure is a notice", async () => {
    let now = wireTask("a");
    const page = model({
      get_task: () => now,
      pause_task: new CallError("refused", "Task a is not running.", "ILLEGAL_TRANSITION"),
      cancel_task: () => {
        now = wireTask("a", { requested: "cancel" });
        return now;
      },
    });
    page.model.look({ name: "task", taskId: "a" });
    await page.rest();
    await page.model.steer("cancel", ["a"]);
    expect(page.state().tasks.get("a")?.requested).toBe("cancel");
    now = wireTask("a");
    await page.model.steer("pause", ["a"]);
    expect([page.state().tasks.get("a")?.requested, page.state().notice]).toEqual([
      undefined,
      { kind: "error", text: "Task a is not running." },
    ]);
  });

  it("of many tasks is made with four of them at once, of those for which it makes sense", async () => {
    let open = 0;
    let most = 0;
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const page = model({
      list_session_tasks: listOf(...ids.map((id) => wireTask(id)), wireTask("over", { status: "completed" })),
      get_checkpoint_stats: stats,
      pause_task: async ({ task_id }) => {
        open += 1;
        most = Math.max(most, open);
        await page.rest();
        open -= 1;
        return wireTask(String(task_id), { status: "paused", last_seq: 10 });
      },
    });
    page.model.look(listRoute);
    await page.rest();
    await page.model.steer("pause", [...ids, "over", "nowhere"]);
    expect(most).toBe(4);
  });

  it("answers a question that only a person may answer by the tool for that", async () => {
    const page = model({ answer_question: wireTask("a"), answer_task: wireTask("a") });
    const question = { key: "q", message: "Sure?", schema: {}, userOnly: true };
    await page.model.answer("a", question, { action: "accept", content: { yes: true } });
    await page.model.answer("a", { ...question, userOnly: false }, { action: "decline" });
    expect(page.calls.filter(([tool]) => tool.startsWith("answer"))).toEqual([
      ["answer_question", { task_id: "a", key: "q", action: "accept", content: { yes: true } }],
      ["answer_task", { task_id: "a", key: "q", action: "decline" }],
    ]);
  });
});

describe("a user who signs out", () => {
  it("is not followed by answers that were under way: the next user sees nothing of them", async () => {
    const signIn = { ways: { token: true }, signedIn: true, withToken: () => {}, signOut: () => {} };
    const held: (() => void)[] = [];
    const later = (value: JsonObject) => () => new Promise<JsonObject>((resolve) => held.push(() => resolve(value)));
    const page = model(
      {
        list_session_tasks: later(listOf(wireTask("of-alice"))),
        get_checkpoint_stats: stats,
        pause_task: later(wireTask("p")),
      },
      { signIn },
    );
    page.model.look(listRoute);
    void page.model.answer("p", { key: "q", message: "", schema: {}, userOnly: false }, { action: "decline" });
    signIn.signedIn = false;
    page.change();
    for (const answer of held) answer();
    await page.rest();
    signIn.signedIn = true;
    page.change();
    expect([page.state().tasks.size, page.state().listed, page.state().notice]).toEqual([0, undefined, undefined]);
  });

  it("leaves nothing behind, and nothing is asked any more", async () => {
    const signIn = { ways: { token: true }, signedIn: true, withToken: () => {}, signOut: () => {} };
    const page = model({ list_session_tasks: listOf(wireTask("a")), get_checkpoint_stats: stats }, { signIn });
    page.model.look(listRoute);
    await page.rest();
    signIn.signedIn = false;
    page.change();
    const asked = page.calls.length;
    await page.tick();
    expect([page.state().link.name, page.state().tasks.size, page.calls.length]).toEqual(["signed_out", 0, asked]);
  });
});

const model = fakeModel;
