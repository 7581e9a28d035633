import type { Store } from "@resumable-mcp/core";
import { expectCode, expectEqual, findOutcome, pluck } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

const concurrentPuts = 20;
const kind = "kit";

function put(scene: Scene, id: string, expectedVersion: number, value = "value", store = scene.store) {
  return store.putDocument({ kind, id, owner: "client:kit", value, expectedVersion, now: scene.clock.now() });
}

/** Changes one version of a document many times at once, and counts those that say that it was done. */
async function winners(scene: Scene, stores: readonly Store[]): Promise<number> {
  const version = (await scene.store.getDocument(kind, "a"))?.version ?? 0;
  const puts = Array.from({ length: concurrentPuts }, (_, index) =>
    findOutcome(put(scene, "a", version, `value ${index}`, stores[index % stores.length])),
  );
  return (await Promise.all(puts)).filter((outcome) => outcome === "ok").length;
}

/** What servers keep in addition to tasks. */
export const documentClauses = defineClauses({
  "DOC-1": {
    title: "keeps what was put last, under a higher version each time",
    because: "The version is what the next change is based on.",
    async check(scene) {
      expectEqual(await scene.store.getDocument(kind, "a"), undefined, "before the first put");
      const first = await put(scene, "a", 0, "one");
      scene.clock.advance(5);
      const updatedAt = new Date(scene.clock.now().wallMs).toISOString();
      const second = await put(scene, "a", first.version, "two");
      const { version } = second;
      expectEqual(0 < first.version && first.version < version, true, "that the version is higher");
      expectEqual(Number.isSafeInteger(version), true, "that the version is a whole number");
      const expected = { kind, id: "a", owner: "client:kit", value: "two", version, updatedAt };
      expectEqual(second, expected, "what the put returns");
      expectEqual(await scene.store.getDocument(kind, "a"), expected, "what is read");
    },
  },
  "DOC-2": {
    title: "refuses a change that is based on another version, and changes nothing",
    because: "Two processes that serve one session would undo each other's work.",
    async check(scene) {
      await expectCode(put(scene, "a", 1), ["DOCUMENT_CONFLICT"], "version 1 of a new document");
      const before = await put(scene, "a", 0);
      for (const version of [0, before.version + 1]) {
        await expectCode(put(scene, "a", version, "other"), ["DOCUMENT_CONFLICT"], `version ${version}`);
      }
      expectEqual(await scene.store.getDocument(kind, "a"), before, "the document");
    },
  },
  "DOC-3": {
    title: `lets one of ${concurrentPuts} concurrent changes of a version win`,
    because: "Compare and set are one step.",
    async check(scene) {
      for (const round of ["first", "second"]) {
        expectEqual(await winners(scene, [scene.store]), 1, `winners of the ${round} version`);
      }
    },
  },
  "DOC-4": {
    title: "deletes a document, also twice, and takes a new one in its place",
    because: "Clients end sessions, and repeat it when the answer is lost.",
    async check(scene) {
      await put(scene, "a", (await put(scene, "a", 0)).version);
      await scene.store.deleteDocument(kind, "a");
      await scene.store.deleteDocument(kind, "a");
      expectEqual(await scene.store.getDocument(kind, "a"), undefined, "the document");
      const idleSinceMs = scene.clock.now().wallMs + 1;
      expectEqual(await scene.store.listIdleDocuments({ kind, idleSinceMs, limit: 10 }), [], "idle documents");
      expectEqual((await put(scene, "a", 0, "new")).value, "new", "what is put in its place");
    },
  },
  "DOC-5": {
    title: "lists documents that were last put before a time, oldest first, as far as the limit, without their values",
    because:
      "Idle sessions are removed; busy ones are not. A thousand of them are listed at once, and each may be large.",
    async check(scene) {
      const versions: number[] = [];
      for (const id of ["b", "a", "c", "d"]) {
        versions.push((await put(scene, id, 0)).version);
        scene.clock.advance(1_000);
      }
      await put(scene, "b", versions[0] ?? 0);
      const { value: _, ...first } = (await scene.store.getDocument(kind, "a")) ?? {};
      const idleSinceMs = scene.clock.now().wallMs - 1_000;
      const idle = (limit: number) => scene.store.listIdleDocuments({ kind, idleSinceMs, limit });
      expectEqual(pluck(await idle(10), "id"), ["a", "c"], "idle documents");
      expectEqual(await idle(1), [first], "the first of them");
    },
  },
  "DOC-6": {
    title: "keeps documents of any id apart",
    because: "The id comes from a header of the request.",
    async check(scene) {
      const ids = ["a", "A", "../a", "a/b", "a\\b", "__proto__", "a.json", "a%2Fb", "ä", " "];
      for (const id of ids) await put(scene, id, 0, id);
      const values = await Promise.all(ids.map(async (id) => (await scene.store.getDocument(kind, id))?.value ?? null));
      expectEqual(values, ids, "values");
    },
  },
  "DOC-7": {
    title: `lets one of ${concurrentPuts} concurrent changes of a version in two processes win`,
    because: "Requests of one session come to whichever process listens.",
    needs: "second",
    async check(scene) {
      const stores = [scene.store, await scene.another("second")];
      for (const round of ["first", "second"])
        expectEqual(await winners(scene, stores), 1, `winners of the ${round} version`);
      const [one, other] = await Promise.all(stores.map((store) => store.getDocument(kind, "a")));
      expectEqual(one, other, "the document in both processes");
    },
  },
  "DOC-8": {
    title: "keeps the kinds of documents apart",
    because: "Each kind has its own expiry: removing idle sessions must not remove a key.",
    async check(scene) {
      const kinds = ["kit", "kit-other"];
      const now = scene.clock.now();
      const idleSinceMs = now.wallMs + 1;
      for (const each of kinds) {
        const document = { kind: each, id: "a", owner: "client:kit", value: each, expectedVersion: 0, now };
        expectEqual((await scene.store.putDocument(document)).kind, each, "the kind of what was put");
      }
      for (const each of kinds) {
        expectEqual((await scene.store.getDocument(each, "a"))?.value, each, `the ${each}`);
        const listed = await scene.store.listIdleDocuments({ kind: each, idleSinceMs, limit: 10 });
        expectEqual(pluck(listed, "kind"), [each], `idle documents of kind ${each}`);
      }
      await scene.store.deleteDocument("kit", "a");
      expectEqual(await scene.store.getDocument("kit", "a"), undefined, "the deleted one");
      expectEqual((await scene.store.getDocument("kit-other", "a"))?.value, "kit-other", "the one of the other kind");
    },
  },
});
