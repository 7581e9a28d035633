import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { createMemoryStore } from "@resumable-mcp/core";
import { expect, onTestFinished, test } from "vitest";
import { type RunningServer, type ServeOptions, serve } from "../../src/index.js";
import { type Callers, checkStranger } from "./check-route.js";
import { definition, makeTarget } from "./foreign-target.js";
import { type Identity, rawCaller, request2026 } from "./raw-caller.js";
import type { Route } from "./route.js";
import { routes2025 } from "./routes-2025.js";
import { routes2026 } from "./routes-2026.js";

/** A server without tokens, which no caller has used yet. */
async function open(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const limits = { drainTimeoutMs: 20 };
  const server = await serve({ definition, store: createMemoryStore(), port: 0, limits, ...options });
  onTestFinished(() => server.close());
  return server;
}

function caller(server: RunningServer, identity: Partial<Identity> = {}) {
  const made = rawCaller(server.url, { subject: "alices-laptop", owner: "local:local", headers: {}, ...identity });
  onTestFinished(made.close);
  return made;
}

const throughProxy = { headers: { "x-forwarded-for": "192.0.2.1" } };
const named = { clientId: "alices-laptop" };

/** The user of this machine, and two who come through a proxy. */
function localAndStrangers(server: RunningServer, identity: Partial<Identity> = {}): Callers {
  const stranger = { ...identity, ...throughProxy, owner: undefined };
  return { alice: caller(server, identity), bob: caller(server, stranger), carol: caller(server, stranger) };
}

const takes = (part: string) => (route: Route) => route.covers.some((cover) => cover.startsWith(part));
/** Under a name of its own a local request has other tasks than under none. */
const namesClient = ({ name, covers }: Route) =>
  covers.some((cover) => cover.endsWith("client_id")) || /^(list_session_tasks|get_checkpoint_stats) /.test(name);
const eras = [
  ["2025", routes2025],
  ["2026", routes2026],
] as const;
const unnamed = eras.flatMap(([era, routes]) =>
  routes.filter((route) => !namesClient(route)).map((route) => [era, route.name, route] as const),
);
const all = eras.flatMap(([era, routes]) => routes.map((route) => [era, route.name, route] as const));

test.each(unnamed)(
  "%s: what the user of this machine owns is like nothing at all to a stranger through a proxy: %s (G10)",
  async (_era, _name, route) => {
    const server = await open();
    const { own, unknown } = await checkStranger(route, localAndStrangers(server), server.engine);
    if (route.sameForOwner !== true) expect(own).not.toEqual(unknown);
  },
);

test.each(all)(
  "%s: what a local client_id owns is like nothing at all to a stranger who says the same one: %s (G10)",
  async (_era, _name, route) => {
    const server = await open();
    const callers = localAndStrangers(server, { ...named, owner: "client:local/alices-laptop" });
    const { own, unknown } = await checkStranger(route, callers, server.engine);
    if (route.sameForOwner !== true) expect(own).not.toEqual(unknown);
  },
);

const bySession = routes2025
  // Without tokens the session's id is the credential, and a new session owns nothing.
  .filter(
    (route) =>
      !namesClient(route) &&
      !["header Mcp-Session-Id", "notification ", "method initialize"].some((part) => takes(part)(route)),
  )
  .map((route) => [route.name, route] as const);

test.each(bySession)(
  "2025, --owner session: what a session owns is like nothing at all to another of this machine: %s (G10)",
  async (_name, route) => {
    const server = await open({ ownerMode: "session" });
    const [alice, bob, carol] = [1, 2, 3].map(() => caller(server, { owner: undefined }));
    if (alice === undefined || bob === undefined || carol === undefined) throw new Error("Three callers were made.");
    const { own, unknown } = await checkStranger(route, { alice, bob, carol }, server.engine);
    if (route.sameForOwner !== true) expect(own).not.toEqual(unknown);
  },
);

const list = { name: "list_session_tasks", arguments: {} };
const foreignHeaders: Record<string, string>[] = [
  { forwarded: "for=192.0.2.1" },
  { via: "1.1 proxy" },
  { "x-forwarded-for": "127.0.0.1" },
  { "x-forwarded-host": "localhost" },
  { "x-forwarded-proto": "https" },
  { "x-forwarded-for": "" },
];

test.each(foreignHeaders)("a request with %o reaches only its own session, in either era (G10)", async (headers) => {
  const server = await open();
  await makeTarget("running", caller(server), server.engine);
  const stranger = caller(server, { headers, owner: undefined });
  expect((await stranger.send2025("tools/call", list)).body).toContain('"total_tasks":0');
  const refused = (await stranger.send2026("tools/call", list)).body;
  expect(refused).toContain("NO_OWNER");
  expect(refused).toContain(`it has the header ${Object.keys(headers)[0]}, so a proxy sent it`);
});

