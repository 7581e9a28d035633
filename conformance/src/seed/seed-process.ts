import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { z } from "zod";
import { demoPrograms } from "../servers.js";

const line = z.looseObject({ event: z.string() });
/** What the client printed. */
export type SeedEvent = z.output<typeof line>;

/** How long the client may take to print what is waited for, in milliseconds. */
const patienceMs = 60_000;

/** The client of the walkthrough in a process of its own. */
export interface SeedProcess {
  /** All that it printed. */
  readonly events: readonly SeedEvent[];
  /** Types a line. */
  enter(command: string): void;
  /** Resolves with the next event, printed from now on, that is wanted. */
  next(wanted: (event: SeedEvent) => boolean): Promise<SeedEvent>;
  /** Types a line, and waits for an event of that name. */
  ask(command: string, event: string): Promise<SeedEvent>;
  /** SIGKILL; resolves when the process has ended. */
  kill(): Promise<void>;
}

/** Starts the client; its first event is `connected`. */
export async function startSeedClient(url: string, stateFile: string): Promise<SeedProcess> {
  const child = spawn(process.execPath, [demoPrograms.seedClient, url, stateFile], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const events: SeedEvent[] = [];
  const waiting = new Set<(event: SeedEvent) => void>();
  createInterface({ input: child.stdout }).on("line", (text) => {
    const event = line.parse(JSON.parse(text));
    events.push(event);
    for (const tell of waiting) tell(event);
  });
  const next: SeedProcess["next"] = (wanted) => {
    const found = new Promise<SeedEvent>((resolve) => {
      const tell = (event: SeedEvent): void => {
        if (!wanted(event)) return;
        waiting.delete(tell);
        resolve(event);
      };
      waiting.add(tell);
    });
    return Promise.race([found, tooLate(child, events)]);
  };
  const ask: SeedProcess["ask"] = (command, name) => {
    const answered = next(({ event }) => event === name || event === "failed");
    child.stdin.write(`${command}\n`);
    return answered;
  };
  await next(({ event }) => event === "connected");
  return {
    events,
    next,
    ask,
    enter: (command) => void child.stdin.write(`${command}\n`),
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "close");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function tooLate(child: ChildProcess, events: readonly SeedEvent[]): Promise<never> {
  return new Promise((_resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The client took too long; its last event: ${last(events)}`)),
      patienceMs,
    );
    timer.unref();
    child.once("exit", () => reject(new Error(`The client ended; its last event: ${last(events)}`)));
  });
}

function last(events: readonly SeedEvent[]): string {
  return JSON.stringify(events.at(-1) ?? "none");
}
