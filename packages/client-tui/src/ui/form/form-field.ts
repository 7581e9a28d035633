import type { JsonObject } from "@resumable-mcp/client";
import type { Json } from "@resumable-mcp/protocol";
import { type SchemaOption, schemaOptions } from "@resumable-mcp/protocol/display";
import { hiddenKeys, readTypes, requiredKeys } from "../../command-line/tool-arguments.js";
import { asObject } from "../../json.js";

/** What a field holds; a `group` holds fields, a `list` entries that can be added and taken away. */
export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "json" | "group" | "list";

/** One line of a form, made from one part of a JSON Schema. */
export interface FormField {
  /** JSON Pointer of its value in the arguments: also where a validator finds an error. */
  readonly path: string;
  readonly depth: number;
  readonly label: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description?: string;
  readonly options: readonly SchemaOption[];
  readonly schema: JsonObject;
}

/** Objects and arrays deeper than this are filled in as JSON: a schema may contain itself. */
const maxDepth = 4;

/** The fields that stand directly in an object. */
export function fieldsOfObject(schema: JsonObject, root: JsonObject, path = "", depth = 0): readonly FormField[] {
  const required = requiredKeys(schema);
  return Object.entries(asObject(schema.properties) ?? {})
    .filter(([key]) => depth > 0 || !hiddenKeys.has(key))
    .map(([key, value]) => {
      const place = { path: `${path}/${escapePointer(key)}`, depth, label: key, required: required.includes(key) };
      return makeField(asObject(value) ?? {}, root, place);
    });
}

/** The field of one entry of a list. */
export function fieldOfEntry(list: FormField, index: number, root: JsonObject): FormField {
  const place = { path: `${list.path}/${index}`, depth: list.depth + 1, label: String(index + 1), required: true };
  return makeField(asObject(list.schema.items) ?? {}, root, place);
}

/** The whole form as a field. */
export function rootField(schema: JsonObject): FormField {
  return { path: "", depth: -1, label: "", kind: "group", required: true, options: [], schema };
}

/** The fields of a group, or the entries of a list. */
export function innerFields(
  field: FormField,
  counts: Readonly<Record<string, number>>,
  root: JsonObject,
): readonly FormField[] {
  if (field.kind === "group") return fieldsOfObject(field.schema, root, field.path, field.depth + 1);
  if (field.kind !== "list") return [];
  return Array.from({ length: counts[field.path] ?? 0 }, (_, index) => fieldOfEntry(field, index, root));
}

function makeField(
  given: JsonObject,
  root: JsonObject,
  place: Pick<FormField, "path" | "depth" | "label" | "required">,
): FormField {
  const schema = resolved(given, root);
  const kind = kindOf(schema, place.depth);
  const { title, description: text } = schema;
  const label = typeof title === "string" ? title : place.label;
  const description = typeof text === "string" ? text : undefined;
  return { ...place, label, description, kind, schema, options: optionsOf(kind, schema) };
}

/** Follows references within the schema; keywords next to one win. */
function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  let current = schema;
  for (let hops = 0; typeof current.$ref === "string" && hops < maxDepth; hops += 1) {
    const { $ref: _followed, ...siblings } = current;
    current = { ...(lookUp(current.$ref as string, root) ?? {}), ...siblings };
  }
  return current;
}

function lookUp(reference: string, root: JsonObject): JsonObject | undefined {
  if (!reference.startsWith("#/")) return undefined;
  const keys = reference.slice(2).split("/").map(unescapePointer);
  return asObject(keys.reduce((value: Json | undefined, key) => asObject(value)?.[key], root));
}

function kindOf(schema: JsonObject, depth: number): FieldKind {
  if (Array.isArray(schema.enum) || schemaOptions(schema).length > 0) return "choice";
  const types = readTypes(schema);
  const simple = (["string", "boolean", "integer", "number"] as const).find((type) => types.includes(type));
  if (simple !== undefined) return simple === "string" ? "text" : simple;
  if (depth >= maxDepth) return "json";
  if (asObject(schema.properties) !== undefined && types.includes("object")) return "group";
  return types.includes("array") && asObject(schema.items) !== undefined ? "list" : "json";
}

function optionsOf(kind: FieldKind, schema: JsonObject): readonly SchemaOption[] {
  if (kind === "boolean") return [true, false].map((value) => ({ value, label: String(value) }));
  return kind === "choice" ? schemaOptions(schema) : [];
}

/** Writes a key as one part of a JSON Pointer (RFC 6901). */
function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The key under which a field's value stands in what holds it. */
export function fieldKey({ path }: Pick<FormField, "path">): string {
  return unescapePointer(path.slice(path.lastIndexOf("/") + 1));
}
