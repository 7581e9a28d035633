import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { webBody } from "../src/http/http-answer.js";
import { toListener } from "../src/http/node-listener.js";
import { SseStream } from "../src/http/sse-stream.js";
import { HttpAnswer, type HttpRequest, nodeListener } from "../src/index.js";
import { sessionLimits } from "../src/limits.js";

const closing: Server[] = [];
afterEach(async () => {
  for (const server of closing.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server of one handler; `responses` are Node's, as they come. */
async function serverOf(answer: (request: HttpRequest) => Promise<HttpAnswer>) {
  const responses: ServerResponse[] = [];
  const listener = toListener(answer);
  const server = createServer((incoming, outgoing) => {
    responses.push(outgoing);
    listener(incoming, outgoing);
  });
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { server, port, url: `http://127.0.0.1:${port}/mcp`, responses };
}

const eventStream = { "content-type": "text/event-stream" };
const webAnswer = (stream: SseStream) => HttpAnswer.ofWeb(new Response(webBody(stream), { headers: eventStream }));
const eventText = (n: number) => `event: message\nid: a.${n}\ndata: ${n}\n\n`;

test("a stream that ends in the turn in which it began is sent whole, with its length", async () => {
  const { url } = await serverOf(async () => {
    const stream = new SseStream(sessionLimits);
    void stream.write({ id: "a.1", data: "1" });
    void stream.write({ id: "a.2", data: "2" });
    stream.close();
    return new HttpAnswer(200, eventStream, stream);
  });
  const response = await fetch(url);
  const text = eventText(1) + eventText(2);
  expect(response.headers.get("content-length")).toBe(String(text.length));
  expect(await response.text()).toBe(text);
});

test("the head of a stream arrives before its first event, and each event before the next", async () => {
  const stream = new SseStream(sessionLimits);
  const { url } = await serverOf(async () => new HttpAnswer(200, eventStream, stream));
  const response = await fetch(url);
  const reader = response.body?.getReader();
  const seen: string[] = [];
  for (const n of [1, 2, 3]) {
    await stream.write({ id: `a.${n}`, data: `${n}` });
    const { value } = (await reader?.read()) ?? {};
    seen.push(new TextDecoder().decode(value));
  }
  stream.close();
  expect(seen).toEqual([1, 2, 3].map(eventText));
  expect((await reader?.read())?.done).toBe(true);
});

test("a client that leaves ends the stream", async () => {
  const stream = new SseStream(sessionLimits);
  const ended = new Promise<void>((resolve) => stream.acquire(resolve));
  const { url } = await serverOf(async () => new HttpAnswer(200, eventStream, stream));
  const leaving = new AbortController();
  await fetch(url, { signal: leaving.signal });
  leaving.abort();
  await ended;
  expect(stream.closed).toBe(true);
});

test("G11 a client that does not read holds up the writer, not the server's memory, and misses nothing when it reads", async () => {
  const limits = { ...sessionLimits, maxStreamBytes: 64 * 1024 };
  const stream = new SseStream(limits);
  const { port, responses } = await serverOf(async () => new HttpAnswer(200, eventStream, stream));
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  socket.write("GET /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  const count = 3_000;
  const pad = "x".repeat(10_000);
  let written = 0;
  let mostBuffered = 0;
  const writing = (async () => {
    for (; written < count; written++) {
      await stream.write({ data: `${written}:${pad}` });
      mostBuffered = Math.max(mostBuffered, responses[0]?.writableLength ?? 0);
    }
    stream.close();
  })();
  let before = -1;
  // More than the operating system takes: the writer comes to a stand.
  await expect
    .poll(() => {
      const stands = written > 0 && written === before;
      before = written;
      return stands;
    })
    .toBe(true);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.resume();
  await Promise.all([writing, once(socket, "close")]);
  const numbers = [...text.matchAll(/data: (\d+):/g)].map(([, number]) => Number(number));
  expect(numbers).toEqual(Array.from({ length: count }, (_, index) => index));
  expect(mostBuffered).toBeLessThan(3 * limits.maxStreamBytes);
});

test("a byte order mark before a body does not belong to it, whichever way a request comes", async () => {
  const echo = async (request: HttpRequest) => new HttpAnswer(200, {}, await request.text(1_000));
  const own = await serverOf(echo);
  const web = createServer(nodeListener(async (request) => new Response(await request.text())));
  closing.push(web);
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const urls = [own.url, `http://127.0.0.1:${(web.address() as AddressInfo).port}/`];
  const answers = urls.map(async (url) => (await fetch(url, { method: "POST", body: "\uFEFF{}" })).arrayBuffer());
  expect((await Promise.all(answers)).map((bytes) => Buffer.from(bytes).toString())).toEqual(["{}", "{}"]);
});

test("a refused body does not stand before the next request on its connection", async () => {
  const { port } = await serverOf(async (request) => {
    const text = await request.text(10);
    return new HttpAnswer(text === undefined ? 413 : 200, {}, text ?? "too large");
  });
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  const large = "x".repeat(200_000);
  const post = (body: string, connection: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  socket.write(post(large, "keep-alive") + post("small", "close"));
  await once(socket, "close");
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["413", "200"]);
  expect(text.endsWith("small")).toBe(true);
});

/** Posts the first byte of a body of a hundred, and leaves as soon as the handler is busy with it. */
async function leaveEarly(answer: (request: HttpRequest) => Promise<HttpAnswer>) {
  const { server, port, responses } = await serverOf(async (request) => {
    const [response] = responses;
    if (response === undefined) throw new Error("There is no response.");
    const gone = once(response, "close");
    server.emit("busy");
    await gone;
    return answer(request);
  });
  const busy = once(server, "busy");
  const socket = connect(port, "127.0.0.1");
  socket.write("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{");
  await busy;
  socket.destroy();
}

test("the body of a client that has left is not waited for", async () => {
  const shown: unknown[] = [];
  await leaveEarly(async (request) => {
    shown.push(await request.text(1_000).catch((error: unknown) => String(error)));
    return new HttpAnswer(200);
  });
  await expect.poll(() => shown).toEqual(["Error: The connection was closed before the whole body had come."]);
});

test("a stream that begins when its client has left already is ended, of either kind (G11)", async () => {
  const stream = new SseStream(sessionLimits);
  await leaveEarly(async () => new HttpAnswer(200, eventStream, stream));
  await expect.poll(() => stream.closed).toBe(true);
  const other = new SseStream(sessionLimits);
  await leaveEarly(async () => webAnswer(other));
  await expect.poll(() => other.closed).toBe(true);
});

test("an address that is none is refused", async () => {
  const { port } = await serverOf(async () => new HttpAnswer(200));
  const statuses = [];
  for (const target of ["//", "http://user:word@127.0.0.1/mcp"]) {
    const socket = connect(port, "127.0.0.1");
    socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
    const [chunk] = await once(socket, "data");
    statuses.push(String(chunk).split("\r\n")[0]);
    socket.destroy();
  }
  expect(statuses).toEqual(["HTTP/1.1 400 Bad Request", "HTTP/1.1 400 Bad Request"]);
});

/** The first line that a server sends back to a request of this target. */
async function statusLineOf(port: number, target: string, host: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`);
  let text = "";
  for await (const chunk of socket) text += chunk;
  return text.slice(0, text.indexOf("\r\n"));
}

test("no target takes a request to another host than the header names, which is what is checked", async () => {
  const seen: string[] = [];
  const { port } = await serverOf(async ({ url }) => {
    seen.push(`${url.host} ${url.pathname}`);
    return new HttpAnswer(200);
  });
  const host = `127.0.0.1:${port}`;
  const targets = ["//evil.example/mcp", `http://${host}/mcp`, "http://evil.example/mcp", "http://evil.example//mcp"];
  const lines: string[] = [];
  for (const target of targets) lines.push(await statusLineOf(port, target, host));
  expect(seen).toEqual([`${host} /mcp`]);
  expect(lines.map((line) => line.split(" ")[1])).toEqual(["400", "200", "400", "400"]);
});

test.each(["its own", "a Web-standard"])(
  "a stream (%s body) whose reader left before it began is cancelled",
  async (kind) => {
    const stream = new SseStream(sessionLimits);
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const { port, responses } = await serverOf(async () => {
      begin();
      await once(responses[0] as ServerResponse, "close");
      return kind === "its own" ? new HttpAnswer(200, eventStream, stream) : webAnswer(stream);
    });
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await begun;
    const cancelled = new Promise<void>((resolve) => void stream.acquire(resolve));
    socket.destroy();
    await cancelled;
    expect(stream.closed).toBe(true);
  },
);

const longStream = () => new Response(ReadableStream.from(Array.from({ length: 64 }, () => new Uint8Array(1_000_000))));

test.each([
  ["a stream", async () => HttpAnswer.ofWeb(longStream())],
  ["a text", async () => new HttpAnswer(200, {}, "x".repeat(64_000_000))],
])("a client that takes nothing of %s holds its connection for no longer than `maxStallMs`", async (_, answer) => {
  const { maxStallMs } = sessionLimits;
  onTestFinished(() => void Object.assign(sessionLimits, { maxStallMs }));
  Object.assign(sessionLimits, { maxStallMs: 50 });
  const { port, responses, server } = await serverOf(answer);
  const asked = once(server, "request");
  const client = connect(port, "127.0.0.1").pause();
  client.on("error", () => {});
  onTestFinished(() => void client.destroy());
  client.write("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
  await asked;
  if (responses[0]?.closed === false) await once(responses[0], "close");
  expect(responses[0]?.closed).toBe(true);
});
