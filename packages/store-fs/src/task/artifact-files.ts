import { join } from "node:path";
import { crc32 } from "node:zlib";
import { ResumableError, type Store } from "@resumable-mcp/core";
import { storeErrors } from "@resumable-mcp/core/store";
import { fileName, isSafeId, taskFolder } from "../disk/layout.js";
import type { StoreContext } from "../disk/store-context.js";
import { appendTo, listIfExists, openIfExists, readRange, unlinkIfExists } from "../disk/whole-file.js";
import { taskExists } from "../journal/task-folder.js";
import type { LeaseBook } from "./lease-book.js";

const prefix = "artifact.";
/** In front of each chunk: its length and its CRC-32. */
const headBytes = 8;

interface Parts {
  readonly context: StoreContext;
  readonly book: Pick<LeaseBook, "writerOf">;
  readonly usage: { add(bytes: number): void };
}

/**
 * The artifacts of tasks: a file each, in the folder of its task. Chunks follow one another, and all but the last are equally
 * long, so that the place of each is known from the length of the first.
 */
export class ArtifactFiles {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async put({ lease, artifact, index, bytes, keep }: Parameters<Store["putChunk"]>[0]): Promise<void> {
    const { context, book, usage } = this.#parts;
    const { disk, durable, syncs } = context;
    const writer = book.writerOf(lease);
    const name = artifactName(artifact);
    const path = join(writer.folder, name);
    const kept = new Set([name, ...keep.map(artifactName)]);
    const names = index > 0 ? [] : (listIfExists(disk, writer.folder) ?? []);
    // Only now: what was listed before belongs to no later lease.
    if (!writer.isCurrent()) throw storeErrors.leaseLost(lease);
    for (const other of names)
      if (other.startsWith(prefix) && !kept.has(other)) unlinkIfExists(disk, join(writer.folder, other));
    appendTo(disk, path, encodeChunk(bytes), index === 0 ? "wx" : "a");
    usage.add(headBytes + bytes.byteLength);
    context.observe("store.artifact.appended", lease.taskId);
    if (durable) {
      await syncs.sync(path);
      if (index === 0) await disk.syncFolder(writer.folder);
    }
    if (!writer.isCurrent()) throw storeErrors.leaseLost(lease);
  }

  read(taskId: string, artifact: string, index: number): Uint8Array | undefined {
    const { context } = this.#parts;
    if (!isSafeId(taskId)) throw storeErrors.taskNotFound(taskId);
    const path = join(taskFolder(context.layout, taskId), artifactName(artifact));
    const file = openIfExists(context.disk, path);
    if (file === undefined && !taskExists(context, taskId)) throw storeErrors.taskNotFound(taskId);
    if (file === undefined) return undefined;
    try {
      const chunkAt = (position: number) => this.#chunkAt(file, position, { taskId, path });
      const first = chunkAt(0);
      return index === 0 ? first : first && chunkAt(index * (headBytes + first.byteLength));
    } finally {
      context.disk.close(file);
    }
  }

  #chunkAt(file: number, position: number, place: { taskId: string; path: string }): Buffer | undefined {
    const { disk } = this.#parts.context;
    const head = readRange(disk, file, position, headBytes);
    if (head.byteLength === 0) return undefined;
    const length = head.byteLength < headBytes ? 0 : Math.min(head.readUInt32LE(0), maxChunkBytes);
    const bytes = readRange(disk, file, position + headBytes, length);
    if (headOf(bytes).equals(head)) return bytes;
    throw new ResumableError(
      "TASK_CORRUPT",
      `An artifact of task ${place.taskId} is damaged. Its file is kept unchanged; the rest of the task is not affected. Restore the task from a backup, or run it again.`,
      { details: place },
    );
  }
}

/** More than any chunk: a damaged length must not ask for as much memory as it says. */
const maxChunkBytes = 16 * 1024 * 1024;

/** The file of an artifact. */
export function artifactName(artifact: string): string {
  return `${prefix}${fileName(artifact)}`;
}

function headOf(bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt32LE(bytes.byteLength, 0);
  head.writeUInt32LE(crc32(bytes), 4);
  return head;
}

/** A chunk as it stands in its file. */
export function encodeChunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([headOf(bytes), bytes]);
}
