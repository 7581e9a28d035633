import { createMemoryStore, type Store } from "@resumable-mcp/core";
import { sealDocuments } from "@resumable-mcp/core/internal";
import { describe, expect, test } from "vitest";
import { createKeyring } from "../src/keys/keyring.js";
import { resealKeys } from "../src/keys/store-keys.js";
import { withEncryption } from "../src/with-encryption.js";
import { checkpoint, create, encryptedMemory, newKey, newKeyring, newTask, now, write } from "./scene.js";

const [first, second] = [newKey(), newKey()];
const before = createKeyring({ seal: first });
/** As the first server of a rollout has it, and as the last. */
const [opensSecond, sealsSecond] = [
  createKeyring({ seal: first, open: [second] }),
  createKeyring({ seal: second, open: [first] }),
];
const after = createKeyring({ seal: second });

async function stateOf(store: Store, id: string) {
  return (await store.getTask(id))?.record.state;
}

describe("a rotation", () => {
  test("lets the same call join its task, and its worker continue", async () => {
    const { memory, store } = encryptedMemory(before);
    const { record } = await create(store, newTask("1"));
    await write(store, record.id, [checkpoint({ row: 1 })]);
    const rotated = withEncryption(memory.anotherProcess(), sealsSecond);
    const joined = await create(rotated, newTask("2", { key: "call 1" }));
    expect([joined.created, joined.record.id, joined.record.state]).toEqual([false, record.id, { row: 1 }]);
    await write(rotated, record.id, [checkpoint({ row: 2 })]);
    expect(await stateOf(rotated, record.id)).toEqual({ row: 2 });
  });

  test("lets a process that began with the old key read what one with the new key writes", async () => {
    const { memory, store } = encryptedMemory(opensSecond);
    const { record } = await create(store, newTask("1"));
    const rotated = withEncryption(memory.anotherProcess(), sealsSecond);
    await write(rotated, record.id, [checkpoint({ row: 1 })]);
    const other = await create(rotated, newTask("2"));
    expect([await stateOf(store, record.id), (await create(store, newTask("3", { key: "call 2" }))).record.id]).toEqual(
      [{ row: 1 }, other.record.id],
    );
    await write(store, record.id, [checkpoint({ row: 2 })]);
    expect(await stateOf(rotated, record.id)).toEqual({ row: 2 });
    expect((await rotated.listTasks({ owner: "sub:alice@example.com", limit: 10 })).tasks.length).toBe(2);
  });

  test("is over when the store's keys were sealed again: the old key is needed no more", async () => {
    const { memory, store } = encryptedMemory(before);
    const { record } = await create(store, newTask("1"));
    await write(store, record.id, [checkpoint({ row: 1 }, ["a", "b"])]);
    const waiting = withEncryption(memory.anotherProcess(), after);
    await expect(waiting.open()).rejects.toMatchObject({ code: "KEY_MISSING", details: { keyId: before.sealing } });
    expect(await resealKeys(memory, sealsSecond)).toEqual({ resealed: 2, present: 0 });
    expect(await resealKeys(memory, sealsSecond)).toEqual({ resealed: 0, present: 2 });
    // What failed before is repeated: the same store opens now.
    await waiting.open();
    expect([await stateOf(waiting, record.id), await waiting.readItems(record.id, { after: 0, limit: 9 })]).toEqual([
      { row: 1 },
      { items: ["a", "b"], next: 2, total: 2 },
    ]);
    // A process that runs has the keys.
    await write(store, record.id, [checkpoint({ row: 2 })]);
    expect(await stateOf(waiting, record.id)).toEqual({ row: 2 });
  });

  test("that was interrupted is repeated", async () => {
    const { memory, store } = encryptedMemory(before);
    await create(store, newTask("1"));
    const dying = (putDocument: Store["putDocument"]) =>
      resealKeys({ getDocument: memory.getDocument, countTasks: memory.countTasks, putDocument }, sealsSecond);
    await expect(dying(() => Promise.reject(new Error("The process dies.")))).rejects.toThrow("dies");
    await withEncryption(memory.anotherProcess(), before).open();
    const late = dying((request) => memory.putDocument(request).then(() => Promise.reject(new Error("It dies late."))));
    await expect(late).rejects.toThrow("dies");
    expect(await resealKeys(memory, sealsSecond)).toEqual({ resealed: 0, present: 2 });
    await withEncryption(memory.anotherProcess(), after).open();
  });

  test("seals the store's own keys under the new key with the first process that seals under it", async () => {
    const { memory, store } = encryptedMemory(before);
    const { record } = await create(store, newTask("1"));
    await write(store, record.id, [checkpoint({ row: 1 })]);
    await withEncryption(memory.anotherProcess(), sealsSecond).open();
    expect(await resealKeys(memory, sealsSecond)).toEqual({ resealed: 0, present: 3 });
    expect(await stateOf(withEncryption(memory.anotherProcess(), after), record.id)).toEqual({ row: 1 });
    const old = withEncryption(memory.anotherProcess(), before);
    await expect(old.open()).rejects.toMatchObject({ code: "KEY_MISSING", details: { keyId: after.sealing } });
  });
});

