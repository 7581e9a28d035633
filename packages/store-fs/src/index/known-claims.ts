import { BoundedCache } from "../disk/bounded-cache.js";

/** Of a call's hash so much is kept as fits into a small number; calls that share it are told apart by their files. */
const markStart = 3;
const markEnd = 10;

/**
 * Remembers whose claims were read, so that those of other calls are read once and not for every new task: what a claim
 * says of its call never changes, and its number is never given again.
 */
export class KnownClaims {
  /** Marks of calls by the numbers of their claims, for each folder. */
  private readonly folders: BoundedCache<Map<number, number>>;

  constructor({ maxKnownClaims }: { readonly maxKnownClaims: number }) {
    this.folders = new BoundedCache({ maxEntries: Number.POSITIVE_INFINITY, maxBytes: maxKnownClaims });
  }

  /** Gives the numbers whose claims may be about a call, without those that are known to be about another. */
  candidates(folder: string, numbers: readonly number[], hash: string): readonly number[] {
    const known = this.folders.get(folder);
    if (known === undefined) return numbers;
    this.forget(folder, known, numbers);
    const mark = markOf(hash);
    return numbers.filter((number) => (known.get(number) ?? mark) === mark);
  }

  /** Notes what a claim that could be read is about. */
  note(folder: string, number: number, hash: string): void {
    const known = this.folders.get(folder) ?? new Map<number, number>();
    known.set(number, markOf(hash));
    this.folders.set(folder, known, known.size);
  }

  private forget(folder: string, known: Map<number, number>, numbers: readonly number[]): void {
    if (known.size <= numbers.length) return;
    const present = new Set(numbers);
    for (const number of known.keys()) if (!present.has(number)) known.delete(number);
    this.folders.set(folder, known, known.size);
  }
}

/** The folder says what the hash begins with. */
function markOf(hash: string): number {
  return Number.parseInt(hash.slice(markStart, markEnd), 16);
}
