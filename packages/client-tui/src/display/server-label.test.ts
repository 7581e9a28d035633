import { describe, expect, it } from "vitest";
import { fakeServer, fakeTask } from "../../test/fake-client.js";
import { initialBoardState, reduceBoard } from "../model/board-state.js";
import { newBoardTask, taskServer } from "../model/board-task.js";
import { serverLabel, serverLabelAt } from "./server-label.js";

const state = { name: "connected", known: true, attempt: 0 } as const;

describe("what a server is called", () => {
  it.each([
    ["the name that its user gave it", { address: fakeServer, name: "work" }, "work"],
    ["host and port", { address: "http://127.0.0.1:8001/mcp" }, "127.0.0.1:8001"],
    ["the host alone", { address: "https://example.com/" }, "example.com"],
    [
      "host and path, where that is not the usual one",
      { address: "https://example.com/team/mcp" },
      "example.com/team/mcp",
    ],
    ["the file that a command runs", { address: "node --inspect /srv/tools/server.js --port 1" }, "server.js"],
    ["the command, where it runs no file", { address: "uvx weather" }, "uvx"],
    ["a file on Windows", { address: "C:\\tools\\server.mjs" }, "server.mjs"],
    ["nothing, where nothing is known", { address: "" }, ""],
    ["nothing that repaints the terminal, in a command", { address: "node \u001b[2Jserver.js" }, "server.js"],
    ["nothing that repaints the terminal, in a name", { address: fakeServer, name: "\u001b[2Jwork\n" }, "work"],
  ])("is %s", (_title, server, label) => {
    expect(serverLabel(server)).toBe(label);
  });

  it("is found by its address, known or not", () => {
    const servers = [{ address: fakeServer, name: "work" }];
    expect([serverLabelAt(fakeServer, servers), serverLabelAt("http://b:1/mcp", servers)]).toEqual(["work", "b:1"]);
  });
});

describe("a task", () => {
  const named = (name?: string) => ({ address: fakeServer, state, ...(name === undefined ? {} : { name }) });
  const names = (...actions: Parameters<typeof reduceBoard>[1][]) =>
    [...actions.reduce(reduceBoard, { ...initialBoardState, servers: [named("work")] }).tasks.values()].map(taskServer);
  const listed = { type: "listed", server: fakeServer, tasks: [fakeTask("a")] } as const;

  it("bears the name of its server from the first list on", () => {
    expect(names(listed)).toEqual(["work"]);
  });

  it("bears the new one when its server is called otherwise, and none when it has none", () => {
    expect(names(listed, { type: "servers", servers: [named("home")], atMs: 0 })).toEqual(["home"]);
    expect(names(listed, { type: "servers", servers: [named()], atMs: 0 })).toEqual(["127.0.0.1:8001"]);
  });

  it("of a server without a name is at its host and port", () => {
    expect(taskServer(newBoardTask(fakeTask("a")))).toBe("127.0.0.1:8001");
  });
});
