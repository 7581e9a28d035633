import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { drawRequest, type FuzzWorld } from "./draw-request.js";
import { type Finding, type FuzzOptions, type FuzzReport, maxFindings } from "./fuzz-report.js";
import { bytesOf, type HttpDraft } from "./http-draft.js";
import { HttpLane, type Judgement } from "./http-lane.js";
import { RawConnection } from "./raw-connection.js";
import { checkStore, type ServerUnderTest, startHttpServer } from "./server-under-test.js";
import type { Said } from "./traffic/draw-call.js";
import { type Caller, createCaller } from "./traffic/pools.js";
import { initialize2025, request2025 } from "./traffic/traffic-2025.js";
import { request2026 } from "./traffic/traffic-2026.js";

/** A run over HTTP. */
interface HttpFuzzOptions extends FuzzOptions {
  /** Whether callers have tokens; otherwise all are users of this machine. */
  readonly tokens: boolean;
}

/** Each has 100 requests per second. */
const callerCount = 24;
const drainLimitMs = 60_000;

/** Sends messages to a server in a process of its own, right ones and mutated ones, and judges the answers. */
export async function fuzzHttp(options: HttpFuzzOptions): Promise<FuzzReport> {
  const store = join(options.directory, "store");
  const server = await startHttpServer([...(await argumentsOf(options)), "--store", store]);
  const findings: Finding[] = [];
  const outcomes = new Map<string, number>();
  const judgement: Judgement = {
    find: (request, what) => findings.push({ what, request }),
    count: (outcome) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1),
    cancelled: new Set(),
    deleted: new Set(),
    isolated: options.tokens,
  };
  try {
    const callers = Array.from({ length: callerCount }, (_, number) =>
      createCaller(number, options.tokens ? tokenOf(number) : undefined),
    );
    const [first = createCaller(0, undefined), ...more] = callers;
    const world: FuzzWorld = { seed: options.seed, port: server.port, callers: [first, ...more], last: [] };
    for (const caller of callers) await introduce(server, caller);
    const sent = await sendAll(world, options, {
      ...{ judgement, server, isEnough: () => findings.length >= maxFindings },
      find: (what) => findings.push({ what }),
    });
    for (const what of await inspect(server, callers)) findings.push({ what });
    const peakMiB = await server.peakMiB();
    const ending = await server.stop();
    if (ending !== undefined) findings.push({ what: `on SIGTERM ${ending}` });
    for (const line of server.complaints) findings.push({ what: `the log says: ${line}` });
    const damage = await checkStore(store);
    if (damage !== undefined) findings.push({ what: damage });
    return { sent, outcomes, findings, peakMiB };
  } finally {
    if (server.ended() === undefined) await server.kill();
  }
}

const tokenOf = (number: number) => `token-of-caller-${String(number).padStart(2, "0")}-0123456789`;

async function argumentsOf({ tokens, directory, toolsModule }: HttpFuzzOptions): Promise<readonly string[]> {
  const args = [toolsModule, "--ui"];
  if (!tokens) return args;
  await mkdir(directory, { recursive: true });
  const file = join(directory, "tokens");
  const lines = Array.from({ length: callerCount }, (_, number) => `${tokenOf(number)} caller-${number}\n`);
  await writeFile(file, lines.join(""), { mode: 0o600 });
  return [...args, "--token-file", file];
}

interface Sending {
  readonly judgement: Judgement;
  readonly server: ServerUnderTest;
  readonly isEnough: () => boolean;
  /** Takes what is wrong, and is of no message. */
  readonly find: (what: string) => void;
}

/** Each caller sends its messages one after the other, and all callers at once. Resolves to how many were sent. */
async function sendAll(
  world: FuzzWorld,
  { messages, only, keeps, onProgress }: HttpFuzzOptions,
  sending: Sending,
): Promise<number> {
  const { judgement, server, isEnough, find } = sending;
  const all = only ?? Array.from({ length: messages }, (_, index) => index);
  const lanes = world.callers.map(() => new HttpLane(server.port, judgement));
  let sent = 0;
  const run = async (lane: HttpLane, number: number): Promise<void> => {
    for (const index of all) {
      if (index % world.callers.length !== number) continue;
      if (isEnough() || server.ended() !== undefined) return;
      await lane.send(drawRequest(world, index, keeps));
      sent += 1;
      onProgress?.(sent);
    }
  };
  await Promise.all(lanes.map(run));
  const ended = server.ended();
  if (ended !== undefined) return sent;
  await Promise.all(
    world.callers.map((caller) => cancelAll(server, caller).catch((error: Error) => find(error.message))),
  );
  await Promise.all(lanes.map((lane) => lane.drain(drainLimitMs)));
  return sent;
}

