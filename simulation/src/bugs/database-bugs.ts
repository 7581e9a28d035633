import type { Bug } from "./bug.js";

const model = "../simulation/src/database";

const defects: readonly Bug[] = [
  {
    name: "a commit with an unknown outcome counts as done",
    file: "store-postgres/src/task/task-writer.ts",
    find: "        this.#book.giveUp(held);\n        throw error;",
    replace: "        return [];",
  },
  {
    name: "a commit with an unknown outcome is sent again, behind what is there by then",
    file: "store-postgres/src/task/task-writer.ts",
    find: "    const outcome = await this.#write(held, prepared, request.maxUnfinished);\n",
    replace: `    const outcome = await this.#write(held, prepared, request.maxUnfinished).catch(async (error) => {
      const { record } = (await this.#reader.read(request.lease.taskId)) ?? held;
      if (record === held.record || isFinal(record.status)) throw error;
      const again = prepare({ ...held, record }, { ...request, afterSeq: record.lastSeq }, this.#database.limits);
      return this.#write(held, again);
    });
`,
  },
  {
    name: "a late commit of an earlier epoch is accepted",
    file: `${model}/commit-statement.ts`,
    find: "task.epoch === epoch && task.holder === holder && task.last_seq === after_seq",
    replace: "task.epoch >= (epoch ?? 0)",
  },
  {
    name: "a lease that was taken without an answer is not given back",
    file: "store-postgres/src/task/lease-book.ts",
    find: "    type Own =",
    replace: "    if (this.#givenUp.size === 0) return;\n    type Own =",
  },
  {
    name: "an answer that is committed with a restart counts after it",
    file: "store-postgres/src/task/task-writer.ts",
    find: "bodies.slice(restart + 1)",
    replace: "bodies.slice(0 * restart)",
  },
  {
    name: "a connection for notifications that breaks is replaced twice",
    file: "store-postgres/src/task/notifications.ts",
    find: "      return lost();",
    replace: "      return this.#reconnectLater();",
  },
  {
    name: "a store that closes waits for a silent connection",
    file: "store-postgres/src/task/notifications.ts",
    find: "    this.#dropConnection();\n    await this.#connecting;",
    replace: "    await this.#connecting;",
  },
  {
    name: "workers are alive whose heartbeat stands still",
    file: "store-postgres/src/task/worker-registry.ts",
    find: "Math.max(this.#nowMs - atMs, atLeastMs(worker, beat))",
    replace: "atLeastMs(worker, beat)",
  },
];

/** What a store in a database does wrong when it is cut off from it. Of its SQL the simulated statement is changed. */
export const databaseBugs: readonly Bug[] = defects.map((bug) => ({ ...bug, isDatabase: true }));
