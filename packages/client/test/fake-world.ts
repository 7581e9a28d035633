import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Client, type ClientEvent, isClientError, type OpenClientOptions, openClient } from "../src/index.js";
import { type FakeServer, startFakeServer } from "./fake-server.js";
import { FakeTasks } from "./fake-tasks.js";
import { createFakeMcpServer } from "./fake-tools.js";

/** What each test of one file gets for itself. */
export interface FakeWorld {
  readonly folder: string;
  readonly stateFile: string;
  readonly tasks: FakeTasks;
  readonly server: FakeServer;
  /** What a new process does: the state file is all that is left of the one before. Its clients do not wait long. */
  open(url?: string): Promise<Client>;
  /** The same with options of its own. */
  openWith(options: Omit<OpenClientOptions, "stateFile">): Promise<Client>;
}

/** A server, its tasks, and a folder for the state of clients, before each test; after it, nothing of them is left. */
export function useFakeWorld(): () => FakeWorld {
  const clients: Client[] = [];
  let world: FakeWorld | undefined;
  const present = () => {
    if (world === undefined) throw new Error("There is a world only within a test.");
    return world;
  };
  beforeEach(async () => {
    const folder = await mkdtemp(join(tmpdir(), "client-"));
    const tasks = new FakeTasks();
    const server = await startFakeServer(() => createFakeMcpServer(tasks));
    const stateFile = join(folder, "state.json");
    const openWith: FakeWorld["openWith"] = async (options) => {
      const client = await openClient({ ...options, stateFile });
      clients.push(client);
      return client;
    };
    const limits = { reconnectInitialDelayMs: 1, reconnectMaxDelayMs: 20, idlePollDelayMs: 1, saveProgressMs: 0 };
    const open = (url = server.url) => openWith({ servers: [{ url }], limits });
    world = { folder, stateFile, tasks, server, open, openWith };
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await present().server.kill();
    await rm(present().folder, { recursive: true });
  });
  return present;
}

/** The code of the error with which something ends. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return isClientError(error) ? error.code : `not a client error: ${String(error)}`;
}

/** Reads events until one is of the type, or to the end. */
export async function until(events: AsyncIterator<ClientEvent>, type: ClientEvent["type"]): Promise<ClientEvent[]> {
  const read: ClientEvent[] = [];
  for (;;) {
    const next = await events.next();
    if (next.done === true) return read;
    read.push(next.value);
    if (next.value.type === type) return read;
  }
}

/** What a screen would show of events: how far, and what was logged. */
export function shown(events: readonly ClientEvent[]): readonly unknown[] {
  return events.flatMap((event) =>
    event.type === "progress" ? [event.progress] : event.type === "log" ? [event.data] : [],
  );
}
