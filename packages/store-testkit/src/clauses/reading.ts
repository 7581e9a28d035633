import type { Store } from "@resumable-mcp/core";
import { checkpoint, completed } from "../event-samples.js";
import { expectEqual, pluck } from "../expect.js";
import { foldJournal, readAllItems, readJournal } from "../read-journal.js";
import { defineClauses, type Scene } from "../scene.js";

const many = 300;

/** Reads in small pages while a task is written. */
async function followWhileWritten(scene: Scene, reader: Store): Promise<void> {
  const { record, held } = await scene.held();
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
  const all = Array.from({ length: 61 }, (_, index) => index + 1);
  expectEqual(seen, all, "seqs");
}

/** In which order events come. */
export const orderClauses = defineClauses({
  "ORDER-1": {
    title: "gives events in order, without gap or repeat, in pages of any size",
    because: "G5: a follower sees each event once.",
    async check(scene) {
      const { id } = await scene.taskWith([1, 2, 3, 4, 5, 6].map((progress) => checkpoint(progress)));
      for (const limit of [1, 2, 3, 7, 100]) {
        const { events } = await readJournal(scene.store, id, 0, limit);
        expectEqual(pluck(events, "seq"), [1, 2, 3, 4, 5, 6, 7], `seqs in pages of ${limit}`);
      }
    },
  },
  "ORDER-2": {
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
  "ORDER-3": {
    title: "continues with the next seq when the lease changes hands",
    because: "A journal is one sequence, whichever worker wrote it.",
    async check(scene) {
      const { record } = await scene.create();
      for (let turn = 1; turn <= 4; turn++) await scene.write(record.id, [checkpoint(turn), checkpoint(turn)]);
      const { events } = await readJournal(scene.store, record.id);
      expectEqual(pluck(events, "seq"), [1, 2, 3, 4, 5, 6, 7, 8, 9], "seqs");
    },
  },
  "ORDER-4": {
    title: "gives a follower who reads while it is written every event once",
    because: "Following and writing happen at the same time.",
    check: (scene) => followWhileWritten(scene, scene.store),
  },
  "ORDER-5": {
    title: "gives a cursor that compaction left behind one snapshot and all that follows it",
    because: "G5: never an unmarked gap.",
    async check(scene) {
      const { record, held } = await scene.held();
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
  "ORDER-6": {
    title: "gives a follower in another process who reads while it is written every event once",
    because: "The process that answers a caller is not the one that runs the task.",
    needs: "second",
    check: async (scene) => followWhileWritten(scene, await scene.another("second")),
  },
});

/** Does everything once in the scene's store, and looks each time in the reader. */
async function seeEverything(scene: Scene, reader: Store): Promise<void> {
  const { record } = await scene.create();
  const now = { ...scene.clock.now(), wallMs: scene.clock.now().wallMs + 2_000 };
  const views = async () => ({
    total: (await reader.countTasks({})).total,
    runnable: (await reader.listRunnable({ tools: ["count_words"], now, limit: 10 })).tasks.length,
    expired: (await reader.listExpired({ now, limit: 10 })).length,
  });
  const listed = async () => (await reader.listTasks({ limit: 10 })).tasks.map(({ id, progress }) => [id, progress]);
  expectEqual((await reader.getTask(record.id))?.record, record, "the task after createTask");
  expectEqual(await listed(), [[record.id, 0]], "the list after createTask");
  expectEqual(await views(), { total: 1, runnable: 1, expired: 0 }, "what is counted after createTask");
  const held = await scene.lease(record.id);
  expectEqual((await reader.getTask(record.id))?.leased, true, "leased after acquireLease");
  expectEqual(await views(), { total: 1, runnable: 0, expired: 0 }, "what is counted after acquireLease");
  for (const progress of [1, 2, 3]) {
    await scene.commit(held, [checkpoint(progress, [progress])]);
    expectEqual((await reader.getTask(record.id))?.record.progress, progress, "progress after commit");
    expectEqual((await readJournal(reader, record.id)).events.at(-1)?.seq, progress + 1, "the seq after commit");
    expectEqual((await readAllItems(reader, record.id)).length, progress, "items after commit");
  }
  expectEqual(await listed(), [[record.id, 3]], "the list after commit");
  await scene.store.signal(record.id, { kind: "pause" });
  const signals = (await reader.getTask(record.id))?.signals ?? [];
  expectEqual(pluck(signals, "kind"), ["pause"], "signals after signal");
  await scene.store.releaseLease(held);
  expectEqual((await reader.getTask(record.id))?.leased, false, "leased after releaseLease");
  expectEqual(await views(), { total: 1, runnable: 1, expired: 0 }, "what is counted after releaseLease");
  await scene.write(record.id, [completed]);
  expectEqual(await views(), { total: 1, runnable: 0, expired: 1 }, "what is counted after the end");
  await scene.store.deleteTask(await scene.lease(record.id));
  expectEqual(await reader.getTask(record.id), undefined, "the task after deleteTask");
  expectEqual(await listed(), [], "the list after deleteTask");
  expectEqual(await views(), { total: 0, runnable: 0, expired: 0 }, "what is counted after deleteTask");
}

/** When what was done can be seen. */
export const visibilityClauses = defineClauses({
  "VIS-1": {
    title: "shows what has resolved to every later call",
    because: "A caller that has the response may rely on it.",
    check: (scene) => seeEverything(scene, scene.store),
  },
  "VIS-2": {
    title: "shows what has resolved to every later call in another process",
    because: "The process that answers a caller is not the one that runs the task.",
    needs: "second",
    check: async (scene) => seeEverything(scene, await scene.another("second")),
  },
  "VIS-3": {
    title: "shows a session that was put to another process",
    because: "A client reconnects to whichever process listens now.",
    needs: "second",
    async check(scene) {
      const second = await scene.another("second");
      const put = await scene.putSession("session-1", { step: 1 });
      expectEqual(await second.getDocument("session", "session-1"), put, "the session");
      await second.deleteDocument("session", "session-1");
      expectEqual(await scene.store.getDocument("session", "session-1"), undefined, "the session after deletion");
    },
  },
});
