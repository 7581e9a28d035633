import { describe, expect, it } from "vitest";
import { fakeClient, fakeTask } from "../../test/fake-client.js";
import { otherServer, twoServers } from "../../test/odd-texts.js";
import { TaskBoard } from "./task-board.js";

const tasks = [
  fakeTask("a", { interrupted: true }),
  fakeTask("b", { interrupted: true, server: otherServer }),
  fakeTask("p", { status: "paused" }),
  fakeTask("q", { status: "paused", server: otherServer }),
  fakeTask("c", { status: "completed", server: otherServer }),
];

describe("resuming all interrupted tasks", () => {
  /** What follows an interrupted task resumes it. */
  function board(silent: readonly string[], known = tasks) {
    const said: string[] = [];
    const resumed: string[] = [];
    const events = (taskId: string) => {
      resumed.push(taskId);
      return (async function* () {
        await new Promise(() => {});
      })();
    };
    const client = fakeClient({ tasks: known, said, silent, servers: twoServers, events });
    return { board: new TaskBoard(client, { clock: () => 0 }), said, resumed };
  }
  // Paused tasks are followed, too, and stay paused: only `resume` continues them.
  const cut = (ids: readonly string[]) => ids.filter((id) => id === "a" || id === "b");

  it("holds for a server that lists its tasks later, and once", async () => {
    const silent = [otherServer];
    const { board: all, said, resumed } = board(silent);
    await all.refresh();
    expect(cut(resumed)).toEqual([]);
    expect(all.resumeAll()).toEqual({ tasks: 1, awaitedServers: 1 });
    expect(cut(resumed)).toEqual(["a"]);
    silent.pop();
    await all.refresh();
    await all.refresh();
    expect([cut(resumed), said.filter((verb) => verb.startsWith("resume"))]).toEqual([["a", "b"], []]);
    all.close();
  });

  it("holds for more of them than are followed at the same time", async () => {
    const many = Array.from({ length: 260 }, (_, index) => fakeTask(`t${index}`, { interrupted: true }));
    const { board: all, said, resumed } = board([], many);
    await all.refresh();
    expect(all.resumeAll()).toEqual({ tasks: 260, awaitedServers: 0 });
    await expect.poll(() => said.filter((verb) => verb.startsWith("resume")).length).toBe(4);
    expect(resumed).toHaveLength(256);
    all.close();
  });

  it("holds for all servers before any of them has listed its tasks", async () => {
    const { board: all, said, resumed } = board([]);
    expect(all.resumeAll()).toEqual({ tasks: 0, awaitedServers: 2 });
    await all.refresh();
    expect([cut(resumed), said.filter((verb) => verb.startsWith("resume"))]).toEqual([["a", "b"], []]);
    all.close();
  });
});

describe("a request that another client withdrew", () => {
  it("is looked for with each list, since no list says what is requested", async () => {
    const said: string[] = [];
    const board = new TaskBoard(fakeClient({ tasks: [fakeTask("a"), fakeTask("b")], said }), { clock: () => 0 });
    const requested = () => board.store.current.tasks.get("a")?.requested;
    await board.refresh();
    await board.pause("a");
    expect(requested()).toBe("pause");
    await board.refresh();
    expect([said, requested()]).toEqual([["pause a", "info a"], undefined]);
    board.close();
  });
});

describe("the first notice of a board", () => {
  it.each([
    [{ stateOrigin: "found" }, "Reusing Persistent Client ID id."],
    [
      { stateOrigin: "found", servers: [{ address: "a", state: { name: "idle", known: true } }] },
      "These are the tasks of this machine's user.",
    ],
    [{ stateOrigin: "created" }, "No state found at /state.json: a new one begins."],
    [{ stateOrigin: "found", notices: ["Kept."] }, "Reusing Persistent Client ID id. Kept."],
    [{ stateOrigin: "replaced" }, undefined],
  ] as const)("of a client with %j says %j (feature 43)", (world, text) => {
    const board = new TaskBoard(fakeClient({ tasks: [], said: [], ...world }), { clock: () => 0 });
    expect(board.store.current.notice?.text).toBe(text);
    board.close();
  });
});
