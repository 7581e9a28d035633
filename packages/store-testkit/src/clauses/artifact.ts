import type { Store } from "@resumable-mcp/core";
import type { Lease } from "@resumable-mcp/core/store";
import { expectCode, expectEqual } from "../expect.js";
import { defineClauses, type Scene } from "../scene.js";

/** Every byte there is, so that no store takes them for text. */
const bytes = Uint8Array.from({ length: 1_024 }, (_, index) => index % 256);

interface PutOptions {
  readonly index?: number;
  readonly keep?: readonly string[];
  readonly chunk?: Uint8Array;
  readonly store?: Store;
}

async function put(scene: Scene, lease: Lease, artifact: string, options: PutOptions = {}): Promise<void> {
  const { index = 0, keep = [], chunk = bytes, store = scene.store } = options;
  await store.putChunk({ lease, artifact, index, bytes: chunk, keep });
}

/** The chunks of an artifact, as lists of numbers. */
async function chunksOf(store: Store, id: string, artifact: string): Promise<readonly (readonly number[])[]> {
  const chunks: (readonly number[])[] = [];
  for (;;) {
    const chunk = await store.readChunk(id, artifact, chunks.length);
    if (chunk === undefined) return chunks;
    chunks.push([...chunk]);
  }
}

/** What stores keep of the files that tasks make. */
export const artifactClauses = defineClauses({
  "ARTIFACT-1": {
    title: "gives the chunks of an artifact byte for byte, and undefined for those that it does not have",
    because: "A file that differs in one byte is another file.",
    async check(scene) {
      const { record, held } = await scene.held();
      const given = bytes.slice();
      await put(scene, held, "1-1", { chunk: given });
      await put(scene, held, "1-1", { index: 1 });
      await put(scene, held, "1-1", { index: 2, chunk: bytes.slice(0, 3) });
      await put(scene, held, "1-2", { keep: ["1-1"], chunk: bytes.slice(7, 9) });
      given.fill(0);
      (await scene.store.readChunk(record.id, "1-1", 0))?.fill(0);
      expectEqual(await chunksOf(scene.store, record.id, "1-1"), [[...bytes], [...bytes], [0, 1, 2]], "the chunks");
      expectEqual(await chunksOf(scene.store, record.id, "1-2"), [[7, 8]], "the chunks of another artifact");
      expectEqual(await scene.store.readChunk(record.id, "9-9", 0), undefined, "an artifact that is not there");
      expectEqual((await scene.read(record.id)).record, record, "the task, which no event changed");
    },
  },
  "ARTIFACT-2": {
    title: "refuses the chunk of an older epoch, and of a lease that was given back, and changes nothing",
    because: "G4: what a worker that lost its lease writes must not take the place of what counts.",
    async check(scene) {
      const { record, held } = await scene.held();
      await scene.store.releaseLease(held);
      await expectCode(put(scene, held, "1-1"), ["LEASE_LOST"], "a chunk after the lease was given back");
      const next = await scene.lease(record.id, { worker: "worker-b" });
      await put(scene, next, "2-1");
      await expectCode(put(scene, held, "1-1"), ["LEASE_LOST"], "a chunk of an older epoch");
      expectEqual(await chunksOf(scene.store, record.id, "1-1"), [], "the refused artifact");
      expectEqual(await chunksOf(scene.store, record.id, "2-1"), [[...bytes]], "the artifact of the newer epoch");
    },
  },
  "ARTIFACT-3": {
    title: "removes with the first chunk of an artifact those that are not to be kept, and with no other chunk",
    because: "What attempts left that died would take room until the task is deleted.",
    async check(scene) {
      const { record, held } = await scene.held();
      await put(scene, held, "1-1");
      await put(scene, held, "1-2", { keep: ["1-1"] });
      await put(scene, held, "1-2", { index: 1 });
      const left = async () =>
        Promise.all(["1-1", "1-2", "1-3"].map(async (name) => (await chunksOf(scene.store, record.id, name)).length));
      expectEqual(await left(), [1, 2, 0], "the chunks before");
      await put(scene, held, "1-3", { keep: ["1-2"] });
      expectEqual(await left(), [0, 2, 1], "the chunks after");
    },
  },
  "ARTIFACT-4": {
    title: "keeps the artifacts of tasks apart, and across a change of lease and a restart",
    because: "Names of artifacts are unique within a task alone.",
    async check(scene) {
      const first = await scene.held();
      const second = await scene.held();
      await put(scene, first.held, "1-1", { chunk: bytes.slice(1, 2) });
      await put(scene, second.held, "1-1", { chunk: bytes.slice(2, 3) });
      await scene.store.releaseLease(first.held);
      await scene.write(first.record.id, [{ type: "restarted", generation: 2, fromState: true }]);
      expectEqual(await chunksOf(scene.store, first.record.id, "1-1"), [[1]], "the artifact of the first task");
      expectEqual(await chunksOf(scene.store, second.record.id, "1-1"), [[2]], "the artifact of the second task");
    },
  },
  "ARTIFACT-5": {
    title: "removes the artifacts of a deleted task",
    because: "What a person deletes exists nowhere any more.",
    async check(scene) {
      const { record, held } = await scene.held();
      await put(scene, held, "1-1");
      await scene.store.deleteTask(held);
      await expectCode(scene.store.readChunk(record.id, "1-1", 0), ["TASK_NOT_FOUND"], "a chunk of the deleted task");
      await scene.create({ id: record.id });
      expectEqual(await chunksOf(scene.store, record.id, "1-1"), [], "the artifact of another task of that id");
    },
  },
  "ARTIFACT-6": {
    title: "shows a chunk that has resolved to another process",
    because: "Any process may serve the file.",
    needs: "second",
    async check(scene) {
      const { record, held } = await scene.held();
      await put(scene, held, "1-1");
      const other = await scene.another("second");
      expectEqual(await chunksOf(other, record.id, "1-1"), [[...bytes]], "the chunks in another process");
    },
  },
  "ARTIFACT-7": {
    title: "keeps a chunk that has resolved when the process dies",
    because: "G1: an artifact whose event is durable is whole.",
    needs: "reopen",
    async check(scene) {
      const { record, held } = await scene.held();
      await put(scene, held, "1-1");
      await put(scene, held, "1-1", { index: 1 });
      const store = await scene.another("reopen");
      expectEqual(await chunksOf(store, record.id, "1-1"), [[...bytes], [...bytes]], "the chunks");
    },
  },
  "ARTIFACT-8": {
    title: "counts artifacts in maxStoreBytes",
    because: "Files fill a disk first.",
    needs: "limited",
    async check(scene) {
      const store = await scene.limited({ maxStoreBytes: 100_000 });
      const { record } = await scene.create({}, store);
      const held = await scene.lease(record.id, { store });
      await scene.create({}, store);
      const chunk = new Uint8Array(60_000);
      for (const index of [0, 1]) await put(scene, held, "1-1", { index, chunk, store });
      await expectCode(scene.create({}, store), ["QUOTA_EXCEEDED"], "a task in a store that artifacts fill");
    },
  },
});