describe("a store", () => {
  test("says which key is missing, and has lost nothing when it is back", async () => {
    const { memory, store, keyring } = encryptedMemory();
    const { record } = await create(store, newTask("1"));
    await write(store, record.id, [checkpoint({ row: 1 })]);
    const wrong = withEncryption(memory.anotherProcess(), newKeyring());
    const refusal = { code: "KEY_MISSING", details: { keyId: keyring.sealing } };
    await expect(wrong.open()).rejects.toMatchObject(refusal);
    await expect(wrong.getTask(record.id)).rejects.toMatchObject(refusal);
    await expect(create(wrong, newTask("2"))).rejects.toMatchObject(refusal);
    const lease = { taskId: record.id, worker: "worker-2", ttlMs: 10_000, now };
    await expect(wrong.acquireLease(lease)).rejects.toMatchObject(refusal);
    // What was refused holds no lease.
    expect(await write(store, record.id, [checkpoint({ row: 2 })])).toMatchObject({ state: { row: 2 } });
  });

  test("says which key of another process is missing, and continues when it is given", async () => {
    const { memory, store } = encryptedMemory(before);
    const { record } = await create(store, newTask("1"));
    const rotated = withEncryption(memory.anotherProcess(), sealsSecond);
    await write(rotated, record.id, [checkpoint({ row: 1 })]);
    await expect(store.getTask(record.id)).rejects.toMatchObject({
      code: "KEY_MISSING",
      details: { keyId: sealsSecond.sealing },
    });
    const restarted = withEncryption(memory.anotherProcess(), opensSecond);
    expect(await stateOf(restarted, record.id)).toEqual({ row: 1 });
  });

  test("that is not encrypted is refused, with its tasks as they were", async () => {
    const memory = createMemoryStore();
    const { record } = await create(memory, newTask("1"));
    const store = withEncryption(memory.anotherProcess(), newKeyring());
    await expect(store.open()).rejects.toMatchObject({ code: "STORE_NOT_ENCRYPTED", details: { tasks: 1 } });
    await expect(store.getTask(record.id)).rejects.toMatchObject({ code: "STORE_NOT_ENCRYPTED" });
    expect(await memory.getDocument(sealDocuments.kind, sealDocuments.first)).toBeUndefined();
  });

  test("that holds nothing and is not encrypted stays so when its keys are to be sealed again", async () => {
    const memory = createMemoryStore();
    await expect(resealKeys(memory, newKeyring())).rejects.toMatchObject({
      code: "STORE_NOT_ENCRYPTED",
      message: expect.stringContaining("A server that begins with the keyring"),
    });
    expect(await memory.getDocument(sealDocuments.kind, sealDocuments.first)).toBeUndefined();
  });

  test("is not taken for an empty one when the first of its keys was removed", async () => {
    const { memory, store, keyring } = encryptedMemory();
    await create(store, newTask("1"));
    await memory.deleteDocument(sealDocuments.kind, sealDocuments.first);
    const opened = withEncryption(memory.anotherProcess(), keyring).open();
    await expect(opened).rejects.toMatchObject({ code: "STORE_NOT_ENCRYPTED" });
  });

  test("whose keys are removed while a process has them gets no others of that process", async () => {
    const { memory, keyring } = encryptedMemory();
    let isSpoiled = false;
    const value = `a.0123456789abcdef.1.0.${"A".repeat(60)}`;
    const getDocument: Store["getDocument"] = async (kind, id) => {
      const document = await memory.getDocument(kind, id);
      return document && isSpoiled ? { ...document, value } : document;
    };
    const store = withEncryption({ ...memory, getDocument }, keyring);
    const put = { kind: "session", owner: "sub:alice", expectedVersion: 0, now };
    await store.putDocument({ ...put, id: "one", value: 1 });
    const { kind, first: id } = sealDocuments;
    const kept = await memory.getDocument(kind, id);
    await memory.deleteDocument(kind, id);
    isSpoiled = true;
    // What names a data key that is not there has the keys read again.
    await expect(store.getDocument("session", "one")).rejects.toMatchObject({ code: "DOCUMENT_UNREADABLE" });
    isSpoiled = false;
    await store.putDocument({ ...put, id: "two", value: 2 });
    expect(await memory.getDocument(kind, id)).toBeUndefined();
    await memory.putDocument({ ...put, kind, id, value: kept?.value ?? null });
    const later = withEncryption(memory.anotherProcess(), keyring);
    expect((await later.getDocument("session", "one"))?.value).toBe(1);
    expect((await later.getDocument("session", "two"))?.value).toBe(2);
  });

  test("seals what it was given, also where that is changed while the keys are loaded", async () => {
    const { store } = encryptedMemory();
    const input = { row: 1 };
    const made = create(store, newTask("1", { input }));
    input.row = 2;
    expect((await made).record.input).toEqual({ row: 1 });
  });

  test("that 20 processes open at once when it is empty has one set of keys", async () => {
    const keyring = newKeyring();
    const memory = createMemoryStore();
    const stores = Array.from({ length: 20 }, () => withEncryption(memory.anotherProcess(), keyring));
    await Promise.all(stores.map((store, index) => create(store, newTask(String(index), { key: "the same" }))));
    expect((await memory.countTasks({})).total).toBe(1);
  });

  test("whose keys were changed is refused, and nothing is written", async () => {
    const { memory, store, keyring } = encryptedMemory();
    await create(store, newTask("1"));
    const { kind, first: id } = sealDocuments;
    const document = await memory.getDocument(kind, id);
    const key = "A".repeat(80);
    const value = { ...(document?.value as object), key };
    await memory.putDocument({ kind, id, owner: "local:keys", value, expectedVersion: 1, now });
    const opened = withEncryption(memory.anotherProcess(), keyring).open();
    await expect(opened).rejects.toMatchObject({ code: "STORE_READ_FAILED" });
  });
});
