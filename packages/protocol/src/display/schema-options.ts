import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";

/** One value of a choice, and what a person reads for it. */
export interface SchemaOption {
  readonly value: Json;
  readonly label: string;
}

/** What a schema gives to choose from: `enum` with `enumNames`, or a `oneOf` or `anyOf` of nothing but named constants. */
export function schemaOptions({ enum: values, enumNames, oneOf, anyOf }: JsonObject): readonly SchemaOption[] {
  if (Array.isArray(values)) {
    const names: readonly Json[] = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value: Json, index) => ({ value, label: String(names[index] ?? value) }));
  }
  const entries: readonly Json[] = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const options = entries.flatMap((entry) => {
    if (!isJsonObject(entry) || entry.const === undefined) return [];
    const { const: value, title } = entry;
    return [{ value, label: typeof title === "string" ? title : String(value) }];
  });
  return options.length === entries.length ? options : [];
}
