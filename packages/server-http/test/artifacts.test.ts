import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { createMemoryStore, defineTool } from "@resumable-mcp/core";
import { defineServer } from "@resumable-mcp/mcp/define-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type RunningServer, serve } from "../src/index.js";

const name = "r\u00e9sum\u00e9 'a'(1).html";
const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251));

const make = defineTool({
  name: "make",
  description: "Makes a file.",
  input: z.object({}),
  durable: true,
  async run(_input, task) {
    await task.artifact(name, content, { mimeType: "text/html" });
    await task.artifact("empty.txt", "");
    return "made";
  },
});

const tokens: { readonly [token: string]: string } = { "token-a": "alice", "token-b": "bob" };
let server: RunningServer;
let id: string;

beforeEach(async () => {
  server = await serve({
    definition: defineServer({ name: "files", version: "1", tools: [make] }),
    store: createMemoryStore(),
    port: 0,
    verifyToken: async (token) => {
      const sub = tokens[token];
      return sub === undefined ? undefined : { token, scopes: [], clientId: "program", extra: { sub } };
    },
  });
  const tasks = server.engine.forOwner("sub:alice");
  ({ id } = (await tasks.start({ tool: "make", input: {}, detached: true })).record);
  for await (const _ of tasks.follow(id));
});
afterEach(() => server.close());

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** `fetch` lets no program say its own `Host`. */
function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const sent = { authorization: "Bearer token-a", ...headers };
  return new Promise((resolve, reject) => {
    httpRequest(`${server.url}/artifacts/${path}`, { method, headers: sent }, async (response) => {
      const parts: Buffer[] = [];
      for await (const part of response) parts.push(part);
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) });
    })
      .on("error", reject)
      .end();
  });
}

const path = () => `${id}/${encodeURIComponent(name)}`;

describe("an artifact over HTTP", () => {
  test("is a whole file to save, which no browser shows as a page of the server", async () => {
    const { status, headers, body } = await ask(path());
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      "content-type": "text/html",
      "content-length": "600000",
      "content-disposition": "attachment; filename*=UTF-8''r%C3%A9sum%C3%A9%20%27a%27%281%29.html",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
      "cross-origin-resource-policy": "same-origin",
      "accept-ranges": "bytes",
    });
    const head = await ask(path(), {}, "HEAD");
    expect([head.status, head.headers["content-length"], head.body.length]).toEqual([200, "600000", 0]);
    const empty = await ask(`${id}/empty.txt`);
    expect([empty.status, empty.headers["content-length"]]).toEqual([200, "0"]);
  });

  test.each([
    ["bytes=0-0", 0, 1],
    ["bytes=262143-262144", 262_143, 262_145],
    ["bytes=599990-", 599_990, 600_000],
    ["bytes=-5", 599_995, 600_000],
    ["bytes=10-9999999", 10, 600_000],
  ])("gives the range %s", async (range, from, to) => {
    const { status, headers, body } = await ask(path(), { range });
    expect([status, headers["content-range"]]).toEqual([206, `bytes ${from}-${to - 1}/600000`]);
    expect(body.equals(content.subarray(from, to))).toBe(true);
  });

  test("refuses a range behind its end, and answers what is not a range with all of it", async () => {
    for (const range of ["bytes=600000-", "bytes=-0", "bytes=-00"]) {
      const { status, headers } = await ask(path(), { range });
      expect([status, headers["content-range"]]).toEqual([416, "bytes */600000"]);
    }
    for (const range of ["bytes=0-1,5-6", "bytes=5-1", "lines=1-2"])
      expect((await ask(path(), { range })).status).toBe(200);
    const old = await ask(path(), { range: "bytes=0-0", "if-range": '"another"' });
    expect(old.status).toBe(200);
    const same = await ask(path(), { range: "bytes=0-0", "if-range": String(old.headers.etag) });
    expect(same.status).toBe(206);
  });

  test("is there for its owner alone: to others as if the task did not exist (G10)", async () => {
    const unknown = await ask(`${"0".repeat(22)}/x`, { authorization: "Bearer token-b" });
    const foreign = await ask(path(), { authorization: "Bearer token-b" });
    const seen = ({ status, headers: { date: _, ...headers }, body }: Answer) => [status, headers, String(body)];
    expect(seen(foreign)).toEqual(seen(unknown));
    expect(foreign.status).toBe(404);
    expect((await ask(`${id}/other.txt`)).status).toBe(404);
    expect((await ask(`${id}/%E0%A4%A`)).status).toBe(404);
    expect((await ask(path(), { authorization: "Bearer wrong" })).status).toBe(401);
    expect((await ask(path(), {}, "POST")).status).toBe(405);
    expect((await ask(path(), { host: "evil.example" })).status).toBe(403);
    expect((await ask(path(), { origin: "https://evil.example" })).status).toBe(403);
  });
});
