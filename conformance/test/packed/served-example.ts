import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { PackedProject } from "../../src/packed-project.js";
import { killAll, type Program } from "../../src/program.js";
import { fileExamples } from "../readme-examples.js";
import { freePort } from "./free-port.js";

const closing: (() => Promise<void>)[] = [];

/** Ends every client and every program. */
export async function endAll(): Promise<void> {
  for (const close of closing.splice(0)) await close();
  await killAll();
}

/** Puts files of a package's README into an empty folder, changed by nothing but the port. */
export async function pasteExamples(project: PackedProject, readme: string, names: readonly string[], port = "3000") {
  const examples = fileExamples(readme);
  const folder = await project.folder(randomUUID());
  for (const name of names) {
    const code = examples.get(name);
    if (code === undefined) throw new Error(`${readme}/README.md has no example ${name}.`);
    await folder.write(name, code.replaceAll("3000", port));
  }
  return folder;
}

/** An example that listens, and can be killed and started again where it was. */
export interface ServedExample {
  readonly url: string;
  killAndRestart(): Promise<void>;
}

/** Runs an example that serves over HTTP. */
export async function serveExample(project: PackedProject, readme: string, name: string): Promise<ServedExample> {
  const port = await freePort();
  const folder = await pasteExamples(project, readme, ["tools.mjs", name], port);
  const url = `http://127.0.0.1:${port}/mcp`;
  const run = async (): Promise<Program> => {
    const program = folder.run("node", name);
    await program.seen(new RegExp(`^${url}$`, "m"));
    return program;
  };
  let running = await run();
  const kill = async () => {
    running.child.kill("SIGKILL");
    await running.ended;
  };
  return {
    url,
    async killAndRestart() {
      await kill();
      running = await run();
    },
  };
}

/** Patient enough for a slow machine: each break is answered by attempts for a minute. */
const reconnectionOptions = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1,
  maxRetries: 60,
};

/** An unmodified client of the SDK, connected over HTTP. */
export async function connectHttp(url: string): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions });
  const client = new Client({ name: "stock", version: "1" });
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

/** An unmodified client of the SDK, which starts its server as a host does. */
export async function connectStdio(folder: PackedProject, command: string, ...args: readonly string[]) {
  const env = Object.fromEntries(Object.entries(folder.env).map(([name, value]) => [name, value ?? ""]));
  const transport = new StdioClientTransport({ command, args: [...args], cwd: folder.directory, env, stderr: "pipe" });
  const client = new Client({ name: "stock", version: "1" });
  closing.push(() => client.close());
  await client.connect(transport);
  return { client, pid: transport.pid ?? 0, stderr: transport.stderr };
}

/** Kills the only child of a process. Linux only, as these tests are. */
export async function killChildOf(pid: number): Promise<void> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  process.kill(Number(children.trim()), "SIGKILL");
}
