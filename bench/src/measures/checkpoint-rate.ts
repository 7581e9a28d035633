import { createByteLoop, newestLine } from "../peers/byte-loop.js";
import { type CheckpointKeeper, someCheckpoint } from "../peers/checkpoint-keeper.js";
import { createGroupedSqliteKeeper, createSqliteKeeper } from "../peers/sqlite-keeper.js";
import { createEncryptedKeeper, createStoreKeeper } from "../peers/store-keeper.js";
import type { Measure, Scope, Target } from "../report/measure.js";

/** How much work a round is: so many tasks at once, each with so many checkpoints, one after the other. */
export interface Work {
  readonly tasks: number;
  readonly each: number;
}

type Durability = "machine" | "process";

/** This project's store against a loop that writes the same bytes and does nothing else. */
export function againstBareLoop(durability: Durability, work: Work, target: Target): Measure {
  const files = work.tasks === 1 ? "one file" : `${work.tasks} files`;
  const peer = durability === "machine" ? `write + fdatasync of ${files}` : `synchronous write to ${files}`;
  return {
    ...describe(durability, work, "bare-loop"),
    peer,
    target,
    async prepare(scope) {
      const directory = await scope.folder();
      const subject = await openRounds(scope, createStoreKeeper(directory, durability), work);
      await subject();
      const line = newestLine(directory);
      const loop = createByteLoop(directory, line, work.tasks, durability === "machine");
      scope.onEnd(() => loop.close());
      const peer = () => rateOf(work, () => loop.run(work.each));
      return { subject, peer };
    },
  };
}

/** Processor time of a checkpoint, of all threads of the process: what other processes do does not add to it. */
export function processorTime(work: Work, target: Target): Measure {
  const rates = againstBareLoop("process", work, target);
  return {
    ...rates,
    id: "process-processor-time",
    title: "Processor time of a checkpoint, `process`, 1 task",
    unit: "µs",
    judges: "figure",
    async prepare(scope) {
      const { subject, peer } = await rates.prepare(scope);
      const perCheckpoint = async (round: () => Promise<number>): Promise<number> => {
        const before = process.cpuUsage();
        await round();
        const { user, system } = process.cpuUsage(before);
        return (user + system) / (work.tasks * work.each);
      };
      return { subject: () => perCheckpoint(subject), peer: () => perCheckpoint(peer) };
    },
  };
}

/** Another way to keep the same checkpoints. */
interface Peer {
  readonly id: string;
  readonly name: string;
  readonly open: (directory: string) => CheckpointKeeper | Promise<CheckpointKeeper>;
}

export const sqlite: Peer = { id: "sqlite", name: "SQLite, WAL, synchronous=FULL", open: createSqliteKeeper };
export const groupedSqlite: Peer = {
  id: "grouped-sqlite",
  name: "SQLite, one transaction for each turn of the event loop",
  open: createGroupedSqliteKeeper,
};

/** This project's store against another way to keep the same checkpoints. */
export function againstPeer(durability: Durability, work: Work, peer: Peer, target: Target): Measure {
  return {
    ...describe(durability, work, peer.id),
    peer: peer.name,
    target,
    prepare: async (scope) => ({
      subject: await openRounds(scope, createStoreKeeper(await scope.folder(), durability), work),
      peer: await openRounds(scope, await peer.open(await scope.folder()), work),
    }),
  };
}

/** This project's store with encryption against the same store without. */
export function againstPlain(durability: Durability, work: Work): Measure {
  const { id, title, ...rest } = describe(durability, work, "plain");
  return {
    ...rest,
    id: `encrypted-${id}`,
    title: `Encrypted, ${title}`,
    subject: `store-fs, ${durability}, encrypted`,
    peer: "the same store, not encrypted",
    prepare: async (scope) => ({
      subject: await openRounds(scope, createEncryptedKeeper(await scope.folder(), durability), work),
      peer: await openRounds(scope, createStoreKeeper(await scope.folder(), durability), work),
    }),
  };
}

function describe(durability: Durability, work: Work, peer: string) {
  const tasks = work.tasks === 1 ? "1 task" : `${work.tasks} tasks at once`;
  return {
    id: `${durability}-${work.tasks}-against-${peer}`,
    title: `\`${durability}\`, ${tasks}`,
    subject: `store-fs, ${durability}`,
    unit: "checkpoints/s",
    rounds: 31,
  };
}

/** Begins the tasks; each round continues them. */
export async function openRounds(scope: Scope, keeper: CheckpointKeeper, { tasks, each }: Work) {
  scope.onEnd(() => keeper.close());
  const running = Array.from({ length: tasks }, (_, index) => `task-${index}`);
  for (const name of running) await keeper.begin(name);
  let done = 0;
  return async () => {
    const from = done;
    done += each;
    return rateOf({ tasks, each }, () => Promise.all(running.map((name) => keepEach(keeper, name, from, each))));
  };
}

async function keepEach(keeper: CheckpointKeeper, name: string, from: number, each: number): Promise<void> {
  for (let index = 1; index <= each; index++) await keeper.keep(name, someCheckpoint(from + index));
}

/** Checkpoints in a second. */
async function rateOf({ tasks, each }: Work, work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (tasks * each * 1000) / (performance.now() - begun);
}
