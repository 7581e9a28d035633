import { describe, expect, it } from "vitest";
import { isClientError } from "../src/index.js";
import { defaultLimits } from "../src/limits.js";
import { codeOf, useFakeWorld } from "./fake-world.js";

const world = useFakeWorld();

describe("a server", () => {
  it("that is down is an error that says what to start", async () => {
    const { open, server } = world();
    await server.kill();
    const error = await (await open()).unfinished().catch((reason: unknown) => reason);
    expect(isClientError(error) && [error.code, error.message.includes("Start it first")]).toEqual([
      "SERVER_UNREACHABLE",
      true,
    ]);
    await server.start();
  });

  it.each(["initialize", "notifications/initialized"])("that leaves %s unanswered is unreachable", async (silent) => {
    const { openWith, server } = world();
    server.onRequest = ({ method }) => (method === silent ? "silence" : undefined);
    const client = await openWith({ servers: [{ url: server.url }], limits: { requestTimeoutMs: 50 } });
    const error = await client.tools().catch((reason: unknown) => reason);
    expect(isClientError(error) && [error.code, error.message]).toEqual([
      "SERVER_UNREACHABLE",
      expect.stringMatching(/was reached, but does not answer \(no answer within .*output/),
    ]);
  });

  it("at a wrong path is an error that says what to check", async () => {
    const { open, server } = world();
    expect(await codeOf((await open(server.url.replace("/mcp", "/nothing"))).tools())).toBe("NOT_AN_MCP_SERVER");
  });

  it("that asks for a token is an error that says so", async () => {
    const { open, server } = world();
    server.onRequest = () => 401;
    expect(await codeOf((await open()).tools())).toBe("UNAUTHORIZED");
  });

  it("that is down is reported at once, also with limits that are undefined", async () => {
    const { openWith, server } = world();
    await server.kill();
    const limits = Object.fromEntries(Object.keys(defaultLimits).map((name) => [name, undefined]));
    const client = await openWith({ servers: [{ url: server.url }], limits });
    expect(await codeOf(client.tools())).toBe("SERVER_UNREACHABLE");
    await server.start();
  });

  it("is asked in the session of the last process while it knows that", async () => {
    const { open } = world();
    const first = await open();
    const [before] = await first.sessionInfo();
    await first.close();
    const second = await open();
    const [after] = await second.sessionInfo();
    expect(after).toEqual(before);
    expect(after?.clientId).toBe(second.clientId);
  });

  it("that is waited for is tried at once when one asks for that", async () => {
    const { openWith, server } = world();
    const hourMs = 3_600_000;
    const limits = { reconnectInitialDelayMs: hourMs, reconnectMaxDelayMs: hourMs, reconnectAttempts: 3 };
    const client = await openWith({ servers: [{ url: server.url }], limits });
    expect(await client.unfinished()).toEqual([]);
    await server.kill();
    const waits = new Promise<void>((resolve) => {
      client.onServerChange((change) => {
        if (change.type === "state" && change.state.name === "waiting") resolve();
      });
    });
    const listed = client.unfinished();
    await waits;
    await server.start();
    client.retryNow();
    expect(await listed).toEqual([]);
  });

  it("answers a ping, and a dead one is a problem and not an exception", async () => {
    const { open, server } = world();
    const client = await open();
    expect((await client.ping()).map(({ ok }) => ok)).toEqual([true]);
    await server.kill();
    expect((await (await open()).ping()).map(({ ok }) => ok)).toEqual([false]);
    await server.start();
  });

  it("tells how many tasks it keeps", async () => {
    const { open, server } = world();
    const client = await open();
    await client.call("count", {});
    expect(await client.stats()).toEqual([{ server: server.url, counts: { running: 1 }, total: 1 }]);
  });
});

it("a gateway whose server has never started says so, and why, until it has", async () => {
  const { open, tasks } = world();
  tasks.notStarted = "The server ended (exit code 1).";
  const client = await open();
  const error = await client.tools().catch((reason: unknown) => reason);
  expect(isClientError(error) && [error.code, error.message]).toEqual([
    "SERVER_REFUSED",
    expect.stringMatching(/^The server behind \S+ has not started: The server ended \(exit code 1\)\. /),
  ]);
  expect(await codeOf(client.call("count", {}))).toBe("SERVER_REFUSED");
  const [{ server } = { server: "" }] = await client.ping();
  expect(await client.testServer(server)).toMatchObject({ ok: false, code: "SERVER_REFUSED" });
  tasks.notStarted = undefined;
  expect((await client.tools()).map(({ name }) => name)).toContain("count");
});

describe("of several servers", () => {
  it("those that fail are reported while another answers, whatever all are asked for", async () => {
    const { openWith, server } = world();
    const away = "http://127.0.0.1:1/mcp";
    const client = await openWith({ servers: [{ url: server.url }, { url: away }] });
    const failed: unknown[] = [];
    const onFailed = (address: string, error: unknown) => failed.push([address, isClientError(error) && error.code]);
    await client.unfinished({ onFailed });
    await client.tasks({ onFailed });
    await client.stats({ onFailed });
    await client.tools({ onFailed });
    expect(failed).toEqual(Array.from({ length: 4 }, () => [away, "SERVER_UNREACHABLE"]));
  });
});
