import { createContext, Script } from "node:vm";
import type { JsonObject } from "@resumable-mcp/client";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { countText } from "../display/plain-text.js";

const validators = new WeakMap<JsonObject, ValidateFunction | undefined>();

/** What a schema finds wrong with values, by the JSON Pointer of the value; nothing where the schema cannot be used. */
export function schemaErrors(schema: JsonObject, values: JsonObject): Readonly<Record<string, string>> {
  if (!validators.has(schema)) validators.set(schema, compile(schema));
  const validate = validators.get(schema);
  if (validate === undefined || validate(values)) return {};
  // The first error of a value wins; a format says more to people than its pattern.
  const patternLast = (validate.errors ?? []).toSorted(
    (left, right) => Number(left.keyword === "pattern") - Number(right.keyword === "pattern"),
  );
  return Object.fromEntries(patternLast.map((error) => [pathOf(error), sentence(error)] as const).toReversed());
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

const entries = (count: number) => countText(count, "entry", "entries");

const sentences: Readonly<Record<string, (params: ErrorObject["params"]) => string>> = {
  required: () => "is required",
  minimum: ({ limit }) => `has to be at least ${limit}`,
  maximum: ({ limit }) => `has to be at most ${limit}`,
  exclusiveMinimum: ({ limit }) => `has to be more than ${limit}`,
  exclusiveMaximum: ({ limit }) => `has to be less than ${limit}`,
  minLength: ({ limit }) => `needs at least ${countText(limit, "character")}`,
  maxLength: ({ limit }) => `can have at most ${countText(limit, "character")}`,
  minItems: ({ limit }) => `needs at least ${entries(limit)}`,
  maxItems: ({ limit }) => `can have at most ${entries(limit)}`,
  pattern: ({ pattern }) => `must match ${pattern}`,
  format: ({ format }) => `has to have the format ${format}`,
  additionalProperties: ({ additionalProperty }) => `has no field ${additionalProperty}`,
};

function sentence({ keyword, params, message = "is wrong" }: ErrorObject): string {
  return sentences[keyword]?.(params) ?? message.replace(/^must/, "has to");
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
