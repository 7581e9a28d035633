import { isJsonObject, type Json, type JsonObject } from "@resumable-mcp/core";

/** The JSON Schema of one argument: the part of the dialect that control tools need. */
export interface ArgumentSchema {
  readonly type: "string" | "number" | "integer" | "array" | "object";
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: ArgumentSchema;
  readonly default?: number;
}

/** The JSON Schema of a control tool's arguments. */
export interface InputSchema {
  readonly type: "object";
  readonly properties: { readonly [name: string]: ArgumentSchema };
  readonly required?: readonly string[];
}

type ValueOf<Schema> = Schema extends { readonly enum: readonly (infer Word)[] }
  ? Word
  : Schema extends { readonly type: "string" }
    ? string
    : Schema extends { readonly type: "number" | "integer" }
      ? number
      : Schema extends { readonly type: "array"; readonly items: infer Items }
        ? readonly ValueOf<Items>[]
        : JsonObject;

type Required<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never;

/** What a caller gives. */
type ArgumentsOf<Schema extends InputSchema> = {
  readonly [Name in keyof Schema["properties"] as Extract<Name, Required<Schema>>]: ValueOf<Schema["properties"][Name]>;
} & {
  readonly [Name in keyof Schema["properties"] as Exclude<Name, Required<Schema>>]?: ValueOf<
    Schema["properties"][Name]
  >;
};

/** What a tool receives: checked, with the defaults. */
export type InputOf<Schema extends InputSchema> = ArgumentsOf<Schema> & {
  readonly [Name in keyof Schema["properties"] as Schema["properties"][Name] extends { readonly default: unknown }
    ? Name
    : never]: ValueOf<Schema["properties"][Name]>;
};

/** The arguments fit and are there with their defaults, or they do not fit, and why. */
export type CheckedInput<Schema extends InputSchema> =
  | { readonly input: InputOf<Schema> }
  | { readonly problems: readonly string[] };

/** Checks the arguments of a control tool and adds defaults; arguments that the schema does not name are left out. */
export function checkInput<Schema extends InputSchema>(schema: Schema, value: unknown): CheckedInput<Schema> {
  if (!isJsonObject(value)) return { problems: ["expected an object"] };
  const input: Record<string, Json> = {};
  const problems: string[] = [];
  for (const [name, property] of Object.entries(schema.properties)) {
    const { [name]: given = property.default } = value;
    if (given !== undefined) {
      input[name] = given;
      problems.push(...problemsOf(property, given, name));
    } else if (schema.required?.includes(name)) problems.push(`${name}: missing`);
  }
  // The loop has checked what the type says.
  return problems.length > 0 ? { problems } : { input: input as InputOf<Schema> };
}

function problemsOf(schema: ArgumentSchema, value: Json, path: string): readonly string[] {
  if (!hasType(schema, value)) return [`${path}: expected ${schema.type}`];
  if (schema.enum !== undefined && !schema.enum.some((word) => word === value))
    return [`${path}: expected one of ${schema.enum.join(", ")}`];
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  if (typeof value === "string" && (value.length < minLength || value.length > maxLength))
    return [`${path}: expected ${minLength} to ${maxLength} characters`];
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (typeof value === "number" && value < minimum) return [`${path}: expected at least ${minimum}`];
  if (typeof value === "number" && value > maximum) return [`${path}: expected at most ${maximum}`];
  const { items } = schema;
  if (items === undefined || !Array.isArray(value)) return [];
  return value.flatMap((item: Json, index) => problemsOf(items, item, `${path}.${index}`));
}

function hasType({ type }: ArgumentSchema, value: Json): boolean {
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "string":
    case "number":
      return typeof value === type;
  }
}
