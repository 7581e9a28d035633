import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject, TaskView } from "@resumable-mcp/core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { wrapLimits } from "../src/limits.js";
import { connectHttp } from "../src/upstream/http-wire.js";
import { Peer } from "../src/upstream/peer.js";
import { lowerLimit, openWrapped } from "./open-wrapped.js";

/** What a server was sent, and how it answers a call. */
interface Remote {
  readonly url: string;
  readonly calls: JsonObject[];
  readonly seen: (readonly [method: string | undefined, header: unknown])[];
  /** Forgets all sessions, as a restart does. */
  restart(): void;
  /** Lets it be out of reach. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

type AnswerCall = (id: unknown, response: ServerResponse, count: number) => void;

const event = (id: string, message: object) => `id: ${id}\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const done = { content: [{ type: "text", text: "done" }] };

async function remote(
  answerCall: AnswerCall,
  later?: (lastId: string, response: ServerResponse) => void,
): Promise<Remote> {
  const calls: JsonObject[] = [];
  const seen: (readonly [string | undefined, unknown])[] = [];
  let session = 1;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { headers, method } = request;
    seen.push([method, headers["x-own"]]);
    const lastId = headers["last-event-id"];
    if (method === "GET" && lastId !== undefined) {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return later?.(String(lastId), response);
    }
    if (method !== "POST") return void response.writeHead(405).end();
    const message: JsonObject = JSON.parse(await text(request));
    const send = (result: object) =>
      response
        .writeHead(200, { "content-type": "application/json", "mcp-session-id": `s${session}` })
        .end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    if (message.method === "initialize")
      return send({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "far", version: "1" },
      });
    if (headers["mcp-session-id"] !== `s${session}`) return void response.writeHead(404).end();
    if (message.method === "tools/list") return send({ tools: [{ name: "work", inputSchema: { type: "object" } }] });
    if (message.id === undefined) return void response.writeHead(202).end();
    calls.push(message);
    answerCall(message.id, response, calls.length);
  };
  const server: Server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const restart = () => {
    session += 1;
  };
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const start = () => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${port}/mcp`, calls, seen, restart, stop, start };
}

async function open({ url }: Remote) {
  const { tasks } = await openWrapped({ url, headers: { "x-own": "1" } });
  const call = async (n = 0): Promise<TaskView> => {
    const { record } = await tasks.start({ tool: "work", input: { n } });
    return tasks.wait(record.id);
  };
  return Object.assign(call, { tasks });
}

const outputOf = ({ record }: TaskView) => JSON.stringify(record.output);

describe("a server that is reached by HTTP", () => {
  it("is called with the headers of its user, and reports progress in a stream", async () => {
    const far = await remote((id, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event("1", { method: "notifications/progress", params: { progressToken: id, progress: 2 } }));
      response.end(event("2", { id, result: done }));
    });
    const ended = await (await open(far))();
    expect(ended.record).toMatchObject({ progress: 2, output: { result: done } });
    expect(new Set(far.seen.map(([, header]) => header))).toEqual(new Set(["1"]));
  });

  it("has its answer read to the end by another request, where its stream breaks and its events have numbers", async () => {
    const far = await remote(
      (id, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end(
          event(`of-${String(id)}`, { method: "notifications/progress", params: { progressToken: id, progress: 1 } }),
        );
      },
      (lastId, response) => response.end(event("later", { id: Number(lastId.slice(3)), result: done })),
    );
    expect(outputOf(await (await open(far))())).toContain("done");
    expect(far.calls).toHaveLength(1);
  });

  it("has many answers read to the end by other requests at once, and no signal has a listener of each", async () => {
    const warnings: string[] = [];
    const warn = ({ message }: Error) => void warnings.push(message);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const far = await remote(
      (id, response) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`id: of-${String(id)}\ndata:\n\n`),
      (lastId, response) => response.end(event("later", { id: Number(lastId.slice(3)), result: done })),
    );
    const call = await open(far);
    const outputs = (await Promise.all(Array.from({ length: 50 }, (_, n) => call(n)))).map(outputOf);
    expect(outputs.filter((output) => output.includes("done"))).toHaveLength(50);
    expect(warnings).toEqual([]);
  });

  it("is not called a second time when its answer breaks off", async () => {
    const far = await remote((_id, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.flushHeaders();
      response.destroy();
    });
    expect(outputOf(await (await open(far))())).toContain("OUTCOME_UNKNOWN");
    expect(far.calls).toHaveLength(1);
  });

  it("is called once it can be reached again, where a call could not be sent", async () => {
    const far = await remote((id, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: done })),
    );
    const call = await open(far);
    await far.stop();
    const waiting = call();
    const messages = async () => (await call.tasks.list()).tasks.map(({ message }) => message);
    await expect.poll(messages).toEqual(["waits for its server"]);
    await far.start();
    expect(outputOf(await waiting)).toContain("done");
    expect(far.calls).toHaveLength(1);
  });

  it.each(["application/json", "text/event-stream"])(
    "gives %s that is too long: its call has no known outcome",
    async (type) => {
      lowerLimit("maxLineBytes", 2 ** 20);
      const far = await remote((id, response) => {
        response.writeHead(200, { "content-type": type });
        const long = JSON.stringify({
          jsonrpc: "2.0",
          id,
          result: { content: [], x: "x".repeat(2 ** 21) },
        });
        response.end(type === "application/json" ? long : `data: ${long}\n\n`);
      });
      expect(outputOf(await (await open(far))())).toContain("OUTCOME_UNKNOWN");
    },
  );

  it("is not called where that needs headers of a caller who does not come", async () => {
    const far = await remote(() => {});
    const { tasks } = await openWrapped({ url: far.url, passHeaders: ["x-tenant"] });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { record } = await tasks.start({ tool: "work", input: {} });
    let isOver = false;
    const ended = tasks.wait(record.id).finally(() => {
      isOver = true;
    });
    while (!isOver) await vi.advanceTimersByTimeAsync(wrapLimits.waitMs).then(() => new Promise(setImmediate));
    expect(outputOf(await ended)).toContain('"code":"CALLER_AWAY"');
    expect(outputOf(await ended)).toContain("work was not called.");
    expect(far.calls).toEqual([]);
  });

  it("is called again where it had refused the call with the session", async () => {
    const far = await remote((id, response) =>
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result: done })),
    );
    const call = await open(far);
    await call();
    far.restart();
    expect(outputOf(await call(1))).toContain("done");
    expect(far.calls).toHaveLength(2);
  });
});

it("a connection that has just ended takes no request: a call would be made on it without end", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const peer = new Peer(connectHttp({ url: `http://127.0.0.1:${port}/mcp` }), {
    request: async () => ({ result: {} }),
    notification: () => {},
  });
  const found = await peer
    .request("first", {})
    .catch(async (lost: unknown) => [
      lost,
      peer.isLost,
      await peer.request("second", {}).catch((refused: unknown) => refused),
    ]);
  expect(found).toMatchObject([{ notSent: true }, true, { notSent: true }]);
  await peer.ended;
});
