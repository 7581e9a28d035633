import { setTimeout as delay } from "node:timers/promises";
import { type Client, mayBeStarting } from "@resumable-mcp/client";
import { TimeOverError } from "./exit-code.js";

/** Between two attempts to reach a server. */
const pauseMs = 250;
/** After so long without an answer, the user learns what is waited for. */
const silenceMs = 4_000;

/** What a command waits for a server with. */
export interface ServerWait {
  readonly client: Pick<Client, "servers">;
  /** How long a server may take to start. */
  readonly waitMs: number;
  /** Rejects at the end of the time that the whole command has. */
  readonly over: Promise<never>;
  /** A line for the user. */
  readonly note: (text: string) => void;
}

/**
 * Runs a command, and again while the connection is refused or closed: a server that was started together with the client
 * listens a moment later. As no server has answered yet, nothing was sent twice.
 *
 * Limits: attempts are counted, not time, so that a process that was stopped meanwhile has as many as another.
 */
export async function runWhenServed(command: () => Promise<number>, wait: ServerWait): Promise<number> {
  const silence = setTimeout(() => noteSilence(wait), silenceMs);
  return repeat(command, wait).finally(() => clearTimeout(silence));
}

function noteSilence({ client, note }: ServerWait): void {
  const silent = client.servers().filter(({ state }) => state.name === "connecting" && !state.known);
  const places = silent.map(({ address }) => address).join(", ");
  if (silent.length > 0) note(`${places} has not answered yet. Its process may be busy. Ctrl-C leaves.`);
}

async function repeat(command: () => Promise<number>, wait: ServerWait): Promise<number> {
  const attempts = Math.ceil(wait.waitMs / pauseMs);
  let refusal: unknown;
  for (let attempt = 0; ; attempt++) {
    try {
      return await Promise.race([command(), wait.over]);
    } catch (error) {
      if (refusal !== undefined && error instanceof TimeOverError) throw refusal;
      if (attempt >= attempts || !mayRepeat(error, wait.client)) throw error;
      refusal = error;
      if (attempt === 0) wait.note(waitingText(wait));
      await Promise.race([delay(pauseMs), wait.over]).catch(() => {
        throw error;
      });
    }
  }
}

/** Whether a command that failed is run again: no server has answered yet. */
export function mayRepeat(error: unknown, client: Pick<Client, "servers">): boolean {
  return mayBeStarting(error) && client.servers().every(({ state }) => !state.known);
}

function waitingText({ client, waitMs }: ServerWait): string {
  const down = client.servers().filter(({ state }) => state.name === "down");
  const places = down.map(({ address }) => address).join(", ");
  return `No server answers at ${places} yet. Waiting up to ${waitMs / 1000} s for a server that is starting. Ctrl-C leaves.`;
}
