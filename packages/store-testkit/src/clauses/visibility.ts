import type { Store } from "@resumable-mcp/core";
import { checkpoint, completed } from "../event-samples.js";
import { expectEqual } from "../expect.js";
import { readAllItems, readJournal } from "../read-journal.js";
import type { Clause, Scene } from "../scene.js";

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
  expectEqual(
    (await reader.getTask(record.id))?.signals.map(({ kind }) => kind),
    ["pause"],
    "signals after signal",
  );
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
export const visibilityClauses: readonly Clause[] = [
  {
    id: "VIS-1",
    level: "MUST",
    title: "shows what has resolved to every later call",
    because: "A caller that has the response may rely on it.",
    check: (scene) => seeEverything(scene, scene.store),
  },
  {
    id: "VIS-2",
    level: "MUST",
    title: "shows what has resolved to every later call in another process",
    because: "The process that answers a caller is not the one that runs the task.",
    needs: "second",
    check: async (scene) => seeEverything(scene, await scene.another("second")),
  },
  {
    id: "VIS-3",
    level: "MUST",
    title: "shows a session that was put to another process",
    because: "A client reconnects to whichever process listens now.",
    needs: "second",
    async check(scene) {
      const second = await scene.another("second");
      const request = { id: "session-1", owner: "client:kit", value: { step: 1 }, now: scene.clock.now() };
      const put = await scene.store.putDocument({ kind: "session", ...request, expectedVersion: 0 });
      expectEqual(await second.getDocument("session", "session-1"), put, "the session");
      await second.deleteDocument("session", "session-1");
      expectEqual(await scene.store.getDocument("session", "session-1"), undefined, "the session after deletion");
    },
  },
];
