import type { StoreContext } from "../disk/store-context.js";
import { openIfExists, readRange, withFile } from "../disk/whole-file.js";

/** A file that grew beyond this is emptied: all who read it then look at every task once. */
const maxBytes = 1024 * 1024;
/** So much of the beginning tells one filling of the file from the next. */
const headBytes = 32;

/** Which tasks changed: some, or any. */
export type Changes = ReadonlySet<string> | "any";

/**
 * Which tasks changed, in the file `notifications`: the id of each is appended after the change, for all processes.
 *
 * A note may be missing. What is not noted, since its process died or the disk was full, is found when a look for work comes to the task.
 */
export class ChangeNotes {
  readonly #context: StoreContext;
  #head: Buffer | undefined;
  #offset = 0;
  /** The file could not be written. */
  #isLost = false;

  constructor(context: StoreContext) {
    this.#context = context;
  }

  /** Notes that a task changed. */
  note(taskId: string): void {
    const { disk, layout, unique } = this.#context;
    try {
      // Another folder may be in the store's place, and is left as it is.
      if (!disk.exists(layout.notifications)) throw new Error("The file does not exist.");
      withFile(disk, layout.notifications, "a", (file) => {
        disk.write(file, Buffer.from(`${taskId}\n`), null);
        if ((disk.stat(layout.notifications)?.size ?? 0) <= maxBytes) return;
        disk.truncate(file, 0);
        disk.write(file, Buffer.from(`#${unique()}\n`), null);
      });
    } catch {
      this.#isLost = true;
    }
  }

  /** What was noted since the last time; the first time: any. */
  read(): Changes {
    const { disk, layout } = this.#context;
    const file = openIfExists(disk, layout.notifications);
    const isLost = this.#isLost;
    this.#isLost = false;
    if (file === undefined) {
      this.#head = undefined;
      return "any";
    }
    try {
      const head = readRange(disk, file, 0, headBytes);
      const known = this.#head;
      const size = disk.stat(layout.notifications)?.size ?? 0;
      const isSame = known !== undefined && size >= this.#offset && head.subarray(0, known.byteLength).equals(known);
      const bytes = readRange(disk, file, isSame ? this.#offset : size, isSame ? size - this.#offset : 0);
      const whole = bytes.lastIndexOf("\n") + 1;
      this.#head = Buffer.from(head);
      this.#offset = isSame ? this.#offset + whole : size;
      return isSame && !isLost ? new Set(bytes.toString("latin1", 0, whole).split("\n")) : "any";
    } finally {
      disk.close(file);
    }
  }
}
