import type { Json } from "@resumable-mcp/core";
import { checkpoint, completed } from "../event-samples.js";
import { expectEqual, pluck } from "../expect.js";
import { foldJournal, readAllItems, readJournal } from "../read-journal.js";
import { defineClauses, type Scene } from "../scene.js";

/** Writes a value wherever a task can hold one, and expects it back unchanged. */
async function survives(scene: Scene, value: Json): Promise<void> {
  const record = await scene.taskWith(
    [
      { type: "checkpoint", state: value, items: [value, value] },
      { type: "step", key: "step", value },
      { type: "log", level: "info", data: value },
      { type: "completed", output: value },
    ],
    { input: value },
  );
  expectEqual(record.input, value, "the input");
  expectEqual(record.state, value, "the state");
  expectEqual(record.output, value, "the output");
  expectEqual(record.remembered, { step: { kind: "step", value } }, "what a step left");
  expectEqual(await readAllItems(scene.store, record.id), [value, value], "the items");
  const log = (await readJournal(scene.store, record.id)).events.find((event) => event.type === "log");
  expectEqual(log?.data, value, "the log");
}

/** Changes a value that a store gave out, which it may refuse but must not take over. */
function spoil(value: object): void {
  Reflect.set(value, "spoiled", true);
  for (const inner of Object.values(value)) if (typeof inner === "object" && inner !== null) spoil(inner);
}

function nested(depth: number): Json {
  let value: Json = "core";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { inner: value };
  return value;
}

const strangeText = [
  "emoji 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁥󠁮󠁧󠁿, composed \u00e9, combined e\u0301 e\u0323\u0300, right to left שלום, 漢字",
  "halves of characters \ud83d \udc69, and the other way round \udc69\ud83d",
  'line\nfeed, return\r, tab\t, nul\u0000, escape\u001b, separators\u2028\u2029\u0085, mark\ufeff, quote" and \\',
  "",
];
const strangeKeys: Json = JSON.parse(
  '{"__proto__": {"polluted": true}, "constructor": 1, "toString": null, "": "empty", "a.b": 2, "1": 3, "hasOwnProperty": 4}',
);

/** Names that some file system, or some table, takes for one, or for no name at all. */
const strangeNames = [
  "../../up",
  ".",
  "..",
  "",
  " ",
  "a/b",
  "a\\b",
  "a_b",
  "a%2Fb",
  "nul\u0000",
  "new\nline",
  "__proto__",
  "CON",
  "con",
  "\u00e4",
  "a\u0308",
  "x".repeat(1_000),
  `${"x".repeat(999)}y`,
];

