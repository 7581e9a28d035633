import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InMemoryEventStore } from "@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ClientEvent, isClientError, openStreamCall, type StreamCall } from "../src/index.js";
import { type FakeServer, retryInterval, startFakeServer } from "./fake-server.js";

let folder: string;
let server: FakeServer;
let calls: { progress: (value: number) => Promise<void>; finish: (text: string) => void }[];
const open: StreamCall[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "stream-"));
  calls = [];
  server = await startFakeServer(forecastServer, new InMemoryEventStore());
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((call) => call.close()));
  await server.kill();
  await rm(folder, { recursive: true });
});

/** A server without tasks, whose one tool ends when the test says so. */
function forecastServer(): Server {
  const mcp = new Server({ name: "forecast", version: "1" }, { capabilities: { tools: {} } });
  mcp.setRequestHandler(CallToolRequestSchema, (request, extra) => {
    const progressToken = request.params._meta?.progressToken ?? "";
    return new Promise((resolve) => {
      calls.push({
        progress: (progress) =>
          extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress } }),
        finish: (text) => resolve({ content: [{ type: "text", text }] }),
      });
    });
  });
  return mcp;
}

async function stream(city = "Rome"): Promise<StreamCall> {
  const call = await openStreamCall({
    url: server.url,
    cacheFile: join(folder, "cache.json"),
    tool: "get_forecast",
    arguments: { city },
    limits: { reconnectInitialDelayMs: 1 },
  });
  open.push(call);
  return call;
}

/** The stream with which the server answers `initialize`. */
async function openingOf(url: string): Promise<string> {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  const response = await fetch(url, {
    method: "POST",
    headers: { accept: "application/json, text/event-stream", "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params }),
  });
  return response.text();
}

async function next(events: AsyncIterator<ClientEvent>, type: ClientEvent["type"]): Promise<ClientEvent | undefined> {
  for (;;) {
    const { value, done } = await events.next();
    if (done === true || value.type === type) return value;
  }
}

describe("a stream call", () => {
  it("gives its result and leaves no cache behind", async () => {
    const call = await stream();
    await call.resumable;
    calls[0]?.finish("sunny");
    expect([call.resumed, (await call.result()).text]).toEqual([false, "sunny"]);
    expect(await readdir(folder)).toEqual([]);
  });

  it("is taken up by a new process, which gets progress and result without calling again", async () => {
    const first = await stream();
    const events = first.events();
    await first.resumable;
    await calls[0]?.progress(1);
    await next(events, "progress");
    await first.close();
    const second = await stream();
    const later = second.events();
    await calls[0]?.progress(2);
    calls[0]?.finish("sunny");
    expect(await next(later, "progress")).toMatchObject({ progress: 2 });
    expect([second.resumed, (await second.result()).text, calls.length]).toEqual([true, "sunny", 1]);
  });

  it("gets a result that came while no process was there", async () => {
    const first = await stream();
    await first.resumable;
    await first.close();
    calls[0]?.finish("sunny");
    expect((await (await stream()).result()).text).toBe("sunny");
  });

  it("resumes a broken stream by itself", async () => {
    const call = await stream();
    const events = call.events();
    await call.resumable;
    // The ping before the stream is taken up: what is sent later than that can be lost by the SDK's own transport.
    server.onRequest = ({ method }) => {
      if (method === "ping") calls[0]?.finish("sunny");
      return undefined;
    };
    server.cut();
    await next(events, "reconnected");
    expect([(await call.result()).text, calls.length]).toEqual(["sunny", 1]);
  });

  it("comes back in its own time, though the server names a later one", async () => {
    expect(await openingOf(server.url)).toContain(`retry: ${retryInterval}\n`);
    const call = await stream();
    const events = call.events();
    await call.resumable;
    server.onRequest = ({ method }) => {
      if (method === "ping") calls[0]?.finish("sunny");
      return undefined;
    };
    server.cut();
    await next(events, "reconnected");
    expect([(await call.result()).text, calls.length]).toEqual(["sunny", 1]);
  });

  it("fails with STREAM_LOST when the server has forgotten its session, and begins again the next time", async () => {
    const first = await stream();
    await first.resumable;
    await first.close();
    await server.kill();
    await server.start();
    // A pooled socket of the dead server would say that no server is there.
    await expect
      .poll(() =>
        fetch(server.url).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    const error = await (await stream()).result().catch((reason: unknown) => reason);
    expect(isClientError(error) && error.code).toBe("STREAM_LOST");
    const third = await stream();
    await third.resumable;
    expect([third.resumed, calls.length]).toEqual([false, 2]);
  });

  it("to a server that is not there fails, also for those who wait until it can be resumed", async () => {
    await server.kill();
    const call = await stream();
    const codes = await Promise.all(
      [call.resumable, call.result()].map((promise) =>
        promise.then(
          () => "no error",
          (error: unknown) => (isClientError(error) ? error.code : String(error)),
        ),
      ),
    );
    expect(codes).toEqual(["SERVER_UNREACHABLE", "SERVER_UNREACHABLE"]);
    await server.start();
  });

  it("of other arguments is another call", async () => {
    const first = await stream("Rome");
    await first.resumable;
    const second = await stream("Oslo");
    await second.resumable;
    expect([second.resumed, calls.length]).toEqual([false, 2]);
  });
});
