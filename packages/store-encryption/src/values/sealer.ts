import type { Json } from "@resumable-mcp/core";
import { BoundedCache } from "@resumable-mcp/core/internal";
import { openAlike, openBytes, sealAlike, sealBytes } from "../keys/cipher.js";
import type { StoreKeys } from "../keys/store-keys.js";

/** Where a value belongs. It opens nowhere else. */
export interface Place {
  /** What it belongs to: `["task", id]` or `["document", kind, id]`. */
  readonly scope: readonly string[];
  readonly field: string;
  /** What else it belongs to: the key of a step, the owner of a document. */
  readonly key?: string | undefined;
  /** The event that brought it, or one more than the version of the document that it replaced. */
  readonly seq: number;
  /** Its position among values of that event, from 0. */
  readonly index: number;
}

/** A value, and the place within its scope that it was sealed for. */
export interface Opened {
  readonly value: Json;
  readonly seq: number;
  readonly index: number;
}

/** The form of this version. A later one has another letter in front. */
const form = "a";
const sealedShape = /^a\.([0-9a-f]{16})\.(\d{1,16})\.(\d{1,15})\.([\w-]+)$/;

/**
 * A key of values serves so many events of one task, or versions of one document. With the most values that an event has
 * (`maxAppendBytes` 4 MiB, two bytes for each item: 2^21) it is used 2^31 times at most.
 */
const seqsOfOneKey = 1_024;

function purposeOf({ scope, seq }: Place): string {
  return JSON.stringify([...scope, Math.floor(seq / seqsOfOneKey)]);
}

/** Seals and opens single values and names with the keys of a store. */
export class Sealer {
  readonly #keys: StoreKeys;
  /** What this process sealed last: a commit gives back what it was given, and followers read it soon. */
  readonly #sealed = new BoundedCache<{ readonly place: string; readonly json: string }>({
    maxEntries: 2_000,
    maxBytes: 8 * 1024 * 1024,
  });
  readonly #names = new BoundedCache<string>({ maxEntries: 20_000, maxBytes: 4_000_000 });

  constructor(keys: StoreKeys) {
    this.#keys = keys;
  }

  /** The sealed text of a value. */
  seal(place: Place, value: Json): string {
    const { sealing } = this.#keys;
    const bound = this.#textOf(place);
    const json = JSON.stringify(value);
    const bytes = sealBytes(this.#keys.forSealing(purposeOf(place)), bound, json);
    const sealed = `${form}.${sealing}.${place.seq}.${place.index}.${bytes.toString("base64url")}`;
    this.#sealed.set(sealed, { place: bound, json }, 2 * sealed.length);
    return sealed;
  }

  /** Opens a sealed text in its place; which event brought it is what the text says. `undefined` where it does not belong there. */
  open(place: Omit<Place, "seq" | "index">, sealed: unknown): Opened | undefined {
    const [, keyId = "", seqText, indexText, encoded = ""] = sealedShape.exec(String(sealed)) ?? [];
    if (typeof sealed !== "string" || keyId === "") return undefined;
    const [seq, index] = [Number(seqText), Number(indexText)];
    const whole = { ...place, seq, index };
    const bound = this.#textOf(whole);
    const known = this.#sealed.get(sealed);
    if (known?.place === bound) return { value: JSON.parse(known.json), seq, index };
    const key = this.#keys.forValues(keyId, purposeOf(whole));
    const bytes = key && openBytes(key, bound, Buffer.from(encoded, "base64url"));
    return bytes && { value: JSON.parse(bytes.toString()), seq, index };
  }

  /** The data key that a sealed text names, where it was asked for and is not there. */
  absentKeyOf(sealed: unknown): string | undefined {
    const keyId = sealedShape.exec(String(sealed))?.[1];
    return keyId !== undefined && this.#keys.isAbsent(keyId) ? keyId : undefined;
  }

  /**
   * A name that is the same each time, so that a store finds what it belongs to. As JSON: UTF-8 has no half surrogates, and names that
   * have them would become one.
   */
  sealName(scope: readonly string[], name: string): string {
    const place = JSON.stringify(scope);
    const seal = () => sealAlike(this.#keys.forNames(place), place, JSON.stringify(name)).toString("base64url");
    return this.#remember(`s${place}${name}`, seal);
  }

  /** Opens a sealed name; `undefined` where it does not belong there. */
  openName(scope: readonly string[], sealed: string): string | undefined {
    const place = JSON.stringify(scope);
    const open = (): string | undefined => {
      const text = openAlike(this.#keys.forNames(place), place, Buffer.from(sealed, "base64url"));
      return text === undefined ? undefined : JSON.parse(text);
    };
    return this.#remember(`o${place}${sealed}`, open);
  }

  #remember<Name extends string | undefined>(id: string, make: () => Name): Name | string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const made = make();
    if (made !== undefined) this.#names.set(id, made, id.length + made.length);
    return made;
  }

  #textOf({ scope, field, key, seq, index }: Place): string {
    return JSON.stringify([form, this.#keys.storeId, scope, field, key ?? null, seq, index]);
  }
}