/** What happens to values. */
export const valueClauses = defineClauses({
  "VALUE-1": {
    title: "keeps what it was given when the giver changes it afterwards",
    because: "Tools go on working with the state that they yielded.",
    async check(scene) {
      const state = { lines: [1, 2] };
      const items = [{ row: 1 }];
      const task = scene.newTask({ input: { list: [1] } });
      await scene.store.createTask({ task, reuseResultMs: 0, now: scene.clock.now() });
      const session = { list: [1] };
      await scene.putSession("session-1", session);
      await scene.write(task.id, [{ type: "checkpoint", state, items }]);
      for (const given of [task, state, items, session]) spoil(given);
      const { record } = await scene.read(task.id);
      expectEqual([record.input, record.state], [{ list: [1] }, { lines: [1, 2] }], "input and state");
      expectEqual(await readAllItems(scene.store, task.id), [{ row: 1 }], "items");
      expectEqual((await scene.store.getDocument("session", "session-1"))?.value, { list: [1] }, "the session");
    },
  },
  "VALUE-2": {
    title: "keeps what it has when a receiver changes what it got",
    because: "A store that shares its memory with its callers is corrupted by them.",
    async check(scene) {
      const { id } = await scene.taskWith([checkpoint(1, [{ row: 1 }])]);
      await scene.store.signal(id, { kind: "pause" });
      const held = await scene.lease(id);
      spoil(await scene.commit(held, [checkpoint(2, [{ row: 2 }])]));
      await scene.store.releaseLease(held);
      expectEqual((await scene.read(id)).record, foldJournal(await readJournal(scene.store, id)), "the record");
      const now = scene.clock.now();
      spoil(await scene.putSession("session-1", { list: [1] }));
      const look = async () => ({
        snapshot: await scene.read(id),
        again: await scene.create({ id }),
        events: await scene.store.readEvents(id, { afterSeq: 0, limit: 10 }),
        items: await scene.store.readItems(id, { after: 0, limit: 10 }),
        list: await scene.store.listTasks({ limit: 10 }),
        counts: await scene.store.countTasks({}),
        runnable: await scene.store.listRunnable({ tools: ["count_words"], now, limit: 10 }),
        session: (await scene.store.getDocument("session", "session-1")) ?? null,
        idle: await scene.store.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs + 1, limit: 10 }),
      });
      const before = JSON.stringify(await look());
      spoil(await look());
      expectEqual(await look(), JSON.parse(before), "everything");
      expectEqual((await scene.store.getDocument("session", "session-1"))?.value, { list: [1] }, "the session");
    },
  },
  "VALUE-3": {
    title: "never changes what it gave out",
    because: "A follower compares the record that it has with the one that comes.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.commit(held, [checkpoint(1, [1])]);
      await scene.store.signal(record.id, { kind: "pause" });
      const given = {
        snapshot: await scene.read(record.id),
        events: await scene.store.readEvents(record.id, { afterSeq: 0, limit: 10 }),
        items: await scene.store.readItems(record.id, { after: 0, limit: 10 }),
        list: await scene.store.listTasks({ limit: 10 }),
        counts: await scene.store.countTasks({}),
      };
      const before = JSON.stringify(given);
      const consume = given.snapshot.signals.map(({ id }) => id);
      await scene.commit(held, [checkpoint(2, [2]), { type: "step", key: "k", value: 1 }, completed], { consume });
      expectEqual(given, JSON.parse(before), "what was given out before");
    },
  },
  "VALUE-4": {
    title: "keeps every text",
    because: "Tools read files in all languages, and malformed text.",
    check: (scene) => survives(scene, strangeText),
  },
  "VALUE-5": {
    title: 'keeps every key, also "__proto__"',
    because: "Data comes from outside; a prototype that it can reach is a hole.",
    async check(scene) {
      await survives(scene, strangeKeys);
      const keys = Object.keys(strangeKeys as object);
      const events = keys.map((key) => ({ type: "step", key, value: key }) as const);
      const { remembered } = await scene.taskWith(events);
      expectEqual(Object.keys(remembered).sort(), [...keys].sort(), "the keys of steps");
      expectEqual(Reflect.get({}, "polluted"), undefined, "the prototype of all objects");
    },
  },
  "VALUE-6": {
    title: "keeps numbers exactly",
    because: "A rounded cursor skips rows.",
    check: (scene) =>
      survives(scene, [0, -1, 0.1, 1e-7, 5e-324, 1.7976931348623157e308, Number.MAX_SAFE_INTEGER, true, false, null]),
  },
  "VALUE-7": {
    title: "keeps values that are nested 200 deep",
    because: "Parsed documents are.",
    check: (scene) => survives(scene, nested(200)),
  },
  "VALUE-8": {
    title: "keeps texts of a million characters",
    because: "The limits are the engine's, and a state may be that long.",
    check: (scene) => survives(scene, "ä…z\n".repeat(250_000)),
  },
  "VALUE-9": {
    title: "keeps owners, keys and tools of any text apart",
    because: "They come from outside: a path that they can form is a hole.",
    async check(scene) {
      for (const name of strangeNames) {
        const made = await scene.create({ owner: `client:${name}`, key: name, tool: name });
        expectEqual(made.created, true, `created for ${JSON.stringify(name.slice(0, 20))}`);
        const held = await scene.lease(made.record.id);
        await scene.commit(held, [checkpoint(1)]);
        const { tasks } = await scene.store.listTasks({ owner: `client:${name}`, tool: name, limit: 10 });
        expectEqual(pluck(tasks, "id"), [made.record.id], "the owner's tasks");
      }
      const { byTool } = await scene.store.countTasks({});
      expectEqual(Object.keys(byTool).sort(), [...strangeNames].sort(), "tools that are counted");
    },
  },
  "VALUE-10": {
    title: "keeps every field of a new task, also those that nothing uses yet",
    because: "A later version of the engine reads them from tasks that an earlier one made.",
    async check(scene) {
      const task = scene.newTask({
        session: "session-1",
        trace: { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: "kit=1" },
        label: "the book",
        parent: { id: "0123456789abcdef", key: "the book", depth: 1 },
        offeredVersions: ["1", "2"],
        ownerQuotas: { maxUnfinished: 7 },
      });
      const { record } = await scene.create(task);
      expectEqual({ ...record, ...task }, record, "the record of the new task");
      await scene.write(task.id, [checkpoint(1), completed]);
      const after = (await scene.read(task.id)).record;
      expectEqual({ ...after, ...task }, after, "the record of the finished task");
      const [created] = (await readJournal(scene.store, task.id)).events;
      expectEqual(created?.type === "created" ? created.task : undefined, task, "the first event");
    },
  },
});
