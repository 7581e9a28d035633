import type { Store } from "@resumable-mcp/core";
import type { Clause } from "../clause.js";
import { expectCode, expectEqual, settle } from "../expect.js";
import type { Scene } from "../scene.js";

const concurrentPuts = 20;

function put(
  scene: Scene,
  id: string,
  expectedVersion: number,
  value = "value",
  store = scene.store,
): ReturnType<Store["putSession"]> {
  return store.putSession({ id, owner: "client:kit", value, expectedVersion, now: scene.clock.now() });
}

/** Changes one session many times at once, and counts those that say that it was done. */
async function winners(scene: Scene, stores: readonly Store[], version: number): Promise<number> {
  const puts = Array.from({ length: concurrentPuts }, (_, index) =>
    settle(put(scene, "a", version, `value ${index}`, stores[index % stores.length])),
  );
  return (await Promise.all(puts)).filter((outcome) => outcome === "ok").length;
}

/** Connections of the 2025 era. */
export const sessionClauses: readonly Clause[] = [
  {
    id: "SESSION-1",
    level: "MUST",
    title: "keeps what was put last, and counts its versions",
    because: "The version is what the next change is based on.",
    async check(scene) {
      expectEqual(await scene.store.getSession("a"), undefined, "before the first put");
      await put(scene, "a", 0, "one");
      scene.clock.advance(5);
      const updatedAt = new Date(scene.clock.now().wallMs).toISOString();
      const expected = { id: "a", owner: "client:kit", value: "two", version: 2, updatedAt };
      expectEqual(await put(scene, "a", 1, "two"), expected, "what the put returns");
      expectEqual(await scene.store.getSession("a"), expected, "what is read");
    },
  },
  {
    id: "SESSION-2",
    level: "MUST",
    title: "refuses a change that is based on another version, and changes nothing",
    because: "Two processes that serve one session would undo each other's work.",
    async check(scene) {
      await expectCode(put(scene, "a", 1), ["SESSION_CONFLICT"], "version 1 of a new session");
      const before = await put(scene, "a", 0);
      for (const version of [0, 2]) {
        await expectCode(put(scene, "a", version, "other"), ["SESSION_CONFLICT"], `version ${version}`);
      }
      expectEqual(await scene.store.getSession("a"), before, "the session");
    },
  },
  {
    id: "SESSION-3",
    level: "MUST",
    title: `lets one of ${concurrentPuts} concurrent changes of a version win`,
    because: "Compare and set are one step.",
    async check(scene) {
      for (const version of [0, 1]) {
        expectEqual(await winners(scene, [scene.store], version), 1, `winners at version ${version}`);
      }
    },
  },
  {
    id: "SESSION-4",
    level: "MUST",
    title: "deletes a session, also twice, and begins anew after that",
    because: "Clients end sessions, and repeat it when the answer is lost.",
    async check(scene) {
      await put(scene, "a", 0);
      await put(scene, "a", 1);
      await scene.store.deleteSession("a");
      await scene.store.deleteSession("a");
      expectEqual(await scene.store.getSession("a"), undefined, "the session");
      const idleSinceMs = scene.clock.now().wallMs + 1;
      expectEqual(await scene.store.listIdleSessions({ idleSinceMs, limit: 10 }), [], "idle sessions");
      expectEqual((await put(scene, "a", 0)).version, 1, "its version after a new put");
    },
  },
  {
    id: "SESSION-5",
    level: "MUST",
    title: "lists sessions that were last put before a time, oldest first, as far as the limit",
    because: "Idle sessions are removed; busy ones are not.",
    async check(scene) {
      for (const id of ["b", "a", "c", "d"]) {
        await put(scene, id, 0);
        scene.clock.advance(1_000);
      }
      await put(scene, "b", 1);
      const idleSinceMs = scene.clock.now().wallMs - 1_000;
      const idle = async (limit: number) =>
        (await scene.store.listIdleSessions({ idleSinceMs, limit })).map(({ id }) => id);
      expectEqual(await idle(10), ["a", "c"], "idle sessions");
      expectEqual(await idle(1), ["a"], "the first of them");
    },
  },
  {
    id: "SESSION-6",
    level: "MUST",
    title: "keeps sessions of any id apart",
    because: "The id comes from a header of the request.",
    async check(scene) {
      const ids = ["a", "A", "../a", "a/b", "a\\b", "__proto__", "a.json", "a%2Fb", "ä", " "];
      for (const id of ids) await put(scene, id, 0, id);
      const values = await Promise.all(ids.map(async (id) => (await scene.store.getSession(id))?.value ?? null));
      expectEqual(values, ids, "values");
    },
  },
  {
    id: "SESSION-7",
    level: "MUST",
    title: `lets one of ${concurrentPuts} concurrent changes of a version in two processes win`,
    because: "Requests of one session come to whichever process listens.",
    needs: "second",
    async check(scene) {
      const stores = [scene.store, await scene.another("second")];
      for (const version of [0, 1])
        expectEqual(await winners(scene, stores, version), 1, `winners at version ${version}`);
      for (const store of stores) expectEqual((await store.getSession("a"))?.version, 2, "the version");
    },
  },
];