/** A server, as far as right messages need it. */
type Reached = Pick<ServerUnderTest, "port">;

/** Sends a right message by itself. */
async function post({ port }: Reached, caller: Caller, { method, headers, message }: Said) {
  const body = Buffer.from(JSON.stringify(message));
  const all: HttpDraft["headers"] = [
    ["Host", `127.0.0.1:${port}`],
    ...caller.headers,
    ...headers,
    ["Content-Length", String(body.length)],
    ["Connection", "close"],
  ];
  const connection = new RawConnection(port);
  const [response] = connection.send(
    [bytesOf({ method, target: "/mcp", version: "HTTP/1.1", headers: all, body, exact: true })],
    [false],
  );
  if (response === undefined) throw new Error("Each request has an response.");
  await response.until(() => response.complete, drainLimitMs);
  connection.leave();
  return response;
}

async function openSession(server: Reached, caller: Caller): Promise<string> {
  const { head, text } = await post(server, caller, initialize2025({ caller, id: "open" }));
  const session = head?.headers.get("mcp-session-id");
  if (session === undefined) throw new Error(`No session for a right client: ${head?.status} ${text.slice(0, 300)}`);
  return session;
}

/** Lets a caller have something of each kind, so that the first messages can name it. */
async function introduce(server: ServerUnderTest, caller: Caller): Promise<void> {
  const session = await openSession(server, caller);
  for (const one of [session, await openSession(server, caller), await openSession(server, caller)])
    caller.known.sessions.add(one);
  const label = `${caller.canary}first`;
  for (const said of [
    request2025(session, "first", "tools/call", { name: "note", arguments: { label } }),
    request2026({ caller, id: "first" }, "tools/call", { name: "question", arguments: { label } }, { elicitation: {} }),
  ]) {
    const { text } = await post(server, caller, said);
    caller.known.learn(text, said.session, said.message);
  }
}

/** Cancels all unfinished tasks of a caller, so that what waits for them ends. */
async function cancelAll(server: ServerUnderTest, caller: Caller): Promise<void> {
  const session = await openSession(server, caller);
  const unfinished = ["queued", "running", "waiting", "paused", "input_required", "interrupted"];
  for (let round = 0; round < maxRounds; round += 1) {
    const list = request2025(session, `list-${round}`, "tools/call", {
      name: "list_session_tasks",
      arguments: { limit: 200 },
    });
    const { text } = await post(server, caller, list);
    const found = [...text.matchAll(/"task_id":"([\w-]{22})"[^{}]*?"status":"(\w+)"/g)].flatMap(
      ([, id = "", status = ""]) => (unfinished.includes(status) ? [id] : []),
    );
    if (found.length === 0) return;
    for (const task_id of found)
      await post(
        server,
        caller,
        request2025(session, `cancel-${task_id}`, "tools/call", { name: "cancel_task", arguments: { task_id } }),
      );
  }
}

const maxRounds = 20;

/** Tells what a right client meets that worked before. */
export async function inspect(
  server: Reached & Pick<ServerUnderTest, "ended">,
  callers: readonly Caller[],
): Promise<readonly string[]> {
  const ended = server.ended();
  if (ended !== undefined) return [ended];
  const each = callers.map((caller) => inspectAs(server, caller).catch((error: Error) => [error.message]));
  return (await Promise.all(each)).flat();
}

async function inspectAs(server: Reached, caller: Caller): Promise<readonly string[]> {
  const label = `${caller.canary}afterwards`;
  const params = { name: "note", arguments: { label } };
  const session = await openSession(server, caller);
  const wrong: string[] = [];
  for (const said of [
    request2025(session, "after", "tools/call", params),
    request2026({ caller, id: "after" }, "tools/call", params, {}),
  ]) {
    const { head, text } = await post(server, caller, said);
    if (head?.status !== 200 || !text.includes(`"structuredContent":{"label":"${label}"}`))
      wrong.push(`a right client gets ${head?.status}: ${text.slice(0, 300)}`);
  }
  return wrong;
}
