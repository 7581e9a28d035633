import { ResumableError, type Store, type TaskRecord } from "@resumable-mcp/core";
import type { TaskEvent } from "@resumable-mcp/core/store";
import { describe, expect, test } from "vitest";
import { withEncryption } from "../src/with-encryption.js";
import { checkpoint, create, encryptedMemory, newTask, now, write } from "./scene.js";

const corrupt = { code: "TASK_CORRUPT" };

/**
 * Two tasks of two owners, with the same contents, and a store that gives out other values than it was given.
 *
 * @param isSame to the process that sealed them, which may have kept what it sealed and opened.
 */
async function twoTasks(isSame = false) {
  const { memory, keyring } = encryptedMemory();
  const inner = { ...memory };
  const store = withEncryption(inner, keyring);
  const ids: string[] = [];
  for (const [id, owner] of [
    ["1", "sub:alice"],
    ["2", "sub:bob"],
  ] as const) {
    const { record } = await create(store, newTask(id, { owner, input: { same: 1 } }));
    await write(store, record.id, [
      checkpoint({ same: 1 }, [1, 2, 3]),
      checkpoint({ same: 1 }, [4]),
      { type: "step", key: "a", value: "one" },
      { type: "step", key: "b", value: "two" },
      { type: "completed", output: { same: 1 } },
    ]);
    ids.push(record.id);
  }
  const [mine = "", other = ""] = ids;
  const sealed = async (id: string): Promise<TaskRecord> => {
    const snapshot = await memory.getTask(id);
    if (snapshot === undefined) throw new Error("The task is there.");
    return snapshot.record;
  };
  /** What a store with other methods says. */
  const changed = (methods: Partial<Store>): Store => {
    if (!isSame) return withEncryption({ ...memory, ...methods }, keyring);
    Object.assign(inner, memory, methods);
    return store;
  };
  /** What is read of the first task when parts of it are others. */
  const readWith = async (parts: Partial<TaskRecord>) => {
    const record = { ...(await sealed(mine)), ...parts };
    return changed({ getTask: async () => ({ record, signals: [], leased: false }) }).getTask(mine);
  };
  return { memory, store, keyring, mine, other, sealed, changed, readWith };
}