test.each([{ allowedHosts: ["tools.example"] }, { ownerMode: "session" as const }])(
  "a server with %o has no local requests (G10)",
  async (options) => {
    const server = await open(options);
    await makeTarget("running", caller(server), server.engine);
    expect((await caller(server).send2025("tools/call", list)).body).toContain('"total_tasks":0');
    expect((await caller(server).send2026("tools/call", list)).body).toContain("NO_OWNER");
  },
);

/** Sends what `fetch` does not let a page send. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const { message, headers: usual } = request2026("tools/call", list);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(url, { method: "POST", headers: { ...usual, ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end(JSON.stringify(message));
  });
}

test("a page of another host reaches nothing, by its own Origin or by a name that it points here (G10)", async () => {
  const server = await open();
  const { port } = new URL(server.url);
  await makeTarget("running", caller(server), server.engine);
  const pages: Record<string, string>[] = [
    { host: `rebound.example:${port}` },
    { host: `rebound.example:${port}`, origin: `http://rebound.example:${port}` },
    { host: `localhost:${port}`, origin: "http://evil.example" },
    { host: `localhost:${port}`, origin: "null" },
  ];
  for (const headers of pages) expect(await statusOf(server.url, headers)).toBe(403);
  const allowed = await open({ allowedOrigins: ["https://app.example"] });
  await makeTarget("running", caller(allowed), allowed.engine);
  const page = caller(allowed, { headers: { origin: "https://app.example" } });
  expect((await page.send2025("tools/call", list)).body).toContain('"total_tasks":0');
});

test("a new session of this machine finds its tasks without a client_id, in either era, and so does --owner single-user through a proxy", async () => {
  for (const [options, identity] of [
    [{}, {}],
    [{ ownerMode: "single-user" as const }, throughProxy],
  ] as const) {
    const server = await open(options);
    const first = caller(server, identity);
    const { session } = await first.initialize();
    const gated = { name: "gated", arguments: { label: "kept", hold: true }, _meta: { "resumable-mcp/handoff": 0 } };
    await first.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: gated }, { "mcp-session-id": session });
    const again = await caller(server, identity).send2025("tools/call", list);
    expect(again.body).toContain('"total_tasks":1');
    expect((await caller(server, identity).send2026("tools/call", list)).body).toContain('"total_tasks":1');
    expect((await caller(server, identity).initialize()).body).toContain("Unfinished tasks of this user");
    const info = await first.send2025("tools/call", { name: "get_session_info", arguments: {} });
    expect(info.body).toMatch(/"session_id":"[A-Za-z0-9]{32}","request_id":1,"client_id":null/);
  }
});

test("the server says to a local caller that it is local, in either era", async () => {
  const server = await open();
  const said = await Promise.all(
    [caller(server), caller(server, throughProxy)].flatMap((one) => [
      one.initialize(),
      one.send2026("server/discover"),
    ]),
  );
  expect(said.map(({ body }) => body.includes('"resumable-mcp/local":true'))).toEqual([true, true, false, false]);
});

test("a session that was opened through a proxy stays there, and one of this machine here (G10)", async () => {
  const server = await open();
  const [local, proxied] = [caller(server), caller(server, throughProxy)];
  const sessions = { local: (await local.initialize()).session, proxied: (await proxied.initialize()).session };
  const statuses = [];
  for (const [who, session] of [
    [local, sessions.local],
    [local, sessions.proxied],
    [proxied, sessions.proxied],
    [proxied, sessions.local],
  ] as const)
    statuses.push((await who.send2025("tools/list", {}, { headers: { "mcp-session-id": session } })).status);
  expect(statuses).toEqual([200, 404, 200, 404]);
});

test("a call whose client disconnects at once is a local one all the same (G9)", async () => {
  const server = await open();
  const { session } = await caller(server).initialize();
  const call = { name: "gated", arguments: { label: "left", hold: true }, _meta: { "resumable-mcp/handoff": 0 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
  const { port } = new URL(server.url);
  const lines = [
    "POST /mcp HTTP/1.1",
    "host: localhost",
    "accept: application/json, text/event-stream",
    "content-type: application/json",
    `content-length: ${body.length}`,
    `mcp-session-id: ${session}`,
  ];
  const socket = connect(Number(port), "127.0.0.1");
  await new Promise((resolve) => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, resolve));
  socket.resetAndDestroy();
  const listed = async () => (await caller(server).send2025("tools/call", list)).body;
  await expect.poll(listed).toContain('"total_tasks":1');
});
