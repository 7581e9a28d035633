import type { JsonObject } from "@resumable-mcp/client";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { countText } from "../../display/count-text.js";
import { boundedPatterns } from "./bounded-patterns.js";

const validators = new WeakMap<JsonObject, ValidateFunction | undefined>();

/** What a schema finds wrong with values, by the JSON Pointer of the value; nothing where the schema cannot be used. */
export function schemaErrors(schema: JsonObject, values: JsonObject): Readonly<Record<string, string>> {
  if (!validators.has(schema)) validators.set(schema, compile(schema));
  const validate = validators.get(schema);
  if (validate === undefined || validate(values)) return {};
  const entries = (validate.errors ?? []).map((error) => [pathOf(error), sentence(error)] as const);
  // The first thing that is wrong with a value is told first.
  return Object.fromEntries(entries.toReversed());
}

/** A schema that no validator understands is the server's affair: it checks again anyway. */
function compile(schema: JsonObject): ValidateFunction | undefined {
  try {
    const regExp = Object.assign(boundedPatterns(), { code: "boundedPatterns" });
    const ajv = new Ajv({ strict: false, allErrors: true, validateSchema: false, logger: false, code: { regExp } });
    (formats as unknown as (ajv: Ajv) => void)(ajv);
    const { $schema: _dialect, $id: _name, ...rest } = schema;
    return ajv.compile(rest);
  } catch {
    return undefined;
  }
}

function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  return keyword === "required" ? `${instancePath}/${String(params.missingProperty)}` : instancePath;
}

function sentence({ keyword, params, message = "is wrong" }: ErrorObject): string {
  switch (keyword) {
    case "required":
      return "is needed";
    case "minimum":
      return `has to be at least ${params.limit}`;
    case "maximum":
      return `has to be at most ${params.limit}`;
    case "exclusiveMinimum":
      return `has to be more than ${params.limit}`;
    case "exclusiveMaximum":
      return `has to be less than ${params.limit}`;
    case "minLength":
      return `needs at least ${countText(params.limit, "character")}`;
    case "maxLength":
      return `can have at most ${countText(params.limit, "character")}`;
    case "minItems":
      return `needs at least ${countText(params.limit, "entry", "entries")}`;
    case "maxItems":
      return `can have at most ${countText(params.limit, "entry", "entries")}`;
    case "pattern":
      return `has to match ${params.pattern}`;
    case "format":
      return `has to have the format ${params.format}`;
    case "additionalProperties":
      return `has no field ${params.additionalProperty}`;
    default:
      return message.replace(/^must/, "has to");
  }
}
