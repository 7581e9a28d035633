import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, openClient } from "@resumable-mcp/client";
import { type RestartableServer, startRestartableServer } from "../processes/demo-server.js";
import { describeCount, isComplete } from "../story/job.js";
import { startDemoTask } from "./demo-task.js";
import { type FrontState, startFront } from "./start-front.js";

/** How the panel is opened. */
export interface InBrowserOptions {
  /** The folder of the demo's built programs. */
  readonly built: URL;
  /** Opens a page; absent where no browser shall open. */
  readonly open: ((url: string) => void) | undefined;
}

const stopSignals = ["SIGINT", "SIGTERM"] as const;

/**
 * Shows the job of the story in the panel of a server that a button kills and another starts again. The job begins when the
 * page is opened. Ends with Ctrl-C.
 *
 * @returns the exit code: 0 when each record was there once, or the user left before the end.
 */
export async function runInBrowser({ built, open }: InBrowserOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "resumable-mcp-demo-"));
  const leave = new AbortController();
  const stopped = Promise.race(stopSignals.map((signal) => once(process, signal, { signal: leave.signal })));
  const listener = {
    started: ({ pid }: { readonly pid: number }) => say(`The server runs (process ${pid}).`),
    killing: (pid: number) => say(`kill -9 ${pid}`),
  };
  try {
    const server = await startRestartableServer({ built, store: join(folder, "store"), flags: ["--ui"] }, listener);
    const client = await openClient({
      servers: [{ url: server.url }],
      stateFile: join(folder, "client.json"),
      // The server stays dead for as long as its user likes.
      limits: { reconnectAttempts: Number.POSITIVE_INFINITY },
    });
    try {
      const job = prepareJob(server, client, leave.signal);
      const front = await startFront({
        serverPort: Number(new URL(server.url).port),
        opened: job.begin,
        state: job.state,
        kill: () => server.kill(),
        start: () => server.start(),
      });
      const page = `${front.url}/`;
      say(`Open ${page} and kill the server there. Ctrl-C ends the demo.`);
      open?.(page);
      await stopped;
      await front.close();
      return job.failed() ? 1 : 0;
    } finally {
      leave.abort();
      await client.close();
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Job {
  /** Begins it, the first time. */
  begin(): void;
  state(): FrontState;
  /** It ended, and not with each record once. */
  failed(): boolean;
}

function prepareJob(server: RestartableServer, client: Client, signal: AbortSignal): Job {
  let begun = false;
  let failed = false;
  let panel: string | undefined;
  let outcome: string | undefined;
  const run = async (): Promise<void> => {
    const { id, counted } = await startDemoTask(client);
    panel = `/ui#/tasks/${id}`;
    const count = await counted;
    failed = !isComplete(count);
    outcome = describeCount(count);
    process.stdout.write(`\n${outcome}\n`);
  };
  return {
    begin() {
      if (begun) return;
      begun = true;
      run().catch((error: unknown) => {
        if (signal.aborted) return;
        failed = true;
        outcome = `The demo broke off: ${error instanceof Error ? error.message : String(error)}`;
        process.stderr.write(`${outcome}\n`);
      });
    },
    state: () => ({ pid: server.pid, panel, outcome }),
    failed: () => failed,
  };
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
