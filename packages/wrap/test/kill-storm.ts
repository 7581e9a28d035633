import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const cli = fileURLToPath(new URL("../../resumable-mcp/dist/cli.js", import.meta.url));

/** What a storm kills, and how often. */
export interface StormOptions {
  readonly folder: string;
  readonly kills: number;
  readonly transport: "stdio" | "http";
  readonly server: StormServer;
  /** Gives numbers from 0 to 1. */
  readonly random: () => number;
}

/** What came of a storm: by tool, how the calls ended, and how often a step of one was done. */
export interface StormCount {
  readonly killed: Readonly<Record<string, number>>;
  readonly calls: number;
  /** Calls whose outcome is not known, by tool. */
  readonly unknown: Readonly<Record<string, number>>;
  /** Calls of tools that may not be made again which their server began more than once. */
  readonly begunTwice: readonly string[];
  /** Steps that were done again though they were committed. */
  readonly lostSteps: readonly string[];
  /** Calls without a result. */
  readonly notEnded: readonly string[];
  readonly pids: readonly number[];
}

/** The servers of these tests, with the tools that are called. */
const toolsOf = {
  "raw-server.js": ["work", "safe", "saved"],
  "raw-2026-server.js": ["work", "safe", "saved", "rounds", "task"],
} as const;
export type StormServer = keyof typeof toolsOf;
const steps = 4;

/** Kills host, gateway and server, or all three, at random moments while calls are made one after the other, and counts what the server did. */
export async function runKillStorm({ folder, kills, transport, server, random }: StormOptions): Promise<StormCount> {
  const effects = join(folder, "effects");
  const lines = () => (existsSync(effects) ? readFileSync(effects, "utf8").trim().split("\n") : []);
  const gateway =
    transport === "stdio" ? new StdioHost(folder, effects, server) : new HttpHost(folder, effects, server);
  const victims = ["host", "gateway", "server", "all"] as const;
  const killed = { host: 0, gateway: 0, server: 0, all: 0 };
  const total = () => Object.values(killed).reduce((sum, count) => sum + count, 0);
  let over = false;
  const killing = (async () => {
    let seen = 0;
    let inRow = 0;
    while (total() < kills) {
      // The server has begun something since the last kill.
      const wanted = seen + 1 + Math.floor(random() * 2 * steps);
      while (lines().filter((line) => line.startsWith("step ")).length < wanted) await pause(2);
      await pause(random() * 10);
      seen = lines().filter((line) => line.startsWith("step ")).length;
      const drawn = victims[Math.floor(random() * victims.length)] ?? "server";
      // A third server that one gateway loses in a row ends its call.
      const victim = drawn === "server" && inRow === 2 ? "gateway" : drawn;
      const [pid, parent] = (lines().findLast((line) => line.startsWith("pid ")) ?? "pid 0 0")
        .slice(4)
        .split(" ")
        .map(Number);
      const processes = { host: [], gateway: [parent], server: [pid], all: [parent, pid] }[victim];
      if (victim === "host" || victim === "all") gateway.kill();
      if (processes.map(kill).includes(false) && victim !== "all") continue;
      killed[victim] += 1;
      inRow = victim === "server" ? inRow + 1 : victim === "host" ? inRow : 0;
    }
    over = true;
  })();
  let calls = 0;
  const tools = toolsOf[server];
  const unknown: Record<string, number> = Object.fromEntries(tools.map((tool) => [tool, 0]));
  const notEnded: string[] = [];
  for (; !over; calls += 1) {
    const tool = tools[calls % tools.length] ?? "work";
    const id = `call-${calls}`;
    let answer: string | undefined;
    for (let tries = 0; answer === undefined && tries < 200; tries += 1)
      answer = await gateway.call(tool, { id, steps });
    if (answer?.includes("OUTCOME_UNKNOWN")) unknown[tool] = (unknown[tool] ?? 0) + 1;
    else if (!answer?.includes(`done ${id}`)) notEnded.push(`${tool} ${id}: ${answer}`);
  }
  await killing;
  await gateway.close();
  const noted = lines();
  const begun = noted.filter((line) => /^begin (work|rounds|task) /.test(line));
  const begunTwice = begun.filter((line, index) => begun.indexOf(line) !== index);
  const pids = noted.filter((line) => line.startsWith("pid ")).map((line) => Number(line.split(" ")[1]));
  return { killed, calls, unknown, begunTwice, lostSteps: lostSteps(noted), notEnded, pids };
}

