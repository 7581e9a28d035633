import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { createFsStore } from "@resumable-mcp/store-fs";
import { type Measure, timePer } from "../report/measure.js";
import { beginTask, checkpoints, now, sharedFolder, temporaryFolder } from "../stores/stored-tasks.js";
import { doWithStore } from "../workers/run-isolated.js";

/** Late checkpoints of one task against early ones of another. */
export const taskLength: Measure = {
  id: "checkpoint-by-task-length",
  title: "Checkpoint 100,000 of a task, `process`",
  subject: "from 100,000 on",
  peer: "from 100 on",
  unit: "ms",
  target: { atMost: 1.2 },
  rounds: 31,
  async prepare(scope) {
    const store = createFsStore({ directory: await scope.folder(), durability: "process" });
    scope.onEnd(() => store.close());
    const long = await beginTask(store);
    let seq = await checkpoints(store, long.lease, long.lastSeq, 100_000);
    const count = 500;
    return {
      subject: () =>
        timePer(count, async () => {
          seq = await checkpoints(store, long.lease, seq, count);
        }),
      peer: async () => {
        const fresh = await beginTask(store);
        const begun = await checkpoints(store, fresh.lease, fresh.lastSeq, 100);
        const cost = await timePer(count, () => checkpoints(store, fresh.lease, begun, count));
        await store.releaseLease(fresh.lease);
        return cost;
      },
    };
  },
};

/** Commits checkpoints with a state of 1 KiB, many to a commit, and leaves the task as a killed process would. */
async function fillTask(directory: string, count: number): Promise<void> {
  const store = createFsStore({ directory, durability: "process" });
  let { lease, lastSeq } = await beginTask(store);
  const state = { note: "x".repeat(1_000) };
  for (let done = 0; done < count; ) {
    const size = Math.min(100, count - done);
    const events = Array.from({ length: size }, (_, index) => {
      const progress = done + index + 1;
      return { type: "checkpoint", progress, total: count, state: { ...state, progress } } as const;
    });
    const { record } = await store.commit({ lease, afterSeq: lastSeq, events, consume: [], now: now() });
    lastSeq = record.lastSeq;
    done += size;
  }
  await store.close();
}

const taskOf = (count: number) => sharedFolder(`task-of-${count}`, (directory) => fillTask(directory, count));

/** From opening a store in a new process until the lease of its only task is taken and its state is there. */
export const resuming: Measure = {
  id: "resume-long-task",
  title: "Resuming a task with 1,000,000 checkpoints and a state of 1 KiB, `machine`",
  subject: "1,000,000 checkpoints",
  peer: "100 checkpoints",
  unit: "ms",
  target: { atMost: 50 },
  judges: "figure",
  async prepare() {
    const [long, short] = [await taskOf(1_000_000), await taskOf(100)];
    return { subject: () => resumeCopy(long), peer: () => resumeCopy(short) };
  },
};

/** Resuming changes the store, so that each round has its own. */
async function resumeCopy(template: string): Promise<number> {
  const folder = await temporaryFolder();
  try {
    cpSync(template, folder.directory, { recursive: true });
    return await doWithStore("resume", folder.directory);
  } finally {
    await folder.remove();
  }
}

/** Following a journal from its beginning, against reading the same bytes and parsing the same lines. */
export const replay: Measure = {
  id: "replay",
  title: "Replay of 100,000 events in pages of 256",
  subject: "store-fs",
  peer: "reading the same files and parsing each line",
  unit: "events/s",
  target: { atLeast: 0.5 },
  async prepare(scope) {
    const directory = await scope.folder();
    // Compaction would drop the oldest of so many events.
    const options = { directory, durability: "process", limits: { maxJournalFiles: 1_000 } } as const;
    const writer = createFsStore(options);
    const { lease, lastSeq } = await beginTask(writer);
    const end = await checkpoints(writer, lease, lastSeq, 100_000);
    const reader = createFsStore(options);
    scope.onEnd(() => Promise.all([reader.close(), writer.close()]));
    return {
      subject: async () => 1000 / (await timePer(end, () => readAll(reader, lease, end))),
      peer: async () => 1000 / (await timePer(end, async () => parseAll(directory, end))),
    };
  },
};

async function readAll(store: Store, { taskId }: Lease, end: number): Promise<void> {
  for (let afterSeq = 0; afterSeq < end; ) {
    const { events } = await store.readEvents(taskId, { afterSeq, limit: 256 });
    afterSeq = events.at(-1)?.seq ?? end;
  }
}

function parseAll(directory: string, end: number): void {
  const names = readdirSync(join(directory, "tasks"), { recursive: true, encoding: "utf8" });
  let events = 0;
  for (const name of names.filter((path) => path.includes("journal."))) {
    for (const line of readFileSync(join(directory, "tasks", name), "utf8").split("\n")) {
      if (line.length > 0) events += JSON.parse(line).events?.length ?? 0;
    }
  }
  if (events !== end) throw new Error(`Read ${events} events and not ${end}.`);
}
