import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { onTestFinished } from "vitest";

/** The program under test. */
export const cli = fileURLToPath(new URL("../dist/cli.cjs", import.meta.url));
/** The tools module that most tests serve. */
export const toolsModule = fileURLToPath(import.meta.resolve("@resumable-mcp/crash-tools"));

/** Does something after the test, last first. */
export function afterwards(clean: () => Promise<unknown>): void {
  onTestFinished(async () => void (await clean()));
}

/** Makes a folder for one test. */
export async function testFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "server-stdio-"));
  // A process that was just killed, or whose supervisor was, may still write.
  afterwards(() => rm(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }));
  return folder;
}

/** Starts the program as a host does, by an unmodified client of the SDK. */
export async function connectHost(
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; capabilities?: object } = {},
) {
  const { capabilities = {}, ...spawning } = options;
  const client = new Client({ name: "stock", version: "1" }, { capabilities });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, ...args],
    stderr: "pipe",
    ...spawning,
  });
  const output = { stderr: "" };
  transport.stderr?.on("data", (chunk: Buffer) => {
    output.stderr += chunk.toString();
  });
  afterwards(() => client.close());
  await client.connect(transport);
  return { client, transport, output };
}

/**
 * The progress that comes over the wire from now on. Not what `onprogress` hears: the SDK's client drops progress that
 * comes in one piece with the call's result.
 */
export function progressTo(client: Client): readonly number[] {
  const seen: number[] = [];
  const { transport } = client;
  if (transport === undefined) throw new Error("The client is not connected.");
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    if ("method" in message && message.method === "notifications/progress") seen.push(Number(message.params?.progress));
    onmessage?.(message, extra);
  };
  return seen;
}

/** Runs the program with an empty stdin until it ends. */
export function runToEnd(
  args: readonly string[],
  options: { env?: Record<string, string> } = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [cli, ...args], options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

/** The ids of a process's children. Linux only, as these tests are. */
export async function childrenOf(pid: number | null): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return text.trim().split(" ").filter(Boolean).map(Number);
}

/** Kills the server behind a supervisor; one that is dead already needs no killing. */
export async function killServer(supervisorPid: number | null): Promise<void> {
  for (const pid of await childrenOf(supervisorPid)) {
    if (await isRunning(pid)) process.kill(pid, "SIGKILL");
  }
}

/** Tells whether a process runs; one that ended does not, even before its parent has read its exit code. */
export async function isRunning(pid: number | undefined): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  const state = stat.slice(stat.lastIndexOf(")") + 2).charAt(0);
  return state !== "" && state !== "Z";
}