/** A step that was acknowledged as committed is not done again. */
function lostSteps(noted: readonly string[]): readonly string[] {
  const committed = new Set<string>();
  return noted.filter((line) => {
    if (line.startsWith("committed ")) committed.add(line.replace("committed", "step"));
    return !line.startsWith("step safe ") && committed.has(line);
  });
}

export function kill(pid: number | undefined): boolean {
  if (pid === undefined || pid === 0) return false;
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

/** The command line of a gateway in front of a server of these tests. */
export const wrapped = (effects: string, options: readonly string[], server: StormServer = "raw-server.js") => [
  cli,
  "wrap",
  ...options,
  "--trust-annotations",
  "--recover-after",
  "now",
  "--",
  "node",
  fileURLToPath(new URL(server, import.meta.url)),
  effects,
  "pids",
];

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "storm", version: "1" },
};

/** A host that starts the gateway. Its death closes the pipes; what came by them before, it had read. */
class StdioHost {
  readonly #folder: string;
  readonly #effects: string;
  #child: ChildProcess | undefined;
  #answers = new Map<number, (line: string | undefined) => void>();
  readonly #server: StormServer;
  #lastId = 0;

  constructor(folder: string, effects: string, server: StormServer) {
    this.#folder = folder;
    this.#effects = effects;
    this.#server = server;
  }

  async call(name: string, input: object): Promise<string | undefined> {
    this.#child ??= this.#start();
    const [child, id] = [this.#child, ++this.#lastId];
    const params = { name, arguments: input };
    return new Promise((resolve) => {
      this.#answers.set(id, resolve);
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params })}\n`);
    });
  }

  kill(): void {
    this.#child?.stdin?.end();
    this.#child = undefined;
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.kill();
    if (child !== undefined && child.exitCode === null) await new Promise((resolve) => child.once("close", resolve));
  }

  #start(): ChildProcess {
    const child = spawn(
      process.execPath,
      wrapped(this.#effects, ["--store", join(this.#folder, "store")], this.#server),
      {
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    const answers = new Map<number, (line: string | undefined) => void>();
    this.#answers = answers;
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { id } = JSON.parse(line);
      answers.get(id)?.(line);
      answers.delete(id);
    });
    child.once("close", () => {
      if (this.#child === child) this.#child = undefined;
      for (const answer of answers.values()) answer(undefined);
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: initialize })}\n`);
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    return child;
  }
}

/** A client of the 2026 era; the gateway is started again when it has died. */
class HttpHost {
  readonly #folder: string;
  readonly #effects: string;
  #gateway: Promise<Gateway> | undefined;
  readonly #server: StormServer;
  #left = new AbortController();

  constructor(folder: string, effects: string, server: StormServer) {
    this.#folder = folder;
    this.#effects = effects;
    this.#server = server;
  }

  async call(name: string, input: object): Promise<string | undefined> {
    this.#gateway ??= this.#start();
    const { url } = await this.#gateway;
    this.#left = new AbortController();
    return callOverHttp(url, name, input, this.#left.signal);
  }

  kill(): void {
    this.#left.abort();
  }

  async close(): Promise<void> {
    const { child } = (await this.#gateway) ?? {};
    child?.kill("SIGTERM");
    if (child !== undefined && child.exitCode === null) await new Promise((resolve) => child.once("close", resolve));
  }

  #start(): Promise<Gateway> {
    const started = startHttpGateway(
      wrapped(this.#effects, ["http", "--port", "0", "--store", join(this.#folder, "store")], this.#server),
    );
    void started.then(({ child }) =>
      child.once("close", () => {
        this.#gateway = undefined;
      }),
    );
    return started;
  }
}

/** A gateway that listens, or one that has ended before it did. */
export interface Gateway {
  readonly child: ChildProcess;
  readonly url: string;
}

/** Starts a gateway by its command line, and resolves when it listens. */
export function startHttpGateway(words: readonly string[]): Promise<Gateway> {
  const child = spawn(process.execPath, words, { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      const url = /^listening on (http:\S+)/.exec(line)?.[1];
      if (url !== undefined) resolve({ child, url });
    });
    child.once("close", () => resolve({ child, url: "http://127.0.0.1:1/mcp" }));
  });
}

/** Calls a tool as a client of the 2026 era; `undefined` where no answer comes. */
export async function callOverHttp(
  url: string,
  name: string,
  input: object,
  signal: AbortSignal | null = null,
  more = {},
) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: input, _meta },
  });
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": name,
    ...more,
  };
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    const text = await response.text();
    return text.split("\n").find((line) => line.includes('"id":1'));
  } catch {
    return undefined;
  }
}
