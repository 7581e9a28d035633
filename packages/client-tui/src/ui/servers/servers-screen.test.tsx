import { describe, expect, it } from "vitest";
import { least } from "../../../test/draw.js";
import { fakeServer } from "../../../test/fake-client.js";
import { twoServers } from "../../../test/odd-texts.js";
import { keys, type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";

const test = (server: string) =>
  server === fakeServer
    ? { server, ok: true, milliseconds: 5, tools: 13, resumable: true }
    : { server, ok: false, problem: `No server answers at ${server} (connection refused). Start it first.` };

async function openServers(options: OpenScreensOptions = {}) {
  const screen = openScreens([], { servers: twoServers, test, ...options });
  await screen.go(["process data", "5"]);
  await screen.until("13 tools");
  return screen;
}

describe("the screen of the servers", () => {
  it("shows how each stands, and of the one at the cursor what it can do or what to try", async () => {
    const screen = await openServers();
    expect(screen.frame()).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · work live · 127.0.0.1:8002 down: connection refused
      │Servers
      │▸ + work  http://127.0.0.1:8001/mcp  live
      │  x http://127.0.0.1:8002/mcp  down: connection refused
      │
      │answers in 5 ms: 13 tools, its tasks can be resumed
      │session s-1
      ⋮ 15 empty lines
      │Enter test · a add · d remove · i import · l sign in · Esc back
    `);
    screen.press(keys.down);
    await screen.until("No server answers at http://127.0.0.1:8002/mcp (connection refused). Start it");
  });

  it("removes a server only after it has asked", async () => {
    const screen = await openServers();
    await screen.go(["13 tools", "d"]);
    await screen.until(`Remove ${fakeServer}, its session and its tokens?`);
    expect(screen.said).toEqual([]);
    screen.press("y");
    await screen.until("Servers");
    expect(screen.said).toEqual([`removeServer ${fakeServer}`]);
  });

  it("lists its keys on ? where they do not fit", async () => {
    const screen = await openServers({ size: least });
    await screen.go(["13 tools", "?"]);
    await screen.until("i import");
  });

  it("says that one is signed in", async () => {
    const screen = await openServers();
    await screen.go(["13 tools", "l"]);
    await screen.until(`Signed in to ${fakeServer}.`);
  });

  it("says in whole words why one is not, and what to do", async () => {
    const signIn = async () => {
      throw new Error("The authorization server refused: access_denied. Press l to sign in again, or give it a token.");
    };
    const screen = await openServers({ size: least, signIn });
    await screen.go(["13 tools", "l"]);
    expect(await screen.until("give it a token.")).toMatchInlineSnapshot(`
      40×10
      │ 1 of 2 servers live · 127.0.0.1:8002 d…
      │Servers
      │▸ + work  127.0.0.1:8001  live
      │answers in 5 ms: 13 tools, its tasks can
      │be resumed
      │✘ The authorization server refused:
      │  access_denied. Press l to sign in
      │  again, or give it a token.
      │Enter test · a add · ? all keys
    `);
  });
});
