import { describe, expect, it } from "vitest";
import { usual } from "../../../test/draw.js";
import { keys, type OpenScreensOptions, openScreens } from "../../../test/open-screens.js";
import { readServer } from "./add-server-screen.js";

async function openForm(options: OpenScreensOptions = {}) {
  const screen = openScreens([], options);
  await screen.go(["process data", "5"], ["answers in", "a"]);
  await screen.until("Add a server");
  return screen;
}

describe("the form for a new server", () => {
  it("asks for its address, a name and where its token is", async () => {
    expect((await openForm({ size: usual })).frame()).toMatchInlineSnapshot(`
      80×24
      │ resumable-mcp · 127.0.0.1:8001 live
      │Add a server
      │▸ URL or command* _
      │  Name
      │  Token variable
      │  [Add]
      │http://127.0.0.1:8001/mcp, or node server.js
      ⋮ 15 empty lines
      │Enter send · ↑↓ field · ←→ choose, add, remove · Esc back
    `);
  });

  it("adds a server and says whether it answers", async () => {
    const screen = await openForm();
    await screen.go(["Add a server", "node server.js"], ["node server.js_", keys.enter]);
    await screen.until("answers.");
    expect(screen.said).toEqual(['addServer {"command":"node","args":["server.js"]} undefined']);
  });

  it("says what to try with one that does not answer", async () => {
    const test = (server: string) => ({ server, ok: false, problem: "It answers with HTTP 404. Check the path." });
    const screen = openScreens([], { test });
    await screen.go(["process data", "5"], ["Check the path", "a"], ["Add a server", "http://example.com"]);
    await screen.go(["example.com_", keys.enter]);
    await screen.until("Added. It answers with HTTP 404. Check the path.");
  });
});

describe("what is typed as a new server", () => {
  it("is a URL with a token from the environment, or a command", () => {
    expect(readServer({ server: " https://a/mcp ", name: "a", token_variable: "T" }, { T: "secret" })).toEqual({
      config: { url: "https://a/mcp", token: "secret" },
      name: "a",
    });
    expect(readServer({ server: 'node "my server.js"' }, {})).toEqual({
      config: { command: "node", args: ["my server.js"] },
    });
    expect(() => readServer({ server: "https://a/mcp", token_variable: "T" }, {})).toThrow(/no token in .* T/);
  });
});
