import { setTimeout as sleep } from "node:timers/promises";
import { isJsonObject, type TaskRecord } from "@resumable-mcp/core";
import type { TaskSnapshot } from "@resumable-mcp/core/store";
import { createFsStore } from "@resumable-mcp/store-fs";
import { z } from "zod";

/** The tasks of one row are the newest. */
const newestTasks = 10;
const maxItems = 1_000;
const lookEveryMs = 20;
/** What is waited for longer does not come, also on a busy machine. */
const patienceMs = 120_000;
const counted = z.object({ at: z.number(), pid: z.number() });

/** What the journals say of the tasks of one call. */
export interface JournalFacts {
  /** More than one means that a call ran twice. */
  readonly tasks: number;
  readonly status: string;
  /** What its checkpoints appended, in order. */
  readonly items: readonly number[];
  readonly attempts: number;
  /** How many processes ran it. */
  readonly processes: number;
}

/** Reads the server's store from outside, past server and client: what really happened. */
export class Journals {
  readonly #store: ReturnType<typeof createFsStore>;

  constructor(directory: string) {
    this.#store = createFsStore({ directory });
  }

  /** Waits until the call with this label has appended so many items; gives the process that runs it. */
  untilItems(label: string, count: number): Promise<number> {
    return until(`${count} items of ${label}`, async () => {
      const [task] = await this.#tasks(label);
      return task === undefined ? undefined : (await this.#items(task.record))[count - 1]?.pid;
    });
  }

  /** Waits until the call with this label waits for an answer; gives the process that asks. */
  async untilAsked(label: string): Promise<number> {
    const pid = await this.untilItems(label, 1);
    return until(`a question of ${label}`, async () => {
      const [task] = await this.#tasks(label);
      return task?.record.remembered.name?.kind === "question" ? pid : undefined;
    });
  }

  async facts(label: string): Promise<JournalFacts> {
    const tasks = await this.#tasks(label);
    const items = (await Promise.all(tasks.map(({ record }) => this.#items(record)))).flat();
    return {
      tasks: tasks.length,
      status: tasks[0]?.record.status ?? "none",
      items: items.map(({ at }) => at),
      attempts: tasks[0]?.record.attempt ?? 0,
      processes: new Set(items.map(({ pid }) => pid)).size,
    };
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #tasks(label: string): Promise<readonly TaskSnapshot[]> {
    const { tasks } = await this.#store.listTasks({ limit: newestTasks });
    const found = await Promise.all(tasks.map(({ id }) => this.#store.getTask(id)));
    return found.flatMap((task) => {
      const input = task?.record.input;
      return task !== undefined && isJsonObject(input) && input.label === label ? [task] : [];
    });
  }

  async #items({ id }: TaskRecord) {
    const { items } = await this.#store.readItems(id, { after: 0, limit: maxItems });
    return items.map((item) => counted.parse(item));
  }
}

/** Looks again and again, and says what it did not find. */
async function until<Found>(what: string, find: () => Promise<Found | undefined>): Promise<Found> {
  const lastMs = Date.now() + patienceMs;
  while (Date.now() < lastMs) {
    const found = await find();
    if (found !== undefined) return found;
    await sleep(lookEveryMs);
  }
  throw new Error(`The journals do not show ${what} within ${patienceMs} ms.`);
}
