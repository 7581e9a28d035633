import type { Store } from "@resumable-mcp/core";
import type { TaskEventBody } from "@resumable-mcp/core/store";
import { asked, cancelled, checkpoint, completed, failed, mapped, restarted, started } from "../event-samples.js";
import { expectCode, expectEqual, expectThat, findOutcome } from "../expect.js";
import { foldJournal, readJournal } from "../read-journal.js";
import { defineClauses, type Scene } from "../scene.js";

const commits = 20;
const eventsEach = 5;
/** What a task can go through, commit by commit. */
const everyKind: readonly (readonly TaskEventBody[])[] = [
  [started, checkpoint(3, ["a"]), { type: "step", key: "fetch", value: { rows: 3 } }],
  [
    {
      type: "step_failed",
      key: "pay",
      attempt: 1,
      error: { code: "X", message: "x" },
      until: "2026-01-01T00:00:09.000Z",
    },
  ],
  [{ type: "step_failed", key: "pay", attempt: 2, error: { code: "X", message: "x" } }],
  [mapped("pages", 2, ["b"]), mapped("pages", 3)],
  [
    { type: "called", key: "sum", tool: "add", child: "0123456789abcdef" },
    { type: "called", key: "book", tool: "hotel", child: "123456789abcdef0" },
  ],
  [{ type: "returned", key: "sum", value: { sum: 3 } }],
  [{ type: "call_failed", key: "book", generation: 1, error: { code: "X", message: "x" } }],
  [{ type: "log", level: "info", data: "half" }, { type: "detached" }],
  [{ type: "sleep", key: "nap", until: "2026-01-01T01:00:00.000Z" }],
  [{ type: "attempt_ended", reason: "waiting", runnableAt: "2026-01-01T01:00:00.000Z" }],
  [started, asked("go"), asked("stop")],
  [{ type: "attempt_ended", reason: "crashed" }, started, { type: "waiting", keys: ["go", "stop"] }],
  [{ type: "answered", key: "go", answer: { action: "decline" } }],
  [{ type: "desiredState", desiredState: "pause" }],
  [{ type: "attempt_ended", reason: "crashed" }, failed],
  [restarted(2, true), started, cancelled],
  [restarted(3, false), checkpoint(1), completed],
];

/** Commits while a reader reads, which must see all events of a commit or none. */
async function readWhileCommitted(scene: Scene, reader: Store): Promise<void> {
  const { record, held } = await scene.held();
  const events = Array.from({ length: eventsEach }, (_, index) => checkpoint(index, [index]));
  for (let commit = 0; commit < commits; commit++) {
    const [, snapshot, page, items] = await Promise.all([
      scene.commit(held, events, { afterSeq: 1 + commit * eventsEach }),
      scene.read(record.id, reader),
      reader.readEvents(record.id, { afterSeq: 0, limit: 1_000 }),
      reader.readItems(record.id, { after: 0, limit: 1_000 }),
    ]);
    for (const seq of [snapshot.record.lastSeq, page.lastSeq, page.events.at(-1)?.seq ?? 0, items.total + 1]) {
      expectEqual((seq - 1) % eventsEach, 0, `events of a commit that are missing at seq ${seq}`);
    }
  }
}

