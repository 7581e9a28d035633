import type { Json, JsonObject } from "@resumable-mcp/client";
import { asObject, typesOf } from "../../command-line/tool-arguments.js";

/** What a field holds. */
export type FieldKind = "text" | "number" | "integer" | "boolean" | "choice" | "json";

/** One field of a form, made from one property of a JSON Schema. */
export interface FormField {
  readonly key: string;
  readonly label: string;
  readonly kind: FieldKind;
  readonly required: boolean;
  readonly description?: string;
  /** The texts of a choice, and of a boolean. */
  readonly options: readonly string[];
  readonly schema: JsonObject;
  /** What stands in the field at first. */
  readonly initial: string;
}

/** Set by the client program with every request; a person has nothing to fill in. */
const hiddenKeys = new Set(["client_id"]);

/** Makes the fields of a form from a JSON Schema; values of before take the place of defaults. */
export function formFields(schema: JsonObject, before: JsonObject = {}): readonly FormField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(asObject(schema.properties) ?? {})
    .filter(([key]) => !hiddenKeys.has(key))
    .map(([key, value]) => {
      const property = asObject(value) ?? {};
      const kind = kindOf(property);
      const { title, description } = property;
      return {
        key,
        label: typeof title === "string" ? title : key,
        kind,
        required: required.includes(key),
        options: optionsOf(kind, property),
        schema: property,
        initial: textOf(before[key] ?? property.default, kind),
        ...(typeof description === "string" ? { description } : {}),
      };
    });
}

function kindOf(schema: JsonObject): FieldKind {
  if (Array.isArray(schema.enum) || oneOfConstants(schema).length > 0) return "choice";
  const types = typesOf(schema);
  if (types.includes("string")) return "text";
  if (types.includes("boolean")) return "boolean";
  if (types.includes("integer")) return "integer";
  if (types.includes("number")) return "number";
  return "json";
}

function optionsOf(kind: FieldKind, schema: JsonObject): readonly string[] {
  if (kind === "boolean") return ["true", "false"];
  if (kind !== "choice") return [];
  return (Array.isArray(schema.enum) ? schema.enum : oneOfConstants(schema)).map(String);
}

function oneOfConstants(schema: JsonObject): readonly Json[] {
  const options = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  return options.flatMap((option) => asObject(option)?.const ?? []);
}

function textOf(value: Json | undefined, kind: FieldKind): string {
  if (value === undefined) return "";
  return typeof value === "string" && kind !== "json" ? value : JSON.stringify(value);
}
