import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { server as moduleOf, programOf } from "./measures/stdio-start.js";
import { count, readOptions } from "./options.js";
import { temporaryFolder } from "./stores/stored-tasks.js";

const purpose = "Floods a server from one address, and measures how long a caller of another address waits meanwhile.";
const options = readOptions("npm run proof -- floods", purpose, {
  connections: count("silent connections", 10_000),
  sessions: count("sessions without a token", 10_000),
  tokens: count("wrong tokens", 5_000),
});

/** As a trusted proxy names them. */
const [flooder, caller] = ["203.0.113.9", "198.51.100.1"];
const rightToken = "the-right-token-0123456789";
const maxWaitMs = 1_000;
const callEveryMs = 20;

type Headers = Readonly<Record<string, string>>;
/** How many requests or connections ended how. */
type Outcomes = Map<string, number>;

const folder = await temporaryFolder();
let failed = false;

async function start(name: string, args: readonly string[]) {
  const store = ["--store", join(folder.directory, name)];
  const program = [programOf("server-http", "cli.js"), moduleOf("tools-module")];
  const all = [...program, "--port", "0", ...store, "--trusted-proxy", "127.0.0.1", ...args];
  const child = spawn(process.execPath, all, { stdio: ["ignore", "ignore", "pipe"] });
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  for await (const line of createInterface({ input: child.stderr })) {
    const url = /^listening on (\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stderr.resume();
    return { url: new URL(url), stop };
  }
  throw new Error("The server ended before it listened.");
}

function post(url: URL, from: string, message: object, headers: Headers = {}): Promise<IncomingMessage> {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  const accept = "application/json, text/event-stream";
  const sent = { "content-type": "application/json", accept, "x-forwarded-for": from, ...headers };
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: "POST", headers: sent }, (answer) => {
      answer.resume().on("error", reject);
      answer.on("end", () => resolve(answer));
    });
    asked.on("error", reject).end(body);
  });
}

const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "floods", version: "1" } };
const initialize = (url: URL, from: string, headers?: Headers) =>
  post(url, from, { id: 1, method: "initialize", params }, headers);

/** Prints how long a caller waited at most while something else went on. */
async function measure(name: string, url: URL, headers: Headers, flood: () => Promise<Outcomes>): Promise<void> {
  const { "mcp-session-id": session } = (await initialize(url, caller, headers)).headers;
  const known = { ...headers, "mcp-session-id": String(session) };
  let isOver = false;
  let [calls, refused, longestMs] = [0, 0, 0];
  const calling = async (): Promise<void> => {
    while (!isOver) {
      calls += 1;
      const beganMs = performance.now();
      const answer = await post(url, caller, { id: calls, method: "tools/list" }, known).catch(() => undefined);
      longestMs = Math.max(longestMs, performance.now() - beganMs);
      if (answer?.statusCode !== 200) refused += 1;
      await delay(callEveryMs);
    }
  };
  const called = calling();
  const beganMs = performance.now();
  const outcomes = await flood();
  const seconds = ((performance.now() - beganMs) / 1_000).toFixed(1);
  isOver = true;
  await called;
  failed ||= refused > 0 || longestMs > maxWaitMs;
  const shown = [...outcomes].map(([outcome, number]) => `${number} ${outcome}`).join(", ");
  console.log(`| ${name} | ${shown} | ${seconds} | ${Math.round(longestMs)} | ${refused} of ${calls} |`);
}

/** Does something many times, some of them at once, and counts how it ended. */
async function many(times: number, atOnce: number, one: (index: number) => Promise<string>): Promise<Outcomes> {
  const outcomes: Outcomes = new Map();
  let begun = 0;
  const work = async (): Promise<void> => {
    while (begun < times) {
      begun += 1;
      const outcome = await one(begun).catch(() => "without an answer");
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcomes;
}

/** On Linux every address of 127.0.0.0/8 is this machine's. */
async function floodConnections(url: URL): Promise<Outcomes> {
  const sockets: Socket[] = [];
  await many(options.connections, 200, async () => {
    const socket = connect({ host: "127.0.0.1", port: Number(url.port), localAddress: "127.0.0.2" });
    sockets.push(socket.on("error", () => {}));
    await Promise.race([once(socket, "connect"), once(socket, "close")]);
    return "begun";
  });
  // What the server closes is heard of some time later.
  await delay(500);
  const closed = sockets.filter((socket) => socket.closed).length;
  for (const socket of sockets) socket.destroy();
  return new Map([
    ["open", sockets.length - closed],
    ["closed", closed],
  ]);
}

const statusOf = ({ statusCode }: IncomingMessage): string => `× ${statusCode}`;

try {
  console.log("| Flood | What became of it | Time, s | The caller waited at most, ms | Refused of the caller |");
  console.log("|---|---|---|---|---|");
  const open = await start("open", ["--insecure"]);
  const { connections, sessions, tokens } = options;
  await measure(`${connections} silent connections`, open.url, {}, () => floodConnections(open.url));
  await measure(`${sessions} sessions without a token`, open.url, {}, () =>
    many(sessions, 50, async () => statusOf(await initialize(open.url, flooder))),
  );
  await open.stop();
  const file = join(folder.directory, "tokens");
  await writeFile(file, `${rightToken} alice\n`, { mode: 0o600 });
  const closed = await start("closed", ["--token-file", file]);
  await measure(`${tokens} wrong tokens`, closed.url, { authorization: `Bearer ${rightToken}` }, () =>
    many(tokens, 50, async (index) => {
      const authorization = `Bearer wrong-token-${String(index).padStart(10, "0")}`;
      return statusOf(await initialize(closed.url, flooder, { authorization }));
    }),
  );
  await closed.stop();
  if (failed) console.error(`A caller of another address was refused, or waited for more than ${maxWaitMs} ms.`);
} finally {
  await folder.remove();
}
process.exit(failed ? 1 : 0);
