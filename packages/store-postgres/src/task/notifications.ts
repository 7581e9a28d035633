import type { Notification } from "pg";
import type { Database } from "../database/database.js";
import { toHex } from "../database/hash.js";
import { DeathNotices } from "./death-notices.js";
import type { WorkerRegistry } from "./worker-registry.js";

/** What changed: a task's journal, or also whether it may be run. */
export type Change = "progress" | "runnable";

/** A notification as processes send it to each other; without ids it is about all tasks. */
interface Message {
  readonly from: string;
  readonly change: Change;
  readonly ids?: readonly string[];
}

const maxIds = 100;

// Sending a notification takes a lock of the whole database until its end: it is never a part of a commit, and need not wait for
// the disk.
const notifyStatement = {
  name: "notify",
  text: `WITH q AS (SELECT set_config('synchronous_commit', 'off', true))
    SELECT pg_notify($1, message) FROM q, unnest($2::text[]) message`,
};

/**
 * Notifies watchers of what this store and other processes did. Notifications of other processes come by a connection that is
 * opened for the first watcher; while there is none, watchers learn of them only when they look.
 */
export class Notifications {
  readonly #database: Database;
  readonly #channel: string;
  readonly #watchers = new Set<{ readonly id: string | undefined; readonly wake: () => void }>();
  #unsent: { readonly [Each in Change]: Set<string> } = { progress: new Set(), runnable: new Set() };
  #sending: NodeJS.Timeout | undefined;
  #reconnecting: NodeJS.Timeout | undefined;
  #connecting: Promise<void> | undefined;
  #disconnect: (() => void) | undefined;
  #isClosed = false;
  readonly #deaths: DeathNotices;

  constructor(database: Database, workers: WorkerRegistry) {
    this.#database = database;
    // Tasks of a process that died may be run.
    const onDeath = () => this.#wake("runnable", undefined);
    const onSilence = () => {
      this.#deaths.disconnected();
      this.#reconnectLater();
    };
    this.#deaths = new DeathNotices(database, workers, { onDeath, onSilence });
    this.#channel = `resumable_mcp_${toHex(database.schema).slice(0, 16)}`;
  }

  /** Calls back when there may be something new about a task, or about any that may have become runnable. */
  watch(id: string | undefined, wake: () => void): () => void {
    const watcher = { id, wake };
    this.#watchers.add(watcher);
    if (this.#connecting === undefined) this.#connect();
    return () => this.#watchers.delete(watcher);
  }

  /** Notifies of what this store did: here at once, elsewhere soon. */
  notify(id: string, change: Change): void {
    this.#wake(change, new Set([id]));
    this.#unsent[change].add(id);
    this.#sending ??= setTimeout(() => void this.#send(), this.#database.limits.notifyPauseMs).unref();
  }

  /** Notifies of a signal, with all that is not sent yet: what waits for one continues without a pause. */
  notifyAtOnce(id: string): void {
    this.notify(id, "runnable");
    void this.#send();
  }

  #wake(change: Change, ids: ReadonlySet<string> | undefined): void {
    for (const watcher of this.#watchers) {
      const isAbout = watcher.id === undefined ? change === "runnable" : (ids?.has(watcher.id) ?? true);
      // Later, so that no watcher looks while the change is still being made.
      if (isAbout) queueMicrotask(() => this.#watchers.has(watcher) && watcher.wake());
    }
  }

  async #send(): Promise<void> {
    const unsent = this.#unsent;
    this.#unsent = { progress: new Set(), runnable: new Set() };
    clearTimeout(this.#sending);
    this.#sending = undefined;
    const from = this.#database.instance;
    const messages = (["progress", "runnable"] as const)
      .filter((change) => unsent[change].size > 0)
      .map(
        (change): Message => ({ from, change, ids: unsent[change].size > maxIds ? undefined : [...unsent[change]] }),
      );
    if (messages.length === 0) return;
    try {
      const texts = messages.map((message) => JSON.stringify(message));
      await this.#database.query("write", notifyStatement, [this.#channel, texts]);
    } catch {
      // Watchers look by themselves, too.
    }
  }

  #connect(): void {
    this.#connecting = this.#listen().catch(() => this.#reconnectLater());
  }

  async #listen(): Promise<void> {
    // There a connection hears nothing, and a lock would stay when its process is dead: watchers look by themselves.
    if (await this.#database.isPooled()) return;
    const { client, close } = await this.#database.connect();
    if (this.#isClosed) return close();
    let isOpen = true;
    const lost = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#deaths.disconnected();
      this.#reconnectLater();
    };
    this.#disconnect = () => {
      isOpen = false;
      close();
    };
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", (notification) => this.#received(notification));
    try {
      await this.#deaths.connected(client);
      await client.query(`LISTEN ${this.#channel}`);
    } catch {
      // The connection may have said so, too: it is replaced once.
      return lost();
    }
    // What happened before is not notified of again.
    this.#wake("progress", undefined);
    this.#wake("runnable", undefined);
  }

  #dropConnection(): void {
    this.#disconnect?.();
    this.#disconnect = undefined;
  }

  #reconnectLater(): void {
    this.#dropConnection();
    if (this.#isClosed) return;
    this.#reconnecting = setTimeout(() => this.#connect(), this.#database.limits.reconnectMs).unref();
  }

  #received({ payload = "" }: Notification): void {
    const message = parse(payload);
    if (message === undefined || message.from === this.#database.instance) return;
    this.#wake(message.change, message.ids && new Set(message.ids));
  }

  /** Sends what was not sent, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnecting);
    this.#deaths.close();
    this.#watchers.clear();
    await this.#send();
    // A server that does not answer on a connection does not hold up the end.
    this.#dropConnection();
    await this.#connecting;
    this.#dropConnection();
  }
}

/** Others may send to the channel, too. */
function parse(payload: string): Message | undefined {
  try {
    const { from, change, ids } = JSON.parse(payload);
    if (change !== "progress" && change !== "runnable") return undefined;
    return { from, change, ids: Array.isArray(ids) ? ids : undefined };
  } catch {
    return undefined;
  }
}
