import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measure } from "../report/measure.js";
import { built } from "../workers/run-isolated.js";

/** A program of this package. */
export const server = (name: string) => fileURLToPath(built(`servers/${name}.js`));
/** A program of one of the packages that are measured. */
export const programOf = (name: string, file: string) =>
  join(dirname(createRequire(import.meta.url).resolve(`@resumable-mcp/${name}/package.json`)), "dist", file);

const clientInfo = { name: "bench", version: "1.0.0" };
/** The first request of a client. */
const hellos = {
  "2025": { method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
  "2026": {
    method: "server/discover",
    params: {
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
};

/** An era of the protocol, by its year. */
export type Era = "2025" | "2026";

/** From starting a server over stdio until its first answer, with or without its supervisor. */
export function stdioStart(era: Era, supervised: boolean): Measure {
  const hello = { jsonrpc: "2.0", id: 1, ...hellos[era] };
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
    async prepare(scope) {
      const store = ["--store", await scope.folder()];
      const ours = [programOf("server-stdio", "cli.cjs"), server("durable-tools"), ...store, ...flags];
      return {
        subject: () => firstAnswer(ours, hello),
        peer: () => firstAnswer([server(`bare-${era}-stdio`)], hello),
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
