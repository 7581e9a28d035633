import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measure } from "../measure.js";
import { temporaryFolder } from "../stored-tasks.js";
import { callRate, openSession } from "./http-session.js";

const built = (name: string) => fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
const cliOf = (name: string) =>
  join(dirname(createRequire(import.meta.url).resolve(`@resumable-mcp/${name}/package.json`)), "dist", "cli.js");

const clientInfo = { name: "bench", version: "1.0.0" };
const legacyHello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo },
};
const modernHello = {
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
export function stdioStart(era: "legacy" | "modern", supervised: boolean): Measure {
  const hello = era === "legacy" ? legacyHello : modernHello;
  const sdk = era === "legacy" ? "@modelcontextprotocol/sdk" : "@modelcontextprotocol/server";
  const flags = supervised ? [] : ["--no-supervise"];
  return {
    id: `stdio-start-${era}${supervised ? "" : "-unsupervised"}`,
    title: `stdio, from spawn to the first answer, ${supervised ? "supervised" : "`--no-supervise`"}`,
    subject: "resumable-mcp-stdio",
    peer: `a bare server of ${sdk}`,
    unit: "ms",
    target: { atMost: 1.1 },
    rounds: 31,
    async prepare() {
      const folder = await temporaryFolder();
      const ours = [cliOf("server-stdio"), built("tools-module"), "--store", folder.directory, ...flags];
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

interface HttpServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

async function startHttp(args: readonly string[]): Promise<HttpServer> {
  const child = spawn(process.execPath, ["--expose-gc", ...args], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk;
      const found = /listening on (http:\S+)/.exec(text)?.[1];
      if (found !== undefined) resolve(found.replace(/"$/, ""));
    });
    void ended.then(() => reject(new Error(`The server ended: ${text}`)));
  });
  const stop = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { url, pid: child.pid ?? 0, stop };
}

const ourHttp = (store: string) => [cliOf("server-http"), built("tools-module"), "--port", "0", "--store", store];

/** What one more idle session costs a server in memory. */
export const sessionMemory: Measure = {
  id: "http-session-memory",
  title: "HTTP, memory of an idle session, of 200",
  subject: "resumable-mcp-http",
  peer: "the SDK's server with its in-memory event store",
  unit: "KiB",
  target: { atMost: 1 },
  async prepare() {
    const folder = await temporaryFolder();
    return {
      subject: () => memoryPerSession(ourHttp(folder.directory)),
      peer: () => memoryPerSession([built("bare-http")]),
      dispose: () => folder.remove(),
    };
  },
};

async function memoryPerSession(args: readonly string[]): Promise<number> {
  const server = await startHttp(args);
  try {
    for (let warm = 0; warm < 20; warm++) await openSession(server.url);
    const before = residentKiB(server.pid);
    const count = 200;
    for (let opened = 0; opened < count; opened++) await openSession(server.url);
    return (residentKiB(server.pid) - before) / count;
  } finally {
    await server.stop();
  }
}

function residentKiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
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