describe.each([
  ["a process that began later", false],
  ["the process that sealed it", true],
])("in %s, a sealed value does not open", (_process, isSame) => {
  test("in another task", async () => {
    const { other, sealed, readWith } = await twoTasks(isSame);
    const { state, output, remembered, key } = await sealed(other);
    await expect(readWith({})).resolves.toBeDefined();
    await expect(readWith({ state })).rejects.toMatchObject(corrupt);
    await expect(readWith({ output })).rejects.toMatchObject(corrupt);
    await expect(readWith({ remembered })).rejects.toMatchObject(corrupt);
    await expect(readWith({ key })).rejects.toMatchObject(corrupt);
    await expect(readWith({ waitsFor: Object.keys(remembered) })).rejects.toMatchObject(corrupt);
  });

  test("and whose task it is can be read, whatever else is damaged (G10)", async () => {
    const { mine, other, sealed, changed, readWith } = await twoTasks(isSame);
    const owned = { code: "TASK_CORRUPT", details: { owner: "sub:alice" } };
    await expect(readWith({ state: (await sealed(other)).state })).rejects.toMatchObject(owned);
    const details = { taskId: mine, path: "quarantine", owner: (await sealed(mine)).owner };
    const getTask = () => Promise.reject(new ResumableError("TASK_CORRUPT", "The files are damaged.", { details }));
    await expect(changed({ getTask }).getTask(mine)).rejects.toMatchObject(owned);
  });

  test("in another field", async () => {
    const { mine, sealed, readWith } = await twoTasks(isSame);
    const { state, output, input, message } = await sealed(mine);
    await expect(readWith({ output: state })).rejects.toMatchObject(corrupt);
    await expect(readWith({ state: output })).rejects.toMatchObject(corrupt);
    await expect(readWith({ state: input })).rejects.toMatchObject(corrupt);
    await expect(readWith({ state: message })).rejects.toMatchObject(corrupt);
  });

  test("under the key of another step", async () => {
    const { mine, sealed, readWith } = await twoTasks(isSame);
    const [[a, one], [b, two]] = Object.entries((await sealed(mine)).remembered) as [
      [string, TaskRecord["remembered"][string]],
      [string, TaskRecord["remembered"][string]],
    ];
    expect((await readWith({ remembered: { [b]: two, [a]: one } }))?.record.remembered).toEqual({
      a: { kind: "step", value: "one" },
      b: { kind: "step", value: "two" },
    });
    await expect(readWith({ remembered: { [a]: two, [b]: one } })).rejects.toMatchObject(corrupt);
  });

  test("as an artifact of another name, task, place or length, or changed", async () => {
    const { memory, store, mine, other, sealed, changed, readWith } = await twoTasks(isSame);
    for (const id of [mine, other]) {
      const taken = await store.acquireLease({ taskId: id, worker: "worker-1", ttlMs: 10_000, now });
      if (taken === undefined) throw new Error("The lease is free.");
      const { lease } = taken;
      for (const [artifact, index] of [
        ["1-1", 0],
        ["1-1", 1],
        ["1-2", 0],
      ] as const)
        await store.putChunk({ lease, artifact, index, bytes: Buffer.from("secret"), keep: ["1-1"] });
      await store.releaseLease(lease);
      const facts = { type: "artifact", mimeType: "text/plain", bytes: 6 } as const;
      await write(store, id, [
        { type: "restarted", generation: 2, fromState: false },
        { ...facts, key: "a.txt", artifact: "1-1" },
        { ...facts, key: "b.txt", artifact: "1-2" },
      ]);
    }
    const read = async (change: (chunk: Uint8Array) => Promise<Uint8Array | undefined>) => {
      const readChunk: Store["readChunk"] = async (...place) => {
        const chunk = await memory.readChunk(...place);
        return chunk && change(chunk);
      };
      return changed({ readChunk }).readChunk(mine, "1-1", 0);
    };
    expect(String(await read(async (chunk) => chunk))).toBe("secret");
    expect(String(await memory.readChunk(mine, "1-1", 0))).not.toContain("secret");
    await expect(read(() => memory.readChunk(mine, "1-1", 1))).rejects.toMatchObject(corrupt);
    await expect(read(() => memory.readChunk(mine, "1-2", 0))).rejects.toMatchObject(corrupt);
    await expect(read(() => memory.readChunk(other, "1-1", 0))).rejects.toMatchObject(corrupt);
    await expect(read(async (chunk) => chunk.subarray(0, 20))).rejects.toMatchObject(corrupt);
    await expect(read(async (chunk) => chunk.map((byte, at) => (at === 40 ? byte ^ 1 : byte)))).rejects.toMatchObject(
      corrupt,
    );
    const { remembered } = await sealed(mine);
    const withFirst = (parts: object) => {
      const [[name = "", first] = [], ...rest] = Object.entries(remembered);
      return readWith({ remembered: Object.fromEntries([[name, Object.assign({}, first, parts)], ...rest]) });
    };
    await expect(withFirst({})).resolves.toBeDefined();
    await expect(withFirst({ artifact: "1-2" })).rejects.toMatchObject(corrupt);
    await expect(withFirst({ bytes: 5 })).rejects.toMatchObject(corrupt);
  });

  test("for another owner, or as the input of another tool", async () => {
    const { other, sealed, readWith } = await twoTasks(isSame);
    const { owner } = await sealed(other);
    await expect(readWith({ owner, key: null })).rejects.toMatchObject(corrupt);
    await expect(readWith({ tool: "other" })).rejects.toMatchObject(corrupt);
  });

  test("when it comes from an event that the record does not have", async () => {
    const { readWith } = await twoTasks(isSame);
    await expect(readWith({ lastSeq: 1 })).rejects.toMatchObject(corrupt);
  });

  test("in place of a whole other task", async () => {
    const { memory, mine, other, changed, readWith } = await twoTasks(isSame);
    const store = changed({ getTask: () => memory.getTask(other) });
    await expect(store.getTask(mine)).rejects.toMatchObject(corrupt);
    await expect(readWith({ id: other })).rejects.toMatchObject(corrupt);
  });

  test("of another task, as the snapshot of a compacted journal, in a lease, in a commit, or for another call", async () => {
    const { memory, mine, other, sealed, changed } = await twoTasks(isSame);
    const [snapshot, record] = [await memory.getTask(other), await sealed(other)];
    if (snapshot === undefined) throw new Error("The task is there.");
    const events = { snapshot: record, events: [], lastSeq: record.lastSeq };
    const follower = changed({ readEvents: async () => events });
    await expect(follower.readEvents(mine, { afterSeq: 0, limit: 10 })).rejects.toMatchObject(corrupt);
    const lease = { taskId: mine, worker: "worker-2", epoch: 9 };
    const taker = changed({ acquireLease: async () => ({ lease, snapshot }), releaseLease: async () => {} });
    const request = { taskId: mine, worker: "worker-2", ttlMs: 10_000, now };
    await expect(taker.acquireLease(request)).rejects.toMatchObject(corrupt);
    const writer = changed({ commit: async () => ({ record, signals: [] }) });
    const commit = { lease, afterSeq: 6, events: [], consume: [], now };
    await expect(writer.commit(commit)).rejects.toMatchObject(corrupt);
    const finder = changed({ createTask: async () => ({ snapshot, created: false }) });
    await expect(create(finder, newTask("3", { owner: "sub:alice", key: "call 1" }))).rejects.toMatchObject(corrupt);
    expect((await create(finder, newTask("3", { owner: "sub:bob", key: "call 2" }))).record.id).toBe(other);
  });

  test("for a call that joins no task", async () => {
    const { memory, store, changed } = await twoTasks(isSame);
    const { record } = await create(store, newTask("3", { owner: "sub:bob", key: null }));
    const snapshot = await memory.getTask(record.id);
    if (snapshot === undefined) throw new Error("The task is there.");
    const finder = changed({ createTask: async () => ({ snapshot, created: false }) });
    await expect(create(finder, newTask("4", { owner: "sub:bob", key: null }))).rejects.toMatchObject(corrupt);
    expect((await create(finder, newTask("3", { owner: "sub:bob", key: null }))).record.id).toBe(record.id);
  });

  test("where it was never sealed", async () => {
    const { readWith } = await twoTasks(isSame);
    await expect(readWith({ state: { same: 1 } })).rejects.toMatchObject(corrupt);
    await expect(readWith({ message: "halfway" })).rejects.toMatchObject(corrupt);
    await expect(readWith({ owner: "sub:alice" })).rejects.toMatchObject(corrupt);
    await expect(readWith({ key: "call 1" })).rejects.toMatchObject(corrupt);
    await expect(readWith({ session: "session" })).rejects.toMatchObject(corrupt);
    await expect(readWith({ waitsFor: ["a"] })).rejects.toMatchObject(corrupt);
  });

  test("as another event of its journal", async () => {
    const { memory, mine, changed } = await twoTasks(isSame);
    const page = await memory.readEvents(mine, { afterSeq: 0, limit: 10 });
    const [, first, second] = page.events as [TaskEvent, TaskEvent, TaskEvent];
    const swapped = { ...page, events: [{ ...second, seq: first.seq }] };
    const store = changed({ readEvents: async () => swapped });
    await expect(store.readEvents(mine, { afterSeq: 0, limit: 10 })).rejects.toMatchObject(corrupt);
    if (first.type !== "checkpoint") throw new Error("The event is there.");
    const events = [{ ...first, items: first.items?.toReversed() }];
    const turned = changed({ readEvents: async () => ({ ...page, events }) });
    await expect(turned.readEvents(mine, { afterSeq: 0, limit: 10 })).rejects.toMatchObject(corrupt);
  });

  test("as an answer that was taken, before it was", async () => {
    const { memory, store, changed } = await twoTasks(isSame);
    const { record } = await create(store, newTask("3"));
    const question = { message: "Go on?", schema: {} };
    const answer = { action: "accept", content: { go: true } } as const;
    await write(store, record.id, [{ type: "asked", key: "go", question }]);
    await store.signal(record.id, { kind: "answer", key: "go", answer });
    const given = await memory.getTask(record.id);
    const [signal] = given?.signals ?? [];
    const [[key, asked] = []] = Object.entries(given?.record.remembered ?? {});
    if (given === undefined || signal?.kind !== "answer" || key !== signal.key || asked?.kind !== "question")
      throw new Error("The question and its answer are there.");
    const remembered = { [key]: { kind: "answer", question: asked.question, answer: signal.answer } } as const;
    const moved = { ...given, record: { ...given.record, remembered } };
    expect((await store.getTask(record.id))?.signals).toMatchObject([{ key: "go", answer }]);
    await expect(changed({ getTask: async () => moved }).getTask(record.id)).rejects.toMatchObject(corrupt);
    await write(store, record.id, [{ type: "answered", key: "go", answer }]);
    const taken = (await memory.getTask(record.id))?.record.remembered[key];
    if (taken?.kind !== "answer") throw new Error("The answer is there.");
    const again = { ...given, signals: [{ ...signal, answer: taken.answer }] };
    await expect(changed({ getTask: async () => again }).getTask(record.id)).rejects.toMatchObject(corrupt);
  });

  test("as an item in another order, twice, or of another task", async () => {
    const { memory, store, mine, other, changed } = await twoTasks(isSame);
    const range = { after: 0, limit: 10 };
    const page = await memory.readItems(mine, range);
    const readItems = (items: typeof page.items) =>
      changed({ readItems: async () => ({ ...page, items }) }).readItems(mine, range);
    const [a = null, b = null, c = null, d = null] = page.items;
    expect((await store.readItems(mine, { after: 2, limit: 1 })).items).toEqual([3]);
    expect((await readItems([a, b, c, d])).items).toEqual([1, 2, 3, 4]);
    await expect(readItems([b, a, c, d])).rejects.toMatchObject(corrupt);
    await expect(readItems([a, a, b, c])).rejects.toMatchObject(corrupt);
    await expect(readItems([a, c, d])).rejects.toMatchObject(corrupt);
    await expect(readItems([d, a, b, c])).rejects.toMatchObject(corrupt);
    await expect(readItems((await memory.readItems(other, range)).items)).rejects.toMatchObject(corrupt);
  });

  test("as a document of another id or owner, or of an earlier version", async () => {
    const { memory, store, changed } = await twoTasks(isSame);
    const put = { kind: "session", owner: "sub:alice", value: { secret: 1 }, expectedVersion: 0, now };
    await store.putDocument({ ...put, id: "one" });
    await store.putDocument({ ...put, id: "two" });
    await store.putDocument({ ...put, id: "two", expectedVersion: 1, value: { secret: 2 } });
    const listed = await memory.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs + 1, limit: 9 });
    const [one, two] = await Promise.all(listed.map(({ kind, id }) => memory.getDocument(kind, id)));
    if (one === undefined || two === undefined) throw new Error("The documents are there.");
    const { owner: bob } = (await memory.listTasks({ limit: 1 })).tasks[0] ?? { owner: "" };
    const readWith = (parts: object) =>
      changed({
        getDocument: async (kind, id) => (kind === "session" ? { ...one, ...parts } : memory.getDocument(kind, id)),
      }).getDocument("session", "one");
    expect((await readWith({}))?.value).toEqual({ secret: 1 });
    for (const parts of [
      { kind: "event-stream" },
      { id: two.id },
      { owner: bob },
      { version: 0 },
      { value: two.value },
      { value: { secret: 1 } },
      two,
    ])
      await expect(readWith(parts)).rejects.toMatchObject({
        code: "DOCUMENT_UNREADABLE",
        details: { kind: "session" },
      });
  });

  test("under a data key that is not there", async () => {
    const { mine, sealed, readWith } = await twoTasks(isSame);
    const state = String((await sealed(mine)).state).replace(/^a\.[0-9a-f]{16}/, "a.0123456789abcdef");
    await expect(readWith({ state })).rejects.toMatchObject({
      ...corrupt,
      message: expect.stringMatching(
        /does not have the data key 0123456789abcdef .* Restore the document "store" of the kind seal/,
      ),
    });
  });

  test("with one bit changed", async () => {
    const { mine, sealed, readWith } = await twoTasks(isSame);
    const state = String((await sealed(mine)).state);
    const at = state.length - 5;
    const flipped = `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
    await expect(readWith({ state: flipped })).rejects.toMatchObject(corrupt);
  });

  test("under the number of another event, or of another position", async () => {
    const { memory, mine, sealed, changed, readWith } = await twoTasks(isSame);
    const state = String((await sealed(mine)).state);
    const older = state.replace(/^(a\.\w+)\.3\./, "$1.2.");
    expect(older).not.toBe(state);
    await expect(readWith({ state: older })).rejects.toMatchObject(corrupt);
    const page = await memory.readItems(mine, { after: 0, limit: 10 });
    const [a, b] = page.items.map(String);
    const turned = [b?.replace(".2.1.", ".2.0."), a?.replace(".2.0.", ".2.1.")].map(String);
    const store = changed({ readItems: async () => ({ ...page, items: turned }) });
    await expect(store.readItems(mine, { after: 0, limit: 10 })).rejects.toMatchObject(corrupt);
  });
});

test.each([
  ["that was never sealed", () => "not sealed", "or it was never sealed"],
  [
    "that names a data key that is not there",
    (message = "") => message.replace(/^a\.\w+/, "a.0123456789abcdef"),
    "the data key 0123456789abcdef",
  ],
])("a list shows a task with a message %s as damaged, says why, and shows all others", async (_name, spoil, why) => {
  const { memory, mine, other, changed } = await twoTasks();
  const page = await memory.listTasks({ limit: 10 });
  const tasks = page.tasks.map((task) => (task.id === mine ? { ...task, message: spoil(task.message) } : task));
  const shown = await changed({ listTasks: async () => ({ ...page, tasks }) }).listTasks({ limit: 10 });
  expect([shown.tasks.map(({ id }) => id), shown.damaged?.map(({ id, owner }) => [id, owner])]).toEqual([
    [other],
    [[mine, "sub:alice"]],
  ]);
  expect(shown.damaged?.[0]?.damage).toContain(why);
});

test("a list of documents has those whose values do not open, so that they can be removed, and none of another kind", async () => {
  const { memory, store, changed } = await twoTasks();
  const put = { kind: "session", owner: "sub:alice", value: 1, expectedVersion: 0, now };
  for (const id of ["one", "two"]) await store.putDocument({ ...put, id });
  const idle = { kind: "session", idleSinceMs: now.wallMs + 1, limit: 9 };
  const [one] = await memory.listIdleDocuments(idle);
  if (one === undefined) throw new Error("The documents are there.");
  await memory.putDocument({ ...put, id: one.id, owner: one.owner, value: "damaged", expectedVersion: one.version });
  const listed = await store.listIdleDocuments(idle);
  expect(listed.map(({ id, owner }) => [id, owner])).toEqual([
    ["one", "sub:alice"],
    ["two", "sub:alice"],
  ]);
  for (const { kind, id } of listed) await store.deleteDocument(kind, id);
  expect(await store.listIdleDocuments(idle)).toEqual([]);
  // As who can write the store moves a document.
  const moved = changed({
    listIdleDocuments: (request) =>
      request.kind === "ban" ? Promise.resolve([one]) : memory.listIdleDocuments(request),
  });
  expect(await moved.listIdleDocuments({ ...idle, kind: "ban" })).toEqual([]);
});

test("documents that were there before the store's keys hide no others from a list", async () => {
  const { memory, store } = encryptedMemory();
  const put = { kind: "session", owner: "sub:alice", value: 1, expectedVersion: 0, now };
  for (let index = 0; index < 20; index += 1) await memory.putDocument({ ...put, id: `before-${index}` });
  const later = { ...now, wallMs: now.wallMs + 1 };
  for (const id of ["one", "two", "three"]) await store.putDocument({ ...put, id, now: later });
  const listed = async (limit: number) =>
    (await store.listIdleDocuments({ kind: "session", idleSinceMs: now.wallMs + 9, limit })).map(({ id }) => id).sort();
  expect([await listed(2), await listed(9)]).toEqual([
    [expect.any(String), expect.any(String)],
    ["one", "three", "two"],
  ]);
});

test("names with halves of surrogates are kept apart, and come back as they were", async () => {
  const { store } = encryptedMemory();
  const [high, low] = ["half \ud800", "half \udc00"];
  const { record } = await create(store, newTask("1", { owner: `sub:${high}`, key: high }));
  const { record: second } = await create(store, newTask("2", { owner: `sub:${high}`, key: low }));
  expect([record.owner, record.key, second.key]).toEqual([`sub:${high}`, high, low]);
  const steps = await write(store, record.id, [
    { type: "step", key: high, value: 1 },
    { type: "step", key: low, value: 2 },
  ]);
  expect(Object.entries(steps.remembered).map(([key, entry]) => [key, "value" in entry && entry.value])).toEqual([
    [high, 1],
    [low, 2],
  ]);
});
