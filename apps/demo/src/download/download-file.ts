import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

const maxNameLength = 80;

/** The file that a task downloads into: `….part` until it is complete. */
export interface DownloadFile {
  /** Bytes that are there; 0 when the file is not. */
  size(): Promise<number>;
  /** Cuts the file to what counts. */
  truncate(bytes: number): Promise<void>;
  /** Durability: the bytes are on disk when this resolves. */
  write(at: number, bytes: Uint8Array): Promise<void>;
  /** SHA-256 of all bytes, as hexadecimal digits. */
  sha256(): Promise<string>;
  /** Gives the file its final name, and tells its path. Safe to repeat. */
  complete(): Promise<string>;
  discard(): Promise<void>;
}

/**
 * Makes the file of a task. Its name begins with the task's id, which no caller chooses: no URL leads out of the
 * folder, or to the file of another task.
 */
export function createDownloadFile(folder: string, taskId: string, url: string): DownloadFile {
  const final = join(folder, `${taskId}-${safeName(url)}`);
  const part = `${final}.part`;
  /** A task that was killed between the renaming and its end finds its file under the final name. */
  const current = async (): Promise<string> => ((await sizeOf(final)) === undefined ? part : final);
  return {
    size: async () => (await sizeOf(await current())) ?? 0,
    async truncate(bytes) {
      await mkdir(folder, { recursive: true });
      const file = await open(part, "a");
      await file.truncate(bytes).finally(() => file.close());
    },
    async write(at, bytes) {
      const file = await open(part, "r+");
      try {
        await file.write(bytes, 0, bytes.byteLength, at);
        await file.datasync();
      } finally {
        await file.close();
      }
    },
    async sha256() {
      const hash = createHash("sha256");
      await pipeline(createReadStream(await current()), hash);
      return hash.digest("hex");
    },
    async complete() {
      if ((await current()) === part) await rename(part, final);
      return final;
    },
    async discard() {
      await rm(final, { force: true });
      await rm(part, { force: true });
    },
  };
}

/** The last part of the URL's path, with nothing in it that a file system could take for more than a name. */
function safeName(url: string): string {
  const last = new URL(url).pathname.split("/").at(-1) ?? "";
  const name = last.replace(/[^A-Za-z0-9._-]/g, "_").slice(0, maxNameLength);
  return name === "" ? "download" : name;
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}
