import type { Json, JsonObject } from "@resumable-mcp/client";
import { asObject } from "../../command-line/tool-arguments.js";
import { type FormField, fieldOfEntry, fieldsOfObject, keyOf } from "./form-field.js";

/** What stands in a form: the text of each field and the length of each list, by path. */
export interface FormDraft {
  readonly texts: Readonly<Record<string, string>>;
  readonly counts: Readonly<Record<string, number>>;
}

/** Entries that a form shows of one list. */
export const maxListEntries = 50;

/** Fills a form with what was given before, else with what the schema has as defaults. */
export function initialDraft(schema: JsonObject, before: JsonObject = {}): FormDraft {
  return fieldsOfObject(schema, schema).reduce((draft, field) => fill(draft, field, before[keyOf(field)], schema), {
    texts: {},
    counts: {},
  } as FormDraft);
}

/** Fills one field, and all that it holds. */
export function fill(draft: FormDraft, field: FormField, given: Json | undefined, root: JsonObject): FormDraft {
  const value = given ?? field.schema.default;
  if (field.kind === "group") {
    const inner = asObject(value) ?? {};
    const fields = fieldsOfObject(field.schema, root, field.path, field.depth + 1);
    return fields.reduce((filled, child) => fill(filled, child, inner[keyOf(child)], root), draft);
  }
  if (field.kind !== "list") return { ...draft, texts: { ...draft.texts, [field.path]: textOf(value, field) } };
  const entries: readonly Json[] = Array.isArray(value) ? value.slice(0, maxListEntries) : [];
  const counted = { ...draft, counts: { ...draft.counts, [field.path]: entries.length } };
  return entries.reduce(
    (filled: FormDraft, entry, index) => fill(filled, fieldOfEntry(field, index, root), entry, root),
    counted,
  );
}

/** The lines of a form: each field, and under it what it holds. */
export function formLines(schema: JsonObject, { counts }: Pick<FormDraft, "counts">): readonly FormField[] {
  const withInner = (field: FormField): readonly FormField[] => [field, ...inner(field).flatMap(withInner)];
  const inner = (field: FormField): readonly FormField[] => {
    if (field.kind === "group") return fieldsOfObject(field.schema, schema, field.path, field.depth + 1);
    if (field.kind !== "list") return [];
    return Array.from({ length: counts[field.path] ?? 0 }, (_, index) => fieldOfEntry(field, index, schema));
  };
  return fieldsOfObject(schema, schema).flatMap(withInner);
}

function textOf(value: Json | undefined, { kind, options }: FormField): string {
  if (value === undefined) return "";
  const option = options.find((entry) => JSON.stringify(entry.value) === JSON.stringify(value));
  if (option !== undefined) return option.label;
  return typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
}
