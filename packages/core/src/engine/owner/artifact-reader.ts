import { ResumableError } from "../../errors.js";
import { fixedLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import { damagedArtifact } from "../../store/store-errors.js";
import { artifactsOf, type TaskRecord } from "../../task/task-record.js";
import type { OwnedArtifact } from "../owned-artifact.js";

/** @throws {@link ResumableError} `UNKNOWN_ARTIFACT`. */
export function findArtifact(store: Store, record: TaskRecord, name: string): OwnedArtifact {
  const found = artifactsOf(record).find((one) => one.name === name);
  if (found === undefined) throw unknownArtifact(record.id, name);
  const { artifact, mimeType, bytes } = found;
  const size = fixedLimits.artifactChunkBytes;
  return {
    ...{ id: artifact, name, mimeType, bytes },
    async *read(from = 0, to = bytes) {
      const end = Math.min(to, bytes);
      for (let at = Math.max(from, 0); at < end; ) {
        const index = Math.floor(at / size);
        const first = index * size;
        const chunk = await store.readChunk(record.id, artifact, index);
        // The task was deleted meanwhile, or restarted from nothing.
        if (chunk === undefined) throw unknownArtifact(record.id, name);
        if (chunk.byteLength !== Math.min(size, bytes - first)) throw damagedArtifact(record.id, name);
        yield chunk.subarray(at - first, end - first);
        at = first + size;
      }
    },
  };
}

function unknownArtifact(taskId: string, name: string): ResumableError {
  return new ResumableError(
    "UNKNOWN_ARTIFACT",
    `Task ${taskId} has no artifact ${JSON.stringify(name)}. Read the task: it lists its artifacts.`,
    { details: { taskId, name } },
  );
}
