import { describe, expect, it, vi } from "vitest";
import { connectBrowser } from "./browser-connection.js";
import { readPageConfig } from "./page-config.js";
import type { TabStorage } from "./sign-in.js";

const location = { origin: "https://tasks.example", pathname: "/ui", search: "", hash: "#/", assign: () => {} };

/** The page of a server that takes tokens, and answers each call with a status. */
async function openPage(kind: "none" | "token", status: () => number) {
  const held = new Map<string, string>();
  const storage: TabStorage = {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
  };
  vi.stubGlobal("fetch", async () => new Response("", { status: status() }));
  const config = readPageConfig({ mcp: "/mcp", auth: { kind } }, "https://tasks.example/ui");
  const connection = await connectBrowser(config, "", { location, storage, history: { replaceState: () => {} } });
  return { connection, held };
}

describe("the server's own page", () => {
  it("keeps a token in the tab alone, until the user signs out", async () => {
    const { connection, held } = await openPage("token", () => 503);
    const changed = vi.fn();
    connection.subscribe(changed);
    connection.signIn?.withToken("secret");
    expect([connection.signIn?.signedIn, [...held.values()]]).toEqual([true, ["secret"]]);
    connection.signIn?.signOut();
    expect([connection.signIn?.signedIn, held.size, changed.mock.calls.length]).toEqual([false, 0, 2]);
    expect(connection.signIn?.ways.isRefused).toBe(false);
  });

  it("forgets a token that the server refuses, and says so", async () => {
    const { connection, held } = await openPage("token", () => 401);
    connection.signIn?.withToken("wrong");
    await expect(connection.call("get_task", {})).rejects.toMatchObject({ failure: "signed_out" });
    expect([connection.signIn?.signedIn, connection.signIn?.ways.isRefused, held.size]).toEqual([false, true, 0]);
  });

  it("keeps a token that came while an older one was refused", async () => {
    const page = await openPage("token", () => {
      page.connection.signIn?.withToken("newer");
      return 401;
    });
    page.connection.signIn?.withToken("older");
    await expect(page.connection.call("get_task", {})).rejects.toMatchObject({ failure: "signed_out" });
    expect([...page.held.values()]).toEqual(["newer"]);
  });

  it("reads a file of a task with the user's token, and says why not", async () => {
    const asked: unknown[] = [];
    let status = 200;
    const { connection } = await openPage("token", () => 200);
    vi.stubGlobal("fetch", async (address: string, { headers }: RequestInit) => {
      asked.push([address, headers]);
      return new Response("content", { status });
    });
    connection.signIn?.withToken("secret");
    expect(await (await connection.file?.("task-1", "a b/c.csv"))?.text()).toBe("content");
    const address = "https://tasks.example/mcp/artifacts/task-1/a%20b%2Fc.csv";
    expect(asked).toEqual([[address, { authorization: "Bearer secret" }]]);
    status = 404;
    await expect(connection.file?.("task-1", "a")).rejects.toMatchObject({ failure: "refused" });
  });

  it("asks for no sign-in where the server needs none", async () => {
    expect((await openPage("none", () => 200)).connection.signIn).toBeUndefined();
  });
});
