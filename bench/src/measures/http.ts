import { spawn } from "node:child_process";
import { type Measure, spreadOf } from "../report/measure.js";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { callRate, connect, openSession, openSocket } from "./http-client.js";
import { built, type Era, programOf } from "./stdio-start.js";

/** What a server holds after a collection, in KiB: used by JavaScript, and in all as the operating system sees it. */
interface Held {
  readonly used: number;
  readonly resident: number;
}

interface HttpServer {
  readonly url: string;
  held(): Promise<Held>;
  stop(): Promise<unknown>;
}

const tellMemory = new URL("servers/tell-memory.js", import.meta.url).href;

async function startHttp(args: readonly string[]): Promise<HttpServer> {
  const flags = ["--expose-gc", "--import", tellMemory];
  const child = spawn(process.execPath, [...flags, ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  let text = "";
  const said = (pattern: RegExp): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const found = pattern.exec(text);
        if (found === null) return;
        child.stderr.off("data", look);
        text = text.slice(found.index + found[0].length);
        resolve(found);
      };
      child.stderr.on("data", look);
      void ended.then(() => reject(new Error(`The server ended: ${text}`)));
    });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const [, url = ""] = await said(/listening on (http:[^\s"]+)"?\n/);
  const held = async (): Promise<Held> => {
    const telling = said(/memory (\d+) (\d+)\n/);
    child.kill("SIGUSR2");
    const [, used, resident] = await telling;
    return { used: Number(used) / 1024, resident: Number(resident) / 1024 };
  };
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { url, held, stop };
}

const ourHttp = (store: string) => [
  programOf("server-http", "cli.js"),
  built("tools-module"),
  "--port",
  "0",
  "--store",
  store,
];

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
  async prepare() {
    const folder = await temporaryFolder();
    const resident = { ours: [] as number[], theirs: [] as number[] };
    const used = async (args: readonly string[], residents: number[]): Promise<number> => {
      const held = await heldBySession(args);
      residents.push(held.resident);
      return held.used;
    };
    const middle = (figures: readonly number[]) => Math.round(spreadOf(figures).median);
    return {
      subject: () => used(ourHttp(folder.directory), resident.ours),
      peer: () => used([built("bare-2025-http")], resident.theirs),
      dispose: () => folder.remove(),
      get note() {
        return `heap and buffers; the resident size grows by ${middle(resident.ours)} KiB here, ${middle(resident.theirs)} KiB with the peer`;
      },
    };
  },
};

async function heldBySession(args: readonly string[]): Promise<Held> {
  const server = await startHttp(args);
  try {
    const socket = openSocket(server.url);
    for (let warm = 0; warm < 20; warm++) await openSession(socket);
    const before = await server.held();
    const count = 200;
    for (let opened = 0; opened < count; opened++) await openSession(socket);
    const after = await server.held();
    return { used: (after.used - before.used) / count, resident: (after.resident - before.resident) / count };
  } finally {
    await server.stop();
  }
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
    async prepare() {
      const folder = await temporaryFolder();
      const ours = await startHttp(ourHttp(folder.directory));
      const theirs = await startHttp([built(`bare-${era}-http`)]);
      const clientsOf = ({ url }: HttpServer) => Promise.all(Array.from({ length: 50 }, () => connect(era, url)));
      const [our, their] = [await clientsOf(ours), await clientsOf(theirs)];
      return {
        subject: () => callRate(our, 10),
        peer: () => callRate(their, 10),
        dispose: async () => {
          await Promise.all([ours.stop(), theirs.stop()]);
          await folder.remove();
        },
      };
    },
  };
}
