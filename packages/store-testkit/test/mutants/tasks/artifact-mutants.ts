import { isResumableError, type Store } from "@resumable-mcp/core";
import type { Mutant } from "../mutant.js";

type Put = Parameters<Store["putChunk"]>[0];

/** Keeps chunks in its own way, by the name that it gives them. */
function ownChunks(store: Store, nameOf: (id: string, artifact: string, index: number) => string): Partial<Store> {
  const kept = new Map<string, Uint8Array>();
  return {
    async putChunk(request) {
      await store.putChunk(request);
      const { lease, artifact, index, bytes } = request;
      kept.set(nameOf(lease.taskId, artifact, index), bytes.slice());
    },
    async readChunk(id, artifact, index) {
      const chunk = await store.readChunk(id, artifact, index);
      return chunk && (kept.get(nameOf(id, artifact, index)) ?? chunk);
    },
  };
}

/** Does something else with a chunk. */
function putting(store: Store, put: (request: Put) => Promise<void>): Partial<Store> {
  return { putChunk: put, readChunk: store.readChunk };
}

/** Stores that are wrong about artifacts. */
export const artifactMutants: readonly Mutant[] = [
  {
    name: "takes the bytes of a chunk for text",
    killedBy: "ARTIFACT-1",
    mutate: (store) =>
      putting(store, ({ bytes, ...request }) =>
        store.putChunk({ ...request, bytes: new TextEncoder().encode(new TextDecoder().decode(bytes)) }),
      ),
  },
  {
    name: "gives each artifact of a task the chunks of the newest",
    killedBy: "ARTIFACT-1",
    mutate: (store) => ownChunks(store, (id, _artifact, index) => `${id} ${index}`),
  },
  {
    name: "says that it kept a chunk which it refused",
    killedBy: "ARTIFACT-2",
    mutate: (store) =>
      putting(store, (request) =>
        store.putChunk(request).catch((error: unknown) => {
          if (!isResumableError(error, "LEASE_LOST")) throw error;
        }),
      ),
  },
  {
    name: "removes no artifact but with its task",
    killedBy: "ARTIFACT-3",
    mutate(store) {
      const all = new Set<string>();
      return putting(store, async (request) => {
        await store.putChunk({ ...request, keep: [...all] });
        all.add(request.artifact);
      });
    },
  },
  {
    name: "keeps only the artifact that is being written",
    killedBy: "ARTIFACT-1",
    mutate: (store) => putting(store, (request) => store.putChunk({ ...request, keep: [] })),
  },
  {
    name: "takes artifacts of one name for one, whichever tasks they are of",
    killedBy: "ARTIFACT-4",
    mutate: (store) => ownChunks(store, (_id, artifact, index) => `${artifact} ${index}`),
  },
  {
    name: "gives the artifacts of a task that was deleted",
    killedBy: "ARTIFACT-5",
    mutate(store) {
      const kept = new Map<string, Uint8Array>();
      const nameOf = (id: string, artifact: string, index: number) => `${id} ${artifact} ${index}`;
      return {
        async putChunk(request) {
          await store.putChunk(request);
          kept.set(nameOf(request.lease.taskId, request.artifact, request.index), request.bytes.slice());
        },
        readChunk: async (id, artifact, index) =>
          (await store.readChunk(id, artifact, index).catch(() => undefined)) ?? kept.get(nameOf(id, artifact, index)),
      };
    },
  },
  {
    name: "shows chunks only in the process that wrote them",
    killedBy: "ARTIFACT-6",
    mutate(store) {
      const own = new Set<string>();
      return {
        async putChunk(request) {
          await store.putChunk(request);
          own.add(request.artifact);
        },
        readChunk: async (id, artifact, index) =>
          own.has(artifact) ? store.readChunk(id, artifact, index) : undefined,
      };
    },
  },
  {
    name: "keeps only the first chunk when its process dies",
    killedBy: "ARTIFACT-7",
    mutate(store) {
      const later = new Map<string, Uint8Array>();
      const nameOf = (id: string, artifact: string, index: number) => `${id} ${artifact} ${index}`;
      return {
        async putChunk(request) {
          const { lease, artifact, index, bytes } = request;
          if (index === 0) await store.putChunk(request);
          else later.set(nameOf(lease.taskId, artifact, index), bytes.slice());
        },
        readChunk: async (id, artifact, index) =>
          later.get(nameOf(id, artifact, index)) ?? store.readChunk(id, artifact, index),
      };
    },
  },
  {
    name: "counts no artifacts",
    killedBy: "ARTIFACT-8",
    mutate: (store) => putting(store, (request) => store.putChunk({ ...request, bytes: request.bytes.subarray(0, 8) })),
  },
];
