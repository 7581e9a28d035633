import type { Json } from "@resumable-mcp/core";
import { BoundedCache, deepFreeze, recordMemory } from "@resumable-mcp/core/internal";
import { openAlike, openBytes, sealAlike, sealBytes } from "../keys/cipher.js";
import type { StoreKeys } from "../keys/store-keys.js";

/** Where a value belongs: it opens nowhere else. */
interface ValuePlace {
  /** The task or document that it is a part of. */
  readonly scope: string;
  /** Its field, and what else it belongs to: the key of a step, the owner of a document. */
  readonly kind: string;
  /** The event that brought it, or one more than the version of the document that it replaced. */
  readonly seq: number;
  /** Its position among values of that event, from 0. */
  readonly index: number;
}

/** Where a chunk of an artifact belongs. */
export interface BytesPlace {
  readonly scope: string;
  readonly artifact: string;
  readonly index: number;
}

interface Opened extends ValuePlace {
  readonly value: Json;
}

/** What is known of a sealed text. Of what was sealed, most is never opened: JSON is parsed when it is. */
type Known = Opened | (ValuePlace & { readonly json: string });

const keyIdBytes = 8;
const sealedShape = /^a\.([0-9a-f]{16})\.(\d{1,16})\.(\d{1,15})\.([\w-]+)$/;

/**
 * A key of values serves so many events of one task, or versions of one document. With the most values that an event has
 * (`maxAppendBytes` 4 MiB, two bytes for each item: 2^21) it is used 2^31 times at most.
 */
const seqsOfOneKey = 1_024;

/** Seals and opens single values and names with the keys of a store. */
export class Sealer {
  readonly #keys: StoreKeys;
  /**
   * What was sealed or opened last, by its text: a commit gives back what it was given, and most of a record is as before. With ten
   * times the entries a checkpoint takes twice the time: what is full has to find its oldest entry each time.
   */
  readonly #known = new BoundedCache<Known>({ maxEntries: 2_000, maxBytes: 64 * 1024 * 1024 });
  readonly #names = new BoundedCache<string>({ maxEntries: 20_000, maxBytes: 4_000_000 });

  constructor(keys: StoreKeys) {
    this.#keys = keys;
  }

  /** The sealed text of a value. */
  seal(place: ValuePlace, value: Json): string {
    const json = JSON.stringify(value);
    const { sealing } = this.#keys;
    const key = this.#keys.forValues(sealing, purposeOf(place));
    if (key === undefined) throw new Error("A store that is only read takes no values.");
    const bytes = sealBytes(key, textOf(place), json).toString("base64url");
    const sealed = `a.${sealing}.${place.seq}.${place.index}.${bytes}`;
    this.#known.set(sealed, { ...place, json }, 2 * sealed.length);
    return sealed;
  }

  /** Seals bytes: the data key, and what is sealed under it. */
  sealBytes(place: BytesPlace, bytes: Uint8Array): Uint8Array {
    const { sealing } = this.#keys;
    const key = this.#keys.forValues(sealing, purposeOfBytes(place));
    if (key === undefined) throw new Error("A store that is only read takes no values.");
    return Buffer.concat([Buffer.from(sealing, "hex"), sealBytes(key, textOfBytes(place), bytes)]);
  }

  /** Opens sealed bytes. `undefined` where they do not belong there. */
  openBytes(place: BytesPlace, sealed: Uint8Array): Uint8Array | undefined {
    const all = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const key = this.#keys.forValues(all.toString("hex", 0, keyIdBytes), purposeOfBytes(place));
    return key && openBytes(key, textOfBytes(place), all.subarray(keyIdBytes));
  }

  /** Opens a sealed text; which event brought it is what the text says. `undefined` where it does not belong there. */
  open(scope: string, kind: string, sealed: unknown): Opened | undefined {
    if (typeof sealed !== "string") return undefined;
    const entry = this.#known.get(sealed);
    const known = entry?.scope === scope && entry.kind === kind ? entry : undefined;
    if (known !== undefined && "value" in known) return known;
    const [, keyId, seq, index, bytes = ""] = sealedShape.exec(sealed) ?? [];
    if (keyId === undefined) return undefined;
    const place = { scope, kind, seq: Number(seq), index: Number(index) };
    const json = known?.json ?? this.#decrypt(keyId, place, bytes);
    if (json === undefined) return undefined;
    const value: Json = deepFreeze(JSON.parse(json));
    const opened = { ...place, value };
    this.#known.set(sealed, opened, recordMemory({ sealed, value }));
    return opened;
  }

  #decrypt(keyId: string, place: ValuePlace, bytes: string): string | undefined {
    const key = this.#keys.forValues(keyId, purposeOf(place));
    return key && openBytes(key, textOf(place), Buffer.from(bytes, "base64url"))?.toString();
  }

  /** The data key that a sealed text names, where the store does not have it. */
  absentKeyOf(sealed: unknown): string | undefined {
    const keyId = sealedShape.exec(String(sealed))?.[1];
    return keyId !== undefined && this.#keys.forValues(keyId, "") === undefined ? keyId : undefined;
  }

  /**
   * A name that is the same each time, so that a store finds what it belongs to. As JSON: UTF-8 has no half surrogates, and names that
   * have them would become one.
   */
  sealName(scope: string, name: string): string {
    return this.#remember(`s${scope} ${name}`, () =>
      sealAlike(this.#keys.names, scope, JSON.stringify(name)).toString("base64url"),
    );
  }

  /** Opens a sealed name; `undefined` where it does not belong there. */
  openName(scope: string, sealed: string): string | undefined {
    return this.#remember(`o${scope} ${sealed}`, () => {
      const json = openAlike(this.#keys.names, scope, Buffer.from(sealed, "base64url"));
      return json === undefined ? undefined : JSON.parse(json);
    });
  }

  #remember<Name extends string | undefined>(id: string, make: () => Name): Name | string {
    const known = this.#names.get(id);
    if (known !== undefined) return known;
    const made = make();
    if (made !== undefined) this.#names.set(id, made, id.length + made.length);
    return made;
  }
}

/** The additional data under which a value is sealed. */
function textOf({ scope, kind, seq, index }: ValuePlace): string {
  return JSON.stringify([scope, kind, seq, index]);
}

function purposeOf({ scope, seq }: ValuePlace): string {
  return `${scope} ${Math.floor(seq / seqsOfOneKey)}`;
}

/** Each artifact has a key of its own, which seals its chunks. */
function purposeOfBytes({ scope, artifact }: BytesPlace): string {
  return `artifact ${scope} ${artifact}`;
}

function textOfBytes({ scope, artifact, index }: BytesPlace): string {
  return JSON.stringify([scope, "artifact", artifact, index]);
}
