import type { Json, JsonObject } from "../json.js";
import { isJsonObject } from "../json.js";

/**
 * Checks an answer against the flat schema of its question. Returns the problems, none when it fits. Pure.
 *
 * Source: MCP 2025-11-25, Client Features, Elicitation, "Requested Schema" (objects with primitive properties).
 */
export function checkAnswer(schema: JsonObject, content: JsonObject): readonly string[] {
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const missing = required.flatMap((key: unknown) =>
    typeof key === "string" && !Object.hasOwn(content, key) ? [`${key}: is required`] : [],
  );
  const wrong = Object.entries(content).flatMap(([key, value]) => {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (!isJsonObject(property)) return schema["additionalProperties"] === false ? [`${key}: is not asked for`] : [];
    return checkProperty(property, value).map((problem) => `${key}: ${problem}`);
  });
  return [...missing, ...wrong];
}

function checkProperty(property: JsonObject, value: Json): readonly string[] {
  const allowed = property["enum"];
  if (Array.isArray(allowed) && !allowed.includes(value)) return [`must be one of ${allowed.map(String).join(", ")}`];
  switch (property["type"]) {
    case "string":
      return checkString(property, value);
    case "integer":
    case "number":
      return checkNumber(property, value);
    case "boolean":
      return typeof value === "boolean" ? [] : ["must be true or false"];
    case "array":
      return Array.isArray(value) ? [] : ["must be a list"];
    default:
      return [];
  }
}

function checkString(property: JsonObject, value: Json): readonly string[] {
  if (typeof value !== "string") return ["must be text"];
  const { minLength, maxLength } = property;
  if (typeof minLength === "number" && value.length < minLength) return [`must have at least ${minLength} characters`];
  if (typeof maxLength === "number" && value.length > maxLength) return [`must have at most ${maxLength} characters`];
  return [];
}

function checkNumber(property: JsonObject, value: Json): readonly string[] {
  if (typeof value !== "number") return ["must be a number"];
  if (property["type"] === "integer" && !Number.isInteger(value)) return ["must be a whole number"];
  const { minimum, maximum } = property;
  if (typeof minimum === "number" && value < minimum) return [`must be at least ${minimum}`];
  if (typeof maximum === "number" && value > maximum) return [`must be at most ${maximum}`];
  return [];
}
