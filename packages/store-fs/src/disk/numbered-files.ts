import { join } from "node:path";
import { type Disk, hasCode } from "./disk.js";
import { listIfExists } from "./whole-file.js";

/**
 * Numbered files in a folder: each number is created exclusively, and the newest one wins. A process that decides by the
 * newest file, and then gets the next number, has decided by the newest there is.
 *
 * Journals (a file for each epoch), claims of calls, and versions of documents are such files. What a file that cannot be read means
 * differs between them, so the reader of {@link newest} decides.
 */
export class NumberedFiles {
  readonly #prefix: string;
  readonly #suffix: string;

  constructor(prefix: string, suffix: string) {
    this.#prefix = prefix;
    this.#suffix = suffix;
  }

  nameOf(number: number): string {
    return `${this.#prefix}${number}${this.#suffix}`;
  }

  /** The number of a file's name, if it is one of these. */
  numberOf(name: string): number | undefined {
    if (!name.startsWith(this.#prefix) || !name.endsWith(this.#suffix)) return undefined;
    const digits = name.slice(this.#prefix.length, name.length - this.#suffix.length);
    return /^\d+$/.test(digits) ? Number(digits) : undefined;
  }

  /** The numbers in a folder, lowest first; none where there is no folder. */
  list(disk: Disk, folder: string): number[] {
    return this.numbersIn(listIfExists(disk, folder) ?? []);
  }

  /** The numbers of names, lowest first. */
  numbersIn(names: readonly string[]): number[] {
    return names.flatMap((name) => this.numberOf(name) ?? []).sort((left, right) => left - right);
  }

  /** Makes an empty file and opens it for appending. @returns `undefined` when the number is taken. */
  open(disk: Disk, folder: string, number: number): number | undefined {
    try {
      return disk.open(join(folder, this.nameOf(number)), "wx");
    } catch (error) {
      if (hasCode(error, "EEXIST")) return undefined;
      throw error;
    }
  }
}

/** A file was removed after it was listed: what took its place is listed now. */
export const missing = Symbol("missing");

/**
 * Reads from the newest number down until a file gives a value. Where none does, and the listing changed meanwhile, it
 * begins again.
 *
 * @param read gives `undefined` for a file that does not count, and decides what becomes of a damaged one.
 */
export function newest<Value>(
  list: () => readonly number[],
  read: (number: number) => Value | typeof missing | undefined,
): Value | undefined {
  for (let numbers = list(); ; ) {
    for (const number of numbers.toReversed()) {
      const value = read(number);
      if (value === missing) break;
      if (value !== undefined) return value;
    }
    const again = list();
    if (again.join() === numbers.join()) return undefined;
    numbers = again;
  }
}
