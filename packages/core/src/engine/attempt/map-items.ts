import { invalidValue, ResumableError } from "../../errors.js";
import { canonicalJson, copyJson, type Json } from "../../json.js";
import { fixedLimits } from "../../limits.js";
import type { MapProgress } from "../../task/task-event.js";
import type { AttemptParts } from "./attempt-parts.js";

/** An item of a map, and the digest of all items up to it. */
export interface MapItem {
  readonly item: unknown;
  readonly index: number;
  readonly digest: string;
}

/** The items of one map, one after the other, whatever gives them. */
export class MapItems {
  readonly #source: Iterator<unknown> | AsyncIterator<unknown>;
  readonly #length: number | undefined;
  readonly #what: string;
  readonly #parts: AttemptParts;
  #next = 0;
  #digest = "";
  #ended = false;

  /** @throws {@link ResumableError} `INVALID_VALUE`. */
  constructor(items: Iterable<unknown> | AsyncIterable<unknown>, what: string, parts: AttemptParts) {
    this.#what = what;
    this.#parts = parts;
    this.#length = Array.isArray(items) ? items.length : undefined;
    this.#ended = this.#length === 0;
    const given: object = Object(items);
    if (Symbol.asyncIterator in given) this.#source = (items as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    else if (Symbol.iterator in given) this.#source = (items as Iterable<unknown>)[Symbol.iterator]();
    else throw invalidValue(`The items of ${what}`, ["must be a list, or something to iterate over"]);
  }

  /** How many items there are behind an index, where that is known before they are read. */
  leftAfter(index: number): number | undefined {
    return this.#length === undefined ? undefined : Math.max(0, this.#length - index);
  }

  /** So many items were read, and there are no more. */
  endsAt(count: number): boolean {
    return this.#ended && this.#next === count;
  }

  /** Gives nothing at the end, and when the attempt has to stop. */
  async read(): Promise<MapItem | undefined> {
    if (this.#ended) return undefined;
    const result = await this.#orStopped(() => this.#source.next());
    if (result === undefined) return undefined;
    if (result.done === true) {
      this.#ended = true;
      return undefined;
    }
    const index = this.#next;
    this.#next += 1;
    this.#digest = chainDigest(this.#digest, copyJson(result.value, `item ${index} of ${this.#what}`));
    this.#ended = this.#next === this.#length;
    return { item: result.value, index, digest: this.#digest };
  }

  /**
   * Reads what an earlier attempt has done.
   *
   * @throws {@link ResumableError} `MAP_ITEMS_CHANGED` when it is not the same.
   */
  async skip({ key, at: count, digest }: MapProgress): Promise<void> {
    const { control, clock, record } = this.#parts;
    while (this.#next < count && (await this.read()) !== undefined) {
      // A source that waits for nothing must not keep the process from all else.
      if (this.#next % fixedLimits.mapSkipBatch === 0)
        await new Promise<void>((resolve) => clock.after(0, resolve, true));
    }
    control.check();
    if (this.#next === count && this.#digest === digest) return;
    throw new ResumableError(
      "MAP_ITEMS_CHANGED",
      `The first ${count} items of ${this.#what} are not those that an earlier attempt worked on. Give the same items in the same order in each attempt: take the list from a step, or read a source that does not change.`,
      { details: { taskId: record.id, key, items: count } },
    );
  }

  /** Lets the source end that was not read to its end. */
  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    const end = async (): Promise<void> => {
      await this.#source.return?.();
    };
    end().catch(() => {});
  }

  /** A source may wait for long. When the attempt stops it is asked for no more: no caller would hear how that ends. */
  async #orStopped<Value>(ask: () => Value | Promise<Value>): Promise<Value | undefined> {
    const { signal } = this.#parts.control;
    let stop = () => {};
    const stopped = new Promise<undefined>((resolve) => {
      stop = () => resolve(undefined);
    });
    signal.addEventListener("abort", stop);
    try {
      return signal.aborted ? undefined : await Promise.race([ask(), stopped]);
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }
}

/**
 * Makes 64 bits of the digest so far and one item more. They find mistakes: no attacker chooses the items of a tool.
 *
 * Source: cyrb53 by bryc (public domain).
 */
export function chainDigest(before: string, item: Json): string {
  const text = before + canonicalJson(item);
  let [one, other] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2_654_435_761);
    other = Math.imul(other ^ code, 1_597_334_677);
  }
  const mixed = [mix(one, other), mix(other, one)];
  return mixed.map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("");
}

function mix(half: number, other: number): number {
  return Math.imul(half ^ (half >>> 16), 2_246_822_507) ^ Math.imul(other ^ (other >>> 13), 3_266_489_909);
}
