import { describe, expect, it } from "vitest";
import { fakeModel, wireTask } from "../../test/fake-server.js";
import { CallError, type OpenedCall } from "../connection/connection.js";
import { namedTask } from "./polls.js";

const journal = { get_task_journal: { task_id: "a", last_seq: 9, next: 9, events: [] } };

/** A view that a host has opened for a call. */
async function openedFor(call: OpenedCall, answers: Parameters<typeof fakeModel>[0]) {
  const view = fakeModel({ ...journal, ...answers }, { mode: "host" });
  view.change({ opened: call });
  view.model.look({ name: "opened" });
  await view.rest();
  return view;
}

const asked = (view: Awaited<ReturnType<typeof openedFor>>) => view.calls.map(([tool]) => tool);

describe("the task of the call for which a host opens the view", () => {
  it.each<[string, OpenedCall, string | undefined]>([
    ["in the arguments of a control tool", { tool: "get_task", arguments: { task_id: "a" } }, "a"],
    ["in the structured content of its result", { result: { structuredContent: { task_id: "a" } } }, "a"],
    [
      "in the text of its result, where a host drops the structured content",
      { result: { content: [{ type: "text", text: '{"task_id":"a"}' }] } },
      "a",
    ],
    ["not in its _meta, which hosts remove", { result: { _meta: { "resumable-mcp/task_id": "a" } } }, undefined],
    ["nowhere", { arguments: { path: "x" } }, undefined],
  ])("is named %s", (_where, call, taskId) => {
    expect(namedTask(call)).toBe(taskId);
  });

  it("is found by tool and arguments while the call runs, and looked for until it exists", async () => {
    let found = false;
    const view = await openedFor(
      { tool: "count_words", arguments: { path: "x" } },
      { find_task: () => (found ? wireTask("a") : { task_id: null }), get_task: wireTask("a") },
    );
    expect([view.state().opened, view.delay()]).toEqual([{ name: "looking" }, 1_000]);
    found = true;
    await view.tick();
    expect(view.state().opened).toEqual({ name: "found", taskId: "a" });
    expect(view.calls[0]).toEqual(["find_task", { tool: "count_words", arguments: { path: "x" } }]);
  });

  it("is found by a view that was unloaded from the same call alone", async () => {
    const answers = { find_task: wireTask("a"), get_task: wireTask("a") };
    const call = { tool: "count_words", arguments: { path: "x" } };
    const views = [await openedFor(call, answers), await openedFor(call, answers)];
    expect(views.map((view) => view.state().opened)).toEqual(Array(2).fill({ name: "found", taskId: "a" }));
  });

  it("is looked for again while what was found is over and the call is not: a newer one may begin", async () => {
    let task = "older";
    const view = await openedFor(
      { tool: "count_words", arguments: { path: "x" } },
      {
        find_task: () => wireTask(task),
        get_task: ({ task_id }) => wireTask(String(task_id), { status: task_id === "older" ? "completed" : "running" }),
      },
    );
    expect(view.state().opened).toEqual({ name: "found", taskId: "older" });
    task = "newer";
    await view.tick();
    expect([view.state().opened, view.delay()]).toEqual([{ name: "found", taskId: "newer" }, 1_000]);
  });

  it("does not exist where a call is over that has none", async () => {
    const view = await openedFor(
      { tool: "plain", arguments: {}, result: { content: [{ type: "text", text: "done" }] } },
      { find_task: { task_id: null } },
    );
    expect(view.state().opened).toEqual({ name: "none" });
  });

  it("is the list for a call that lists tasks", async () => {
    const view = await openedFor(
      { tool: "my_list_session_tasks", arguments: {} },
      { find_task: { task_id: null }, list_session_tasks: { total_tasks: 0, tasks: [] }, get_checkpoint_stats: {} },
    );
    expect(view.state().opened).toEqual({ name: "list" });
  });

  it("is shown as it is where no server can continue it", async () => {
    const refusal = new CallError("refused", "No server has the tool.", "UNKNOWN_TOOL");
    const view = await openedFor(
      { tool: "get_task", arguments: { task_id: "a" } },
      { get_task: wireTask("a", { interrupted: true }), wait_for_task: refusal },
    );
    expect(view.state().link.name).toBe("live");
  });

  it("continues where its process died: the user who looks is the caller that returns", async () => {
    const call = { tool: "get_task", arguments: { task_id: "a" } };
    const cut = { get_task: wireTask("a", { interrupted: true }), wait_for_task: {} };
    expect(asked(await openedFor(call, cut))).toContain("wait_for_task");
    expect(asked(await openedFor(call, { ...cut, get_task: wireTask("a") }))).not.toContain("wait_for_task");
  });
});
