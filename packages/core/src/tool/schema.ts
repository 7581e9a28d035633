import { ResumableError } from "../errors.js";
import type { Json, JsonObject } from "../json.js";
import type { JsonCheck, Refused } from "./json-check.js";

/** What a check of a value found. */
export type Checked<Value> =
  | { readonly value: Value; readonly problems?: undefined }
  | { readonly problems: readonly string[] };

/**
 * The part of Standard Schema (standardschema.dev) that is used here; zod, valibot and arktype have it.
 * JSON Schema comes from the Standard JSON Schema property where there is one.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
      readonly output: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** Checks values against plain JSON Schema; gives the problems, none when the value fits. */
export type JsonSchemaValidator = (
  schema: JsonObject,
  value: unknown,
) => readonly string[] | Promise<readonly string[]>;

/** A schema that authors may give: a Standard Schema, or plain JSON Schema. */
export type AnySchema = StandardSchema | JsonObject;

/** The type that a schema takes; plain JSON Schema takes {@link Json}. */
export type InferInput<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly input: infer Input } | undefined };
}
  ? Input
  : Json;

/** The type that a schema lets through; plain JSON Schema gives {@link Json}. */
export type InferOutput<Schema> = Schema extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : Schema extends Shape
    ? // Renamed to itself: so TypeScript does not infer a schema from what a tool appends.
      { [Name in keyof Schema as Name]: InferOutput<Schema[Name]> }
    : Json;

/** What `z.object()` takes: schemas by name. It is refused where a schema belongs, and still gives types, for the sake of messages. */
interface Shape {
  readonly [name: string]: StandardSchema;
}

/** What a type must fit to be a schema: `Schema & SchemaCheck<Schema, …>` is `Schema` again, or is refused. */
export type SchemaCheck<Schema, Option extends string> = [Schema] extends [StandardSchema | Json | undefined]
  ? unknown
  : Schema extends Shape
    ? Refused<`${Option} is one schema: write z.object({ … }) around the properties`>
    : JsonCheck<Schema>;

/** Tells a Standard Schema from plain JSON Schema. */
export function isStandardSchema(schema: AnySchema): schema is StandardSchema {
  return "~standard" in schema;
}

/** Tells a schema from a first state, which may be any JSON value. */
export function isSchema(state: unknown): state is StandardSchema {
  return typeof state === "object" && state !== null && "~standard" in state;
}

/**
 * Gives the JSON Schema of a schema.
 *
 * @throws {@link ResumableError} `INVALID_OPTION` when a Standard Schema cannot give one.
 */
export function toJsonSchema(schema: AnySchema, side: "input" | "output", what: string): JsonObject {
  if (!isStandardSchema(schema)) return schema;
  const convert = schema["~standard"].jsonSchema;
  if (convert === undefined) {
    throw new ResumableError(
      "INVALID_OPTION",
      `The schema of ${what} (${schema["~standard"].vendor}) gives no JSON Schema. Use a library that implements Standard JSON Schema, such as zod 4.2 or later, or write plain JSON Schema.`,
      { details: { option: what } },
    );
  }
  const { $schema: _dialect, ...converted } = convert[side]({ target: "draft-2020-12" });
  return JSON.parse(JSON.stringify(converted)) as JsonObject;
}

/** Checks a value against a schema. */
export async function checkValue(
  schema: AnySchema,
  value: unknown,
  validateJsonSchema: JsonSchemaValidator,
): Promise<Checked<unknown>> {
  if (!isStandardSchema(schema)) {
    const problems = await validateJsonSchema(schema, value);
    return problems.length > 0 ? { problems } : { value };
  }
  const result = await schema["~standard"].validate(value);
  return result.issues === undefined ? { value: result.value } : { problems: result.issues.map(describeIssue) };
}

function describeIssue(issue: StandardIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join(".");
  return path === "" ? issue.message : `${path}: ${issue.message}`;
}
