import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measure } from "../report/measure.js";
import { spreadOf } from "../report/statistics.js";
import { temporaryFolder } from "../stores/stored-tasks.js";
import { callRate, openSession } from "./http-session.js";

const built = (name: string) => fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
const programOf = (name: string, file: string) =>
  join(dirname(createRequire(import.meta.url).resolve(`@resumable-mcp/${name}/package.json`)), "dist", file);

const clientInfo = { name: "bench", version: "1.0.0" };
const hello2025 = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const hello2026 = {
  jsonrpc: "2.0",
  id: 1,
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

/** From starting a server over stdio until its first answer, supervised as it is unless told otherwise. */
export function stdioStart(era: "2025" | "2026", supervised: boolean): Measure {
  const hello = era === "2025" ? hello2025 : hello2026;
  const sdk = era === "2025" ? "@modelcontextprotocol/sdk" : "@modelcontextprotocol/server";
  const flags = supervised ? [] : ["--no-supervise"];
  return {
    id: `stdio-start-${era}${supervised ? "" : "-unsupervised"}`,
    title: `stdio, from spawn to the first answer, ${supervised ? "supervised" : "`--no-supervise`"}`,
    subject: "resumable-mcp-stdio",
    peer: `a bare server of ${sdk}`,
    unit: "ms",
    target: { atMost: supervised ? 1.1 : 0.8 },
    rounds: 31,
    async prepare() {
      const folder = await temporaryFolder();
      const ours = [
        programOf("server-stdio", "cli.cjs"),
        built("durable-tools"),
        "--store",
        folder.directory,
        ...flags,
      ];
      return {
        subject: () => firstAnswer(ours, hello),
        peer: () => firstAnswer([built(`bare-${era}-stdio`)], hello),
        dispose: () => folder.remove(),
      };
    },
  };
}

async function firstAnswer(args: readonly string[], hello: object): Promise<number> {
  const begun = performance.now();
  const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const answer = new Promise<Buffer>((resolve) => child.stdout.once("data", resolve));
  child.stdin.write(`${JSON.stringify(hello)}\n`);
  const text = String(await answer);
  const figure = performance.now() - begun;
  child.stdout.resume();
  child.stdin.end();
  const kill = setTimeout(() => child.kill("SIGKILL"), 2_000);
  await ended;
  clearTimeout(kill);
  if (!text.includes('"result"')) throw new Error(`No answer but ${text}`);
  return figure;
}

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
      peer: () => used([built("bare-http")], resident.theirs),
      dispose: () => folder.remove(),
      get note() {
        return `heap and buffers; the resident size grows by ${middle(resident.ours)} KiB here, ${middle(resident.theirs)} KiB beside it`;
      },
    };
  },
};

async function heldBySession(args: readonly string[]): Promise<Held> {
  const server = await startHttp(args);
  try {
    for (let warm = 0; warm < 20; warm++) await openSession(server.url);
    const before = await server.held();
    const count = 200;
    for (let opened = 0; opened < count; opened++) await openSession(server.url);
    const after = await server.held();
    return { used: (after.used - before.used) / count, resident: (after.resident - before.resident) / count };
  } finally {
    await server.stop();
  }
}

/** Calls of a trivial tool that keeps nothing, by many sessions with one call in flight each. */
export const sessionCalls: Measure = {
  id: "http-calls",
  title: "HTTP, calls of a trivial tool, 50 sessions with one call in flight each",
  subject: "resumable-mcp-http",
  peer: "the SDK's server with its in-memory event store",
  unit: "calls/s",
  target: { atLeast: 1 },
  rounds: 31,
  async prepare() {
    const folder = await temporaryFolder();
    const [ours, theirs] = [await startHttp(ourHttp(folder.directory)), await startHttp([built("bare-http")])];
    const sessionsOf = ({ url }: HttpServer) => Promise.all(Array.from({ length: 50 }, () => openSession(url)));
    const [our, their] = [await sessionsOf(ours), await sessionsOf(theirs)];
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
