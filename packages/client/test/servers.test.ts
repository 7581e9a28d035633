import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ServerConfig, serverAddress } from "../src/index.js";
import { codeOf, useFakeWorld } from "./fake-world.js";

const world = useFakeWorld();

describe("a server", () => {
  it("that is added is used at once and by the next process, by its name", async () => {
    const { openWith, server } = world();
    const client = await openWith({ servers: [] });
    await client.addServer({ url: server.url }, { name: "work" });
    const test = await client.testServer("work");
    expect(test).toMatchObject({ server: server.url, ok: true, resumable: true });
    const next = await openWith({ only: "work" });
    expect(next.servers()).toMatchObject([
      { address: server.url, name: "work", state: { name: "idle" }, remembered: true },
    ]);
  });

  it("keeps its name when its session changes", async () => {
    const { openWith, server, stateFile } = world();
    const client = await openWith({ servers: [] });
    await client.addServer({ url: server.url }, { name: "work" });
    await client.ping();
    await client.close();
    const { servers } = JSON.parse(await readFile(stateFile, "utf8"));
    expect(servers[server.url]).toMatchObject({ name: "work", session_id: expect.any(String) });
  });

  it("that is removed takes its secrets with it and leaves the tasks", async () => {
    const { folder, openWith, server } = world();
    const client = await openWith({ servers: [] });
    await client.addServer({ url: server.url, token: "secret-token" });
    await client.addServer({ command: "node", args: ["x.js"], env: { KEY: "secret-key" } });
    const before = await readFile(join(folder, "state.credentials.json"), "utf8");
    expect(["secret-token", "secret-key"].filter((secret) => before.includes(secret))).toHaveLength(2);
    await client.removeServer(server.url);
    await client.removeServer("node x.js");
    const after = await readFile(join(folder, "state.credentials.json"), "utf8");
    expect([after.includes("secret"), client.servers()]).toEqual([false, []]);
    expect(await codeOf(client.removeServer(server.url))).toBe("UNKNOWN_SERVER");
  });

  it("shares its name with no other", async () => {
    const { openWith, server } = world();
    const client = await openWith({ servers: [] });
    await client.addServer({ url: server.url }, { name: "work" });
    expect(await codeOf(client.addServer({ url: "http://b/mcp" }, { name: "work" }))).toBe("INVALID_SERVER");
    expect(client.servers()).toHaveLength(1);
  });

  it.each<[string, ServerConfig]>([
    ["no URL", { url: "localhost:8001" }],
    ["another protocol", { url: "ftp://a/mcp" }],
    ["no command", { command: " " }],
  ])("that is %s is refused before it is written", async (_name, config) => {
    const { openWith } = world();
    const client = await openWith({ servers: [] });
    expect([await codeOf(client.addServer(config)), client.servers()]).toEqual(["INVALID_SERVER", []]);
  });

  it.each(["http://ada:hunter2@127.0.0.1:1/mcp", "http://ada:hun/ter2@127.0.0.1:1/mcp"])(
    "whose URL holds a password is refused, and no message shows it: %s",
    async (url) => {
      const { openWith } = world();
      const client = await openWith({ servers: [] });
      const refused = await Promise.allSettled([
        client.addServer({ url }),
        client.testServer(url),
        client.signIn(url, { onPage: () => {} }),
        openWith({ servers: [{ url }] }).then((opened) => opened.tools()),
      ]);
      const messages = refused.map((end) => (end.status === "rejected" ? String(end.reason) : end.status));
      expect(messages).toEqual(Array(4).fill(expect.stringMatching(/^ClientError: (?!.*hun).*127\.0\.0\.1:1/s)));
    },
  );

  it("that is started by a command with a password is shown without it", () => {
    const args = ["server.js", "--store", "postgres://ada:hunter2@127.0.0.1/db", "@scope/name"];
    expect(serverAddress({ command: "node", args })).toBe(
      "node server.js --store postgres://ada@127.0.0.1/db @scope/name",
    );
  });

  it("that is not there is an answer with its code, and no exception", async () => {
    const { openWith, server } = world();
    await server.kill();
    const client = await openWith({ servers: [{ url: server.url }] });
    const [ping] = await client.ping();
    expect(ping).toMatchObject({ ok: false, code: "SERVER_UNREACHABLE" });
  });

  it("that is started by a command needs no sign-in", async () => {
    const { openWith } = world();
    const client = await openWith({ servers: [{ command: "node", args: ["x.js"] }] });
    expect(await codeOf(client.signIn("node x.js", { onPage: () => {} }))).toBe("SIGN_IN_FAILED");
  });
});

describe("two clients on one state file", () => {
  it("keep each other's servers, also when they write at once", async () => {
    const { openWith, stateFile } = world();
    const [one, two] = [await openWith({ servers: [] }), await openWith({ servers: [] })];
    const added = Array.from({ length: 20 }, (_, index) => `http://127.0.0.1:${1000 + index}/mcp`);
    await Promise.all(added.map((url, index) => (index % 2 === 0 ? one : two).addServer({ url })));
    const { servers } = JSON.parse(await readFile(stateFile, "utf8"));
    expect(Object.keys(servers).toSorted()).toEqual(added);
  });
});
