import type { ServerInfo } from "@resumable-mcp/client";
import { describe, expect, it } from "vitest";
import { fakeServer } from "../../../test/fake-client.js";
import { openScreens } from "../../../test/open-screens.js";
import { serverOf } from "./add-server-screen.js";
import { reduceImport } from "./import-screen.js";
import { serverDetails, serverLine } from "./server-lines.js";
import { reduceServers } from "./servers-state.js";

const enter = "\r";
const otherServer = "http://127.0.0.1:8002/mcp";
const servers: readonly ServerInfo[] = [
  { address: fakeServer, name: "work", sessionId: "s-1", state: { name: "connected", known: true, attempt: 0 } },
  { address: otherServer, state: { name: "down", known: true, reason: "connection refused" } },
];
const test = (server: string) =>
  server === fakeServer
    ? { server, ok: true, milliseconds: 5, tools: 13, resumable: true }
    : { server, ok: false, problem: `No server answers at ${server} (connection refused). Start it first.` };

async function openServers() {
  const screen = openScreens([], { servers, test });
  await screen.until("process data");
  screen.press("5");
  await screen.until("13 tools");
  return screen;
}

describe("the screen of the servers at 80×24", () => {
  it("shows how each stands, and of the one at the cursor what it can do or what to try", async () => {
    const screen = await openServers();
    expect(screen.lines().slice(1, 7)).toEqual([
      "Servers",
      "▸ + work  http://127.0.0.1:8001/mcp  live",
      "  x http://127.0.0.1:8002/mcp  down: connection refused",
      "",
      "session s-1",
      "answers in 5 ms: 13 tools, its tasks can be resumed",
    ]);
    screen.press("\u001b[B");
    await screen.until("No server answers at http://127.0.0.1:8002/mcp (connection refused). Start it");
  });

  it("removes a server only after it has asked", async () => {
    const screen = await openServers();
    screen.press("d");
    await screen.until(`Remove ${fakeServer}, its session and its tokens?`);
    expect(screen.said).toEqual([]);
    screen.press("y");
    await screen.until("Servers");
    expect(screen.said).toEqual([`removeServer ${fakeServer}`]);
  });

  it("adds one by a form and says whether it answers", async () => {
    const screen = await openServers();
    screen.press("a");
    await screen.until("Add a server");
    screen.press("node server.js");
    await screen.until("node server.js");
    screen.press(enter);
    await screen.until("answers.");
    expect(screen.said).toEqual(['addServer {"command":"node","args":["server.js"]} undefined']);
  });
});

describe("a server's line", () => {
  const waiting = { name: "waiting", known: true, attempt: 3, nextDelayMs: 8000, reason: "HTTP 503" } as const;
  const line = (passedMs: number) =>
    serverLine({ info: { address: fakeServer, state: waiting }, sinceMs: 1000 }, 1000 + passedMs);

  it("counts down to the next attempt", () => {
    expect([line(0), line(6500), line(9000)].map((text) => text.match(/in (\d+s)/)?.[1])).toEqual(["8s", "2s", "0s"]);
    expect(line(0)).toBe(`… ${fakeServer}  reconnecting in 8s (attempt 3): HTTP 503`);
  });

  it("draws nothing that a server could use to repaint the terminal", () => {
    const test_ = { server: fakeServer, ok: false, problem: "\u001b[2Jgone" };
    const [info] = servers;
    expect(info === undefined ? [] : serverDetails({ info, test: test_, sinceMs: 0 })).toEqual(["session s-1", "gone"]);
  });
});

describe("keys on the servers", () => {
  it.each([
    ["a", { type: "add" }],
    ["i", { type: "import" }],
    ["q", { type: "back" }],
    ["t", { type: "test", address: "one" }],
    ["d", { type: "remove", address: "one" }],
    ["l", { type: "login", address: "one" }],
    ["z", undefined],
  ])("%s", (text, outcome) => {
    expect(reduceServers({ cursor: 0 }, { text }, ["one", "two"]).outcome).toEqual(outcome);
  });

  it("mean nothing where there is no server", () => {
    expect(reduceServers({ cursor: 0 }, { text: "d" }, [])).toEqual({ state: { cursor: 0 } });
    expect(reduceImport({ cursor: 0 }, { text: "", name: "enter" }, [])).toEqual({ state: { cursor: 0 } });
  });
});

describe("what is typed as a new server", () => {
  it("is a URL with a token from the environment, or a command", () => {
    expect(serverOf({ server: " https://a/mcp ", name: "a", token_variable: "T" }, { T: "secret" })).toEqual({
      config: { url: "https://a/mcp", token: "secret" },
      name: "a",
    });
    expect(serverOf({ server: 'node "my server.js"' }, {})).toEqual({
      config: { command: "node", args: ["my server.js"] },
    });
    expect(() => serverOf({ server: "https://a/mcp", token_variable: "T" }, {})).toThrow(/no token in .* T/);
  });
});
