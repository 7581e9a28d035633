import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { type Measure, type Scope, spreadOf } from "../report/measure.js";
import { createVitalsProbe, type Vitals } from "../workers/vitals.js";
import { callRate, connect, openSession, openSocket } from "./http-client.js";
import { type Era, programOf, server } from "./stdio-start.js";

interface HttpServer {
  readonly url: string;
  /** What it holds after a collection. */
  vitals(): Promise<Vitals>;
  stop(): Promise<unknown>;
}

async function startHttp(scope: Scope, args: readonly string[]): Promise<HttpServer> {
  const { flags, env, ask } = createVitalsProbe(await scope.folder());
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ["ignore", "ignore", "pipe"], env });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
  };
  scope.onEnd(stop);
  const lines: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      lines.push(line);
      const found = /listening on (http:[^\s"]+)/.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    void ended.then(() => reject(new Error(`The server ended: ${lines.join("\n")}`)));
  });
  return { url, stop, vitals: () => ask(Number(child.pid), { collect: true }) };
}

async function ourHttp(scope: Scope): Promise<readonly string[]> {
  const store = ["--store", await scope.folder()];
  return [programOf("server-http", "cli.js"), server("tools-module"), "--port", "0", ...store];
}

/**
 * What one more idle session holds. Both sides are asked after a collection for heap and buffers: the resident size is for
 * the most part what V8 takes for the garbage of the requests that opened the sessions, and keeps.
 */
export const sessionMemory: Measure = {
  id: "http-session-memory",
  title: "HTTP, memory of an idle session, of 200, after a collection",
  subject: "resumable-mcp-http",
  peer: "the SDK's server with its in-memory event store",
  unit: "KiB",
  target: { atMost: 1 },
  async prepare(scope) {
    const resident = { ours: [] as number[], theirs: [] as number[] };
    const used = async (args: readonly string[], residents: number[]): Promise<number> => {
      const held = await heldBySession(scope, args);
      residents.push(held.resident);
      return held.used;
    };
    const ours = await ourHttp(scope);
    const middle = (figures: readonly number[]) => Math.round(spreadOf(figures).median);
    return {
      subject: () => used(ours, resident.ours),
      peer: () => used([server("bare-2025-http")], resident.theirs),
      get note() {
        return `heap and buffers; the resident size grows by ${middle(resident.ours)} KiB here, ${middle(resident.theirs)} KiB with the peer`;
      },
    };
  },
};

/** What a session holds, in KiB: used by JavaScript, and in all as the operating system sees it. */
async function heldBySession(scope: Scope, args: readonly string[]): Promise<{ used: number; resident: number }> {
  const http = await startHttp(scope, args);
  const socket = openSocket(http.url);
  for (let warm = 0; warm < 20; warm++) await openSession(socket);
  const before = await http.vitals();
  const count = 200;
  for (let opened = 0; opened < count; opened++) await openSession(socket);
  const after = await http.vitals();
  await http.stop();
  const grown = (field: keyof Vitals) => ((after[field] - before[field]) * 1_024) / count;
  return { used: grown("heapMiB") + grown("externalMiB"), resident: grown("residentMiB") };
}

const sdkServers = {
  "2025": "the SDK's server with its in-memory event store",
  "2026": "the server of @modelcontextprotocol/server and /node",
} as const satisfies Record<Era, string>;

/** Calls of a trivial tool that keeps nothing, by many clients with one call in flight each. */
export function httpCalls(era: Era): Measure {
  return {
    id: `http-calls-${era}`,
    title: `HTTP, ${era} era, calls of a trivial tool, 50 clients with one call in flight each`,
    subject: "resumable-mcp-http",
    peer: sdkServers[era],
    unit: "calls/s",
    target: { atLeast: 1.5 },
    rounds: 31,
    async prepare(scope) {
      const clientsOf = ({ url }: HttpServer) => Promise.all(Array.from({ length: 50 }, () => connect(era, url)));
      const [ours, theirs] = [await ourHttp(scope), [server(`bare-${era}-http`)]];
      const [our, their] = [await startHttp(scope, ours), await startHttp(scope, theirs)];
      const [ourClients, theirClients] = [await clientsOf(our), await clientsOf(their)];
      return { subject: () => callRate(ourClients, 10), peer: () => callRate(theirClients, 10) };
    },
  };
}
