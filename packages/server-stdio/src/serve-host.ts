import type { LeftTasks } from "@resumable-mcp/core/engine";
import type { ServerDefinition } from "@resumable-mcp/mcp/define-server";
import { type FirstAnswer, firstAnswer, readLines } from "@resumable-mcp/mcp/stdio";
import { supervisorLimits } from "./limits.js";
import { readHostLine } from "./wire/json-rpc.js";

/** Writes one message to the host. */
export type WriteMessage = (message: object) => Promise<void>;

/** A server of one host. */
export interface StdioServer {
  /** Takes one message; `answered`: the response to it that the host has already. */
  receive(message: object, answered?: FirstAnswer): Promise<void>;
  /** Resolves when running tasks have stopped and everything is released. */
  close(): Promise<void>;
  /** Lets running tasks stop, except for those that the process is about to die of: these keep their leases. */
  release(leave: LeftTasks): Promise<unknown>;
}

/** What a host is served with. */
export interface ServeHostOptions {
  readonly definition: ServerDefinition;
  /** Makes the server, with all that it loads. Called by the first message, which may be answered before. */
  readonly makeServer: (write: WriteMessage) => StdioServer | Promise<StdioServer>;
  readonly onError: (error: unknown) => void;
}

/**
 * Serves the host at the other end of stdin and stdout until stdin ends.
 *
 * From here on nothing but messages goes to stdout: what tools print goes to stderr. A host waits for its first answer at
 * each start, so what that answer does not need is loaded after it.
 *
 * @returns a promise that resolves when the host has disconnected and everything is released. Rejects when no server can
 * be made.
 */
export async function serveHost({ definition, makeServer, onError }: ServeHostOptions): Promise<void> {
  const { write, gone } = claimStdout();
  let making: Promise<StdioServer> | undefined;
  const receive = async (message: object): Promise<void> => {
    const answered = making === undefined ? firstAnswer(definition, message) : undefined;
    if (answered !== undefined) await write(answered);
    making ??= Promise.resolve(makeServer(write));
    await (await making).receive(message, answered);
  };
  const read = readLines(process.stdin, supervisorLimits.maxLineBytes, async (line) => {
    const read = readHostLine(line);
    if ("message" in read) await receive(read.message);
    else await write(read.refusal).catch(onError);
  });
  const ended = read.catch(async (error: unknown) => {
    await making;
    onError(error);
  });
  await Promise.race([ended, stopSignal(), gone]);
  const server = await making;
  await server?.close();
}

/**
 * Keeps stdout for messages: all other output to it goes to stderr. A host that closes its end has disconnected, which is
 * not an error (EPIPE).
 */
function claimStdout(): { readonly write: WriteMessage; readonly gone: Promise<void> } {
  const { stdout, stderr } = process;
  const gone = new Promise<void>((resolve) => {
    stdout.on("error", () => resolve());
    // What is printed for people must not end the process either.
    stderr.on("error", () => {});
  });
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  return {
    gone,
    write: (message) =>
      new Promise((resolve, reject) => {
        write(`${JSON.stringify(message)}\n`, (error) => (error == null ? resolve() : reject(error)));
      }),
  };
}

/** Resolves when the process gets a signal to stop. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => resolve());
  });
}