/** What a commit does, and what it does not when it fails. */
export const commitClauses = defineClauses({
  "COMMIT-1": {
    title: "appends events with their place and the time of the commit",
    because: "Stores never read a clock: records are the same wherever they are kept.",
    async check(scene) {
      const { record, held } = await scene.held();
      scene.clock.advance(1_234);
      const at = new Date(scene.clock.now().wallMs).toISOString();
      await scene.commit(held, [started, checkpoint(1)]);
      const { events } = await readJournal(scene.store, record.id, 1);
      const expected = [started, checkpoint(1)].map((event, index) => ({ ...event, seq: 2 + index, at }));
      expectEqual(events, expected, "the events");
    },
  },
  "COMMIT-2": {
    title: "writes nothing and consumes nothing when the journal is not where the writer believes",
    because: "A writer that is wrong about the past must not write the future.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.store.signal(record.id, { kind: "pause" });
      const before = await scene.read(record.id);
      const consume = before.signals.map(({ id }) => id);
      for (const afterSeq of [0, 2, 99]) {
        const wrong = scene.commit(held, [checkpoint(1)], { afterSeq, consume });
        await expectCode(wrong, ["SEQ_CONFLICT"], `a commit after ${afterSeq}`);
      }
      expectEqual(await scene.read(record.id), before, "the task");
      expectEqual((await scene.commit(held, [checkpoint(1)])).record.lastSeq, 2, "lastSeq of a right commit");
    },
  },
  "COMMIT-3": {
    title: "lets one of two concurrent commits at the same place win",
    because: "Compare and append are one step.",
    async check(scene) {
      const { record, held } = await scene.held();
      const both = [1, 2].map((progress) => findOutcome(scene.commit(held, [checkpoint(progress)], { afterSeq: 1 })));
      expectEqual((await Promise.all(both)).sort(), ["SEQ_CONFLICT", "ok"], "the outcomes");
      expectEqual((await readJournal(scene.store, record.id)).events.length, 2, "events");
    },
  },
  "COMMIT-4": {
    title: "makes all events of a commit visible together",
    because: "G3: no reader sees a checkpoint without the event that tells of it.",
    check: (scene) => readWhileCommitted(scene, scene.store),
  },
  "COMMIT-5": {
    title: "removes the signals that it consumes and returns those that are left",
    because: "The commit is how a runner learns what is wanted of it.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.store.signal(record.id, { kind: "pause" });
      await scene.store.signal(record.id, { kind: "detach" });
      const [pause, detach] = (await scene.read(record.id)).signals;
      expectThat(pause !== undefined && detach !== undefined, "both signals are pending");
      const shown = await scene.commit(held, [checkpoint(1)]);
      expectEqual(shown.signals, [pause, detach], "the signals that a commit shows");
      const events = [{ type: "desiredState", desiredState: "pause" } as const];
      const left = await scene.commit(held, events, { consume: [pause.id] });
      expectEqual(left.signals, [detach], "the signals that are left");
      expectEqual((await scene.read(record.id)).signals, [detach], "the signals of the task");
    },
  },
  "COMMIT-6": {
    title: "consumes signals without an event",
    because: "Some requests are already fulfilled.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.store.signal(record.id, { kind: "resume" });
      const consume = await scene.pendingIds(record.id);
      expectEqual(await scene.commit(held, [], { consume }), { record, signals: [] }, "the result");
      expectEqual((await scene.read(record.id)).signals, [], "the signals of the task");
    },
  },
  "COMMIT-7": {
    title: "keeps a record that is the fold of the journal",
    because: "There is one truth; the record only saves reading it.",
    async check(scene) {
      const { record } = await scene.create();
      for (const events of everyKind) {
        await scene.write(record.id, events);
        const fold = foldJournal(await readJournal(scene.store, record.id));
        expectEqual((await scene.read(record.id)).record, fold, `the record after ${events.at(-1)?.type}`);
      }
    },
  },
  "COMMIT-8": {
    title: "makes all events of a commit visible together to another process",
    because: "G3: the process that follows a task seldom runs it.",
    needs: "second",
    check: async (scene) => readWhileCommitted(scene, await scene.another("second")),
  },
  "COMMIT-9": {
    title: "returns the record that the commit leads to",
    because: "The writer continues from it, so it must be what every reader sees.",
    async check(scene) {
      const { record, held } = await scene.held();
      for (const events of everyKind) {
        scene.clock.advance(1_000);
        const result = await scene.commit(held, events);
        const expected = { record: (await scene.read(record.id)).record, signals: [] };
        expectEqual(result, expected, `the result of the commit that ends with ${events.at(-1)?.type}`);
      }
    },
  },
});
