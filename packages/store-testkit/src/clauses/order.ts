import type { Store } from "@resumable-mcp/core";
import { checkpoint } from "../event-samples.js";
import { expectEqual } from "../expect.js";
import { foldJournal, readJournal } from "../read-journal.js";
import type { Clause, Scene } from "../scene.js";

const many = 300;

/** Reads in small pages while a task is written. */
async function followWhileWritten(scene: Scene, reader: Store): Promise<void> {
  const { record } = await scene.create();
  const held = await scene.lease(record.id);
  const seen: number[] = [];
  const follow = async () => {
    const { events } = await readJournal(reader, record.id, seen.length, 3);
    return events.map(({ seq }) => seq);
  };
  for (let turn = 0; turn < 30; turn++) {
    const [found] = await Promise.all([
      follow(),
      scene.commit(held, [checkpoint(turn), checkpoint(turn)], { afterSeq: 1 + turn * 2 }),
    ]);
    seen.push(...found);
  }
  seen.push(...(await follow()));
  expectEqual(
    seen,
    Array.from({ length: 61 }, (_, index) => index + 1),
    "seqs",
  );
}

/** In which order events come. */
export const orderClauses: readonly Clause[] = [
  {
    id: "ORDER-1",
    level: "MUST",
    title: "gives events in order, without gap or repeat, in pages of any size",
    because: "G5: a follower sees each event once.",
    async check(scene) {
      const { id } = await scene.taskWith([1, 2, 3, 4, 5, 6].map((progress) => checkpoint(progress)));
      for (const limit of [1, 2, 3, 7, 100]) {
        const { events } = await readJournal(scene.store, id, 0, limit);
        expectEqual(
          events.map(({ seq }) => seq),
          [1, 2, 3, 4, 5, 6, 7],
          `seqs in pages of ${limit}`,
        );
      }
    },
  },
  {
    id: "ORDER-2",
    level: "MUST",
    title: "gives only what is behind a cursor",
    because: "A follower that reconnects says what it has seen.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1), checkpoint(2)]);
      const behind = async (afterSeq: number) =>
        (await readJournal(scene.store, id, afterSeq)).events.map((e) => e.seq);
      expectEqual(await behind(2), [3], "seqs behind 2");
      expectEqual(await behind(3), [], "seqs behind the last");
    },
  },
  {
    id: "ORDER-3",
    level: "MUST",
    title: "continues with the next seq when the lease changes hands",
    because: "A journal is one sequence, whichever worker wrote it.",
    async check(scene) {
      const { record } = await scene.create();
      for (let turn = 1; turn <= 4; turn++) await scene.write(record.id, [checkpoint(turn), checkpoint(turn)]);
      const { events } = await readJournal(scene.store, record.id);
      expectEqual(
        events.map(({ seq }) => seq),
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        "seqs",
      );
    },
  },
  {
    id: "ORDER-4",
    level: "MUST",
    title: "gives a follower who reads while it is written every event once",
    because: "Following and writing happen at the same time.",
    check: (scene) => followWhileWritten(scene, scene.store),
  },
  {
    id: "ORDER-5",
    level: "MUST",
    title: "gives a cursor that compaction left behind one snapshot and all that follows it",
    because: "G5: never an unmarked gap.",
    async check(scene) {
      const { record } = await scene.create();
      const held = await scene.lease(record.id);
      for (let turn = 1; turn <= many; turn++) {
        const big = { line: turn, text: "x".repeat(1_000) };
        // Items add up: a snapshot of another moment would count some twice, or not at all.
        const event = { type: "checkpoint", progress: turn, state: big, items: [turn] } as const;
        await scene.commit(held, [event], { afterSeq: turn });
      }
      const journal = await readJournal(scene.store, record.id);
      expectEqual(foldJournal(journal), (await scene.read(record.id)).record, "the fold of snapshot and events");
      const { events } = await readJournal(scene.store, record.id, many - 2);
      expectEqual(events.at(-1)?.seq, many + 1, "the last seq");
    },
  },
  {
    id: "ORDER-6",
    level: "MUST",
    title: "gives a follower in another process who reads while it is written every event once",
    because: "The process that answers a caller is not the one that runs the task.",
    needs: "second",
    check: async (scene) => followWhileWritten(scene, await scene.another("second")),
  },
];
