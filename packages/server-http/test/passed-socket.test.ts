import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Progress } from "@modelcontextprotocol/sdk/types.js";
import { expect, test } from "vitest";
import { afterwards, testFolder, toolsModule } from "./server-process.js";
import { connectStock } from "./stock-client.js";

const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const count = (n: number) => Array.from({ length: n }, (_, index) => index + 1);

/** Holds the socket that it was given as number 3, as systemd does, and starts one server after the other on it. */
const holderScript = `
while read -r _; do
  sh -c 'echo "pid $$" >&2; export LISTEN_FDS=1 LISTEN_PID=$$; exec "$@"' sh "$@" </dev/null
  echo "ended" >&2
done`;

/** A listening socket of this machine, on any free port, in the hands of a process that never accepts. */
async function holdSocket(serverArgs: readonly string[], host = "127.0.0.1") {
  const socket = createServer().listen(0, host);
  await once(socket, "listening");
  const { port } = socket.address() as AddressInfo;
  // Node has no public way to read the number of a listening socket.
  const { fd } = Reflect.get(socket, "_handle") as { readonly fd: number };
  const stdio = ["pipe", "ignore", "pipe", fd] as const;
  const holder = spawn("sh", ["-c", holderScript, "sh", process.execPath, cli, ...serverArgs], { stdio: [...stdio] });
  const died = once(holder, "close");
  const { stdin, stderr } = holder;
  if (stdin === null || stderr === null) throw new Error("The holder has no pipes.");
  socket.close();
  let pid: number | undefined;
  afterwards(async () => {
    holder.kill("SIGKILL");
    if (pid !== undefined) process.kill(pid, "SIGKILL");
    await died;
  });
  const lines = createInterface({ input: stderr })[Symbol.asyncIterator]();
  const said = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const { value = "", done } = await lines.next();
      if (done === true) throw new Error(`No line matches ${pattern}.`);
      const found = pattern.exec(value);
      if (found !== null) return found[1] ?? "";
    }
  };
  return {
    port,
    said,
    start: () => stdin.write("\n"),
    /** Starts a server on the socket; gives the address that it tells. */
    async startServer(): Promise<string> {
      stdin.write("\n");
      pid = Number(await said(/^pid (\d+)$/));
      return said(/^listening on (http:\S+)$/);
    },
    async killServer(): Promise<void> {
      if (pid !== undefined) process.kill(pid, "SIGKILL");
      await said(/^ended$/);
      pid = undefined;
    },
  };
}

/** Asks whether the server is well, over a connection that was made before. */
async function health(socket: ReturnType<typeof connect>): Promise<string> {
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  await once(socket, "close");
  return text;
}

test("a listening socket that is passed on outlives the server: while it restarts no client is refused, and a call in flight continues", async () => {
  const holder = await holdSocket([toolsModule, "--store", await testFolder()]);
  const url = `http://127.0.0.1:${holder.port}/mcp`;
  expect(await holder.startServer()).toBe(url);
  const { client } = await connectStock(url);
  const seen: number[] = [];
  let restarted: Promise<string> | undefined;
  const restart = async () => {
    await holder.killServer();
    // There is no server now, and yet a client can connect: the socket's queue takes it.
    const socket = connect(holder.port, "127.0.0.1");
    await once(socket, "connect");
    const answer = health(socket);
    expect(await holder.startServer()).toBe(url);
    return answer;
  };
  const onprogress = ({ progress }: Progress) => {
    seen.push(progress);
    if (progress === 5) restarted ??= restart();
  };
  const result = await client.callTool({ name: "count_to", arguments: { n: 40 } }, undefined, { onprogress });
  expect(await restarted).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok\n$/);
  expect(result).toMatchObject({ structuredContent: { counted: 40 } });
  expect(seen).toEqual(count(40));
});

test("a socket that other machines can reach is refused without authentication", async () => {
  const holder = await holdSocket([toolsModule, "--store", await testFolder()], "0.0.0.0");
  holder.start();
  await holder.said(/Without authentication, every program that can reach 0\.0\.0\.0 can run the tools/);
  await holder.said(/^ended$/);
});
