import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Program, scriptOf, startProgram } from "./program.js";

const startTimeoutMs = 20_000;
const readyLine = /listening on (http:\/\/\S+)\s/;

/** A server of the demo's tools. */
export interface DemoServer extends Program {
  readonly url: string;
  readonly port: number;
}

/** How a server is started. */
export interface DemoServerOptions {
  /** The folder of the demo's built programs. */
  readonly built: URL;
  readonly store: string;
  /** 0 takes a free one. After a kill, the same again lets clients find it. */
  readonly port: number;
}

/** Starts the HTTP server with the demo's tools, as a user would, and waits until it listens. */
export async function startDemoServer({ built, store, port }: DemoServerOptions): Promise<DemoServer> {
  const tools = fileURLToPath(new URL("tools.js", built));
  const script = scriptOf("@resumable-mcp/server-http", "resumable-mcp-http");
  const program = await startProgram(built, script, [tools, "--port", String(port), "--store", store]);
  program.stdout.resume();
  const tooLate = delay(startTimeoutMs, undefined, { ref: false });
  const url = await Promise.race([program.waitFor(readyLine), tooLate]);
  if (url !== undefined) return { ...program, url, port: Number(new URL(url).port) };
  await program.end("SIGKILL");
  throw new Error(`The server did not start: ${program.complaint() || "it said nothing."}`);
}
