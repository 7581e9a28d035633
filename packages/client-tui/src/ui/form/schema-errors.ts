import { createContext, Script } from "node:vm";
import type { JsonObject } from "@resumable-mcp/client";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { countText } from "../../display/plain-text.js";

const validators = new WeakMap<JsonObject, ValidateFunction | undefined>();

/** What a schema finds wrong with values, by the JSON Pointer of the value; nothing where the schema cannot be used. */
export function schemaErrors(schema: JsonObject, values: JsonObject): Readonly<Record<string, string>> {
  if (!validators.has(schema)) validators.set(schema, compile(schema));
  const validate = validators.get(schema);
  if (validate === undefined || validate(values)) return {};
  const entries = (validate.errors ?? []).map((error) => [pathOf(error), sentence(error)] as const);
  // The first error of a value wins.
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
      return "is required";
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

/** One test of a value takes no longer than this; patterns that mean well take a thousandth of it. */
const patternLimitMs = 250;
/** Patterns of one schema that may turn out to be too slow; from then on none of that schema is tested. */
const maxSlowPatterns = 4;

/** What the validator needs of a regular expression. */
interface Pattern {
  test(text: string): boolean;
  /** Tells patterns apart: the validator makes one of those that have the same. */
  toString(): string;
}

/**
 * Makes the regular expressions of one schema, of which none can hold the program up.
 *
 * A schema comes from a server, and a pattern can be made to take years. One that takes too long counts as matched and
 * is not tested again: the server checks everything once more.
 *
 * Limits: 250 ms for a test, 4 slow patterns for a schema.
 */
export function boundedPatterns(limitMs = patternLimitMs): (source: string, flags: string) => Pattern {
  const slow = new Set<string>();
  return (source, flags) => {
    const expression = new RegExp(source, flags);
    return {
      test(text) {
        if (slow.has(source) || slow.size >= maxSlowPatterns) return true;
        const matched = testWithin(expression, text, limitMs);
        if (matched === undefined) slow.add(source);
        return matched ?? true;
      },
      toString: () => String(expression),
    };
  };
}

const work = { expression: /^/, text: "" };
const context = createContext(work);
const script = new Script("expression.test(text)");

/** Only code in a context of its own can be stopped by a timeout in the middle of an expression. */
function testWithin(expression: RegExp, text: string, timeout: number): boolean | undefined {
  Object.assign(work, { expression, text });
  try {
    return script.runInContext(context, { timeout }) === true;
  } catch {
    return undefined;
  }
}
