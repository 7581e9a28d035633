import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";

/** Leaves out what is `undefined`: in JSON an absent property has no value. */
export function definedOnly(properties: { readonly [key: string]: Json | undefined }): JsonObject {
  const result: Record<string, Json> = {};
  for (const [key, value] of Object.entries(properties)) if (value !== undefined) result[key] = value;
  return result;
}

/** Reads the properties of an object that came over the wire; a value of another type counts as absent. */
export class JsonFields {
  readonly #object: JsonObject;

  private constructor(object: JsonObject) {
    this.#object = object;
  }

  /** `undefined` for a value that is not an object. */
  static of(value: unknown): JsonFields | undefined {
    return isJsonObject(value) ? new JsonFields(value) : undefined;
  }

  text(key: string): string | undefined {
    const value = this.#object[key];
    return typeof value === "string" ? value : undefined;
  }

  number(key: string): number | undefined {
    const value = this.#object[key];
    return typeof value === "number" ? value : undefined;
  }

  /** Whether the property is `true`. */
  flag(key: string): boolean {
    return this.#object[key] === true;
  }

  object(key: string): JsonObject | undefined {
    const value = this.#object[key];
    return isJsonObject(value) ? value : undefined;
  }

  list(key: string): readonly Json[] {
    const value: unknown = this.#object[key];
    return Array.isArray(value) ? value : [];
  }

  /** The other properties. */
  without(...keys: readonly string[]): JsonObject {
    return Object.fromEntries(Object.entries(this.#object).filter(([key]) => !keys.includes(key)));
  }

  oneOf<Value extends string>(key: string, values: readonly Value[]): Value | undefined {
    return values.find((value) => value === this.#object[key]);
  }
}
