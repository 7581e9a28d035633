import { join } from "node:path";
import type { RawLine } from "../disk/checked-line.js";
import { fileLines } from "../disk/file-lines.js";
import type { StoreContext } from "../disk/store-context.js";
import { listIfExists } from "../disk/whole-file.js";

/** What is kept in memory of the lines. */
interface KeptLines {
  /** How far each file was read, by its name. */
  readonly files: ReadonlyMap<string, { readonly end: number }>;
  add(name: string, line: RawLine): void;
}

/** Reads the files in `done/`: each time what was appended since, and all of them where a file was rewritten. */
export class FinishedFiles<Kept extends KeptLines> {
  readonly #context: StoreContext;
  readonly #makeEmpty: () => Kept;
  #kept: Kept;
  /** Which files those are that were read, by name. */
  #identities = new Map<string, string | undefined>();
  #reading: Promise<unknown> = Promise.resolve();
  /** Of the store's folder when they were read: it changes when a folder in it is made again. */
  #state: string | undefined;

  constructor(context: StoreContext, makeEmpty: () => Kept) {
    this.#context = context;
    this.#makeEmpty = makeEmpty;
    this.#kept = makeEmpty();
  }

  /** What was written before this call. */
  read(): Promise<Kept> {
    const result = this.#reading.then(() => this.#readNew());
    this.#reading = result.catch(() => undefined);
    return result;
  }

  /** As `read`; for a task with a marker it is enough that they were read since the store's folders are there. */
  async readFor(isMarked: boolean): Promise<Kept> {
    const { disk, layout } = this.#context;
    const state = disk.identify(layout.directory)?.state;
    if (!isMarked || state !== this.#state) {
      await this.read();
      this.#state = state;
    }
    return this.#kept;
  }

  async #readNew(): Promise<Kept> {
    const { disk, layout } = this.#context;
    for (;;) {
      const names = (listIfExists(disk, layout.done) ?? []).filter((name) => name.endsWith(".jsonl"));
      // One that is taken over meanwhile has another name now.
      const sizes = new Map(names.map((name) => [name, disk.stat(join(layout.done, name))?.size ?? -1]));
      const identities = new Map(names.map((name) => [name, this.#identify(name)]));
      const isRewritten = [...this.#kept.files.keys()].some(
        (name) => identities.get(name) !== this.#identities.get(name),
      );
      const kept = isRewritten ? this.#makeEmpty() : this.#kept;
      let isWhole = ![...sizes.values()].includes(-1);
      for (const [name, size] of sizes) {
        if (size > (kept.files.get(name)?.end ?? 0)) isWhole = (await this.#readFile(kept, name)) && isWhole;
        isWhole &&= this.#identify(name) === identities.get(name);
        // Of a file that is new it is known from here on which one it is.
        if (kept === this.#kept && !this.#identities.has(name)) this.#identities.set(name, identities.get(name));
      }
      if (!isWhole) continue;
      // What is known stays known until all was read again.
      this.#kept = kept;
      this.#identities = identities;
      return kept;
    }
  }

  #identify(name: string): string | undefined {
    return this.#context.disk.identify(join(this.#context.layout.done, name))?.id;
  }

  /** @returns false when the file was taken over or removed since it was listed. */
  async #readFile(kept: Kept, name: string): Promise<boolean> {
    const { disk, layout } = this.#context;
    const pages = fileLines(disk, join(layout.done, name), kept.files.get(name)?.end);
    if (pages === undefined) return false;
    for await (const lines of pages) for (const line of lines) kept.add(name, line);
    return true;
  }
}
