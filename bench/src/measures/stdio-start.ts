import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Measure } from "../report/measure.js";
import { temporaryFolder } from "../stores/stored-tasks.js";

/** A program of this package. */
export const built = (name: string) => fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
/** A program of one of the packages that are measured. */
export const programOf = (name: string, file: string) =>
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

/** An era of the protocol, by its year. */
export type Era = "2025" | "2026";

/** From starting a server over stdio until its first answer, with or without its supervisor. */
export function stdioStart(era: Era, supervised: boolean): Measure {
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
