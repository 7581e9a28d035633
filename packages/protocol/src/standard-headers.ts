import { isJsonObject, type JsonObject } from "@resumable-mcp/core";

/** A part of a request's body that a header of HTTP repeats, for programs in between. */
export interface RepeatedPart {
  readonly header: string;
  /** Where it stands in the body, for people. */
  readonly place: string;
  readonly value: string | number | boolean;
}

/** Which parameter of a method its header `Mcp-Name` repeats. */
const namedBy: { readonly [method: string]: string | undefined } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/**
 * Which parts of a request headers have to repeat, next to its method and version.
 *
 * @param schema of the input of the tool that is called: its properties may have headers of their own.
 *
 * Source: MCP 2026-07-28, Transports, "Standard Headers"; SEP-2243.
 */
export function repeatedParts(
  method: string,
  params: JsonObject,
  schema: JsonObject | undefined,
): readonly RepeatedPart[] {
  const key = Object.hasOwn(namedBy, method) ? namedBy[method] : undefined;
  const name = key === undefined ? undefined : params[key];
  const given = isJsonObject(params.arguments) ? params.arguments : {};
  const named = typeof name === "string" ? [{ header: "Mcp-Name", place: `params.${key}`, value: name }] : [];
  const own = declared(schema).flatMap(({ header, path }) => {
    const value = path.reduce<unknown>((part, at) => (isJsonObject(part) ? part[at] : undefined), given);
    const isRepeated = typeof value === "string" || typeof value === "boolean" || isFiniteNumber(value);
    return isRepeated ? [{ header: `Mcp-Param-${header}`, place: path.join("."), value }] : [];
  });
  return [...named, ...own];
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

interface Declared {
  readonly header: string;
  readonly path: readonly string[];
}

const declarations = new WeakMap<JsonObject, readonly Declared[]>();

/** The properties of an input that are also sent as headers. */
function declared(schema: JsonObject | undefined): readonly Declared[] {
  if (schema === undefined) return [];
  const known = declarations.get(schema) ?? declaredIn(schema, []);
  declarations.set(schema, known);
  return known;
}

function declaredIn({ properties }: JsonObject, path: readonly string[]): readonly Declared[] {
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([key, property]) => {
    if (!isJsonObject(property)) return [];
    const header = property["x-mcp-header"];
    const own = typeof header === "string" && header !== "" ? [{ header, path: [...path, key] }] : [];
    return [...own, ...declaredIn(property, [...path, key])];
  });
}
