import { Exclusive } from "../exclusive.js";

/**
 * What this process is just writing about results that reached their callers, or did not, by owner.
 *
 * A call that comes right after a result would find the note not written yet, and get that result again. So a call waits
 * for the notes of its owner. Limits: one write for each result; nothing stays when it is over.
 */
export class DeliveryNotes {
  readonly #writing = new Map<string, Exclusive>();

  /** Writes a note about one task, after the notes about it that are being written. */
  write(owner: string, taskId: string, run: () => Promise<void>): Promise<void> {
    const notes = this.#writing.get(owner) ?? new Exclusive();
    this.#writing.set(owner, notes);
    const written = notes.run(taskId, run);
    const over = (): void => {
      if (notes.idle && this.#writing.get(owner) === notes) this.#writing.delete(owner);
    };
    written.then(over, over);
    return written;
  }

  /** Resolves when the notes of an owner that are being written now are written, or have failed. */
  async written(owner: string): Promise<void> {
    await this.#writing.get(owner)?.ended();
  }

  /** The same for all owners. */
  async allWritten(): Promise<void> {
    await Promise.all(Array.from(this.#writing.values(), (notes) => notes.ended()));
  }
}
