import { createMemoryStore, type Json } from "@resumable-mcp/core";
import { afterEach, describe, expect, test, vi } from "vitest";
import type * as Cipher from "../src/keys/cipher.js";
import type * as KeyringModule from "../src/keys/keyring.js";
import { checkpoint, create, newKey, newTask, write } from "./scene.js";

const cipherPath = "../src/keys/cipher.js";
const keyringPath = "../src/keys/keyring.js";
const cipher = await vi.importActual<typeof Cipher>(cipherPath);
const keyring = await vi.importActual<typeof KeyringModule>(keyringPath);

/** The package with a part of it replaced. */
async function load(path = cipherPath, parts: Partial<typeof Cipher & typeof KeyringModule> = {}) {
  vi.resetModules();
  vi.doMock(path, () => ({ ...(path === cipherPath ? cipher : keyring), ...parts }));
  return import("../src/index.js");
}

type Package = Awaited<ReturnType<typeof load>>;

afterEach(() => {
  for (const path of [cipherPath, keyringPath]) vi.doUnmock(path);
});

/** A task that has the same value as its state and as its output. */
async function sameTwice({ createKeyring, withEncryption }: Package, id = "1") {
  const memory = createMemoryStore();
  const keys = createKeyring({ seal: newKey() });
  const store = withEncryption(memory, keys);
  const { record } = await create(store, newTask(id));
  await write(store, record.id, [checkpoint("same"), { type: "completed", output: "same" }]);
  const sealed = await memory.getTask(record.id);
  if (sealed === undefined) throw new Error("The task is there.");
  return { memory, keys, store, sealed };
}

const bytesOf = (sealed: Json | undefined) => Buffer.from(String(sealed).split(".")[4] ?? "", "base64url");
const nonceOf = (sealed: Json | undefined) => bytesOf(sealed).subarray(0, 12);

const seals = cipher.sealBytes;
const opens = cipher.openBytes;

/** What a mutant breaks, and what is seen of it. */
const mutants = {
  "uses a nonce twice": {
    path: cipherPath,
    parts: { sealBytes: (key, place, plain) => seals(key, place, plain, Buffer.alloc(12)) },
    async check(whole) {
      const { sealed } = await sameTwice(whole);
      expect(nonceOf(sealed.record.state)).not.toEqual(nonceOf(sealed.record.output));
    },
  },
  "binds nothing to its place": {
    path: cipherPath,
    parts: {
      sealBytes: (key, _place, plain, nonce) => seals(key, "", plain, nonce),
      openBytes: (key, _place, sealed) => opens(key, "", sealed),
    },
    async check(whole) {
      const { memory, keys, sealed } = await sameTwice(whole);
      const { output } = sealed.record;
      // The index and the event are the same: only the field is another.
      const record = { ...sealed.record, state: output };
      const store = whole.withEncryption({ ...memory, getTask: async () => ({ ...sealed, record }) }, keys);
      await expect(store.getTask(record.id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
    },
  },
  "uses the same key for all tasks": {
    path: cipherPath,
    parts: { deriveKey: (key) => cipher.deriveKey(key, "") },
    async check(whole) {
      const { StoreKeys } = await import("../src/keys/store-keys.js");
      const keys = new StoreKeys(createMemoryStore(), whole.createKeyring({ seal: newKey() }));
      await keys.load();
      expect(keys.forValues(keys.sealing, "one")).not.toEqual(keys.forValues(keys.sealing, "two"));
    },
  },
  "does not look at the id of a key": {
    path: keyringPath,
    parts: {
      createKeyring: (keys) => {
        const ring = keyring.createKeyring(keys);
        return Object.assign(ring, { require: () => keyring.Keyring.prototype.require.call(ring, ring.sealing) });
      },
    },
    async check(whole) {
      const { memory } = await sameTwice(whole);
      const wrong = whole.withEncryption(memory, whole.createKeyring({ seal: newKey() }));
      await expect(wrong.open()).rejects.toMatchObject({ code: "KEY_MISSING" });
    },
  },
  "seals with a tag that it does not check": {
    path: cipherPath,
    parts: { openBytes: (key, place, sealed) => opens(key, place, sealed) ?? Buffer.from('"anything"') },
    async check(whole) {
      const { memory, keys, sealed } = await sameTwice(whole);
      const record = { ...sealed.record, state: `${String(sealed.record.state).slice(0, -4)}AAAA` };
      const store = whole.withEncryption({ ...memory, getTask: async () => ({ ...sealed, record }) }, keys);
      await expect(store.getTask(record.id)).rejects.toMatchObject({ code: "TASK_CORRUPT" });
    },
  },
  "gives names another nonce each time": {
    path: cipherPath,
    parts: {
      sealAlike: (key, place, text) => seals(key.subarray(32), place, text),
      openAlike: (key, place, sealed) => opens(key.subarray(32), place, sealed)?.toString(),
    },
    async check(whole) {
      const { memory, keys } = await sameTwice(whole);
      const other = whole.withEncryption(memory.anotherProcess(), keys);
      expect((await other.listTasks({ owner: newTask("1").owner, limit: 9 })).tasks.length).toBe(1);
    },
  },
} satisfies Record<string, { path: string; parts: Partial<typeof Cipher & typeof KeyringModule>; check: Check }>;

type Check = (whole: Package) => Promise<void>;

describe.each(Object.entries(mutants))("a store that %s", (_name, { path, parts, check }) => {
  test("is found", async () => {
    await expect(check(await load(path, parts))).rejects.toThrow();
  });

  test("is not this one", async () => {
    await check(await load());
  });
});
