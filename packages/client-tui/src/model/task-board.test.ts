import { describe, expect, it } from "vitest";
import { fakeClient, fakeTask } from "../../test/fake-client.js";
import { otherServer, twoServers } from "../../test/odd-texts.js";
import { TaskBoard } from "./task-board.js";

const tasks = [
  fakeTask("a", { status: "paused" }),
  fakeTask("b", { status: "paused", server: otherServer }),
  fakeTask("c", { status: "completed", server: otherServer }),
];

describe("resuming all tasks", () => {
  it("holds for a server that lists its tasks later, and once", async () => {
    const said: string[] = [];
    const silent = [otherServer];
    const board = new TaskBoard(fakeClient({ tasks, said, silent, servers: twoServers }), { clock: () => 0 });
    await board.refresh();
    expect(board.resumeAll()).toEqual({ tasks: 1, awaitedServers: 1 });
    expect(said.filter((verb) => verb.startsWith("resume"))).toEqual(["resume a"]);
    silent.pop();
    await board.refresh();
    await board.refresh();
    expect(said.filter((verb) => verb.startsWith("resume"))).toEqual(["resume a", "resume b"]);
    board.close();
  });

  it("holds for all servers before any of them has listed its tasks", async () => {
    const said: string[] = [];
    const board = new TaskBoard(fakeClient({ tasks, said, servers: twoServers }), { clock: () => 0 });
    expect(board.resumeAll()).toEqual({ tasks: 0, awaitedServers: 2 });
    await board.refresh();
    expect(said.filter((verb) => verb.startsWith("resume"))).toEqual(["resume a", "resume b"]);
    board.close();
  });
});

describe("the first notice of a board", () => {
  it.each([
    [{ stateOrigin: "found" }, "Reusing Persistent Client ID id."],
    [{ stateOrigin: "created" }, "No state found at /state.json: a new one begins."],
    [{ stateOrigin: "found", notices: ["Kept."] }, "Reusing Persistent Client ID id. Kept."],
    [{ stateOrigin: "replaced" }, undefined],
  ] as const)("of a client with %j says %j (feature 43)", (world, text) => {
    const board = new TaskBoard(fakeClient({ tasks: [], said: [], ...world }), { clock: () => 0 });
    expect(board.store.current.notice?.text).toBe(text);
    board.close();
  });
});
