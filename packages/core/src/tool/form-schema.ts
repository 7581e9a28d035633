import { isJsonObject, type Json, type JsonObject } from "../json.js";

/**
 * Says why a schema is not one of a form, nothing for a form. Pure.
 *
 * Source: MCP 2025-11-25 and 2026-07-28, Client Features, Elicitation, "Requested Schema".
 */
export function formProblems({ type, properties }: JsonObject): readonly string[] {
  if (type !== "object") return ["its schema must be an object, such as z.object({ … })"];
  return Object.entries(isJsonObject(properties) ? properties : {})
    .filter(([, property]) => !isJsonObject(property) || !isField(property))
    .map(([name]) => `${JSON.stringify(name)} must be a text, a number, true or false, a choice or a list of choices`);
}

function isField(property: JsonObject): boolean {
  if (property.type === "array") return isJsonObject(property.items) && choicesOf(property.items) !== undefined;
  return isPrimitive(property.type) || (property.type === undefined && choicesOf(property) !== undefined);
}

function isPrimitive(type: Json | undefined): boolean {
  return type === "string" || type === "number" || type === "integer" || type === "boolean";
}

/** The values of an enumeration, plain or with titles. */
export function choicesOf({ enum: plain, oneOf, anyOf }: JsonObject): readonly Json[] | undefined {
  if (Array.isArray(plain)) return plain;
  const titled = oneOf ?? anyOf;
  const isChoice = (choice: Json): choice is JsonObject => isJsonObject(choice) && Object.hasOwn(choice, "const");
  if (!Array.isArray(titled) || titled.length === 0 || !titled.every(isChoice)) return undefined;
  return titled.map(({ const: value = null }) => value);
}
