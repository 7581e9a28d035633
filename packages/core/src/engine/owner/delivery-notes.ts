/**
 * What this process is just writing about results that reached their callers, or did not, by owner.
 *
 * A call that comes right after a result would find the note not written yet, and get that result again. So a call waits
 * for the notes of its owner. Limits: one write for each result; nothing stays when it is over.
 */
export class DeliveryNotes {
  readonly #writing = new Map<string, Map<string, Promise<void>>>();

  /** Writes a note about one task, after the notes about it that are being written. */
  write(owner: string, taskId: string, run: () => Promise<void>): Promise<void> {
    const notes = this.#writing.get(owner) ?? new Map<string, Promise<void>>();
    this.#writing.set(owner, notes);
    const written = (notes.get(taskId) ?? Promise.resolve()).then(run);
    const over: Promise<void> = written.catch(() => {}).then(() => this.#forget(owner, taskId, over));
    notes.set(taskId, over);
    return written;
  }

  /** Resolves when the notes of an owner that are being written now are written, or have failed. */
  async written(owner: string): Promise<void> {
    const notes = this.#writing.get(owner);
    if (notes !== undefined) await Promise.all(notes.values());
  }

  /** The same for all owners. */
  async allWritten(): Promise<void> {
    await Promise.all([...this.#writing.keys()].map((owner) => this.written(owner)));
  }

  #forget(owner: string, taskId: string, over: Promise<void>): void {
    const notes = this.#writing.get(owner);
    if (notes?.get(taskId) === over) notes.delete(taskId);
    if (notes?.size === 0) this.#writing.delete(owner);
  }
}
