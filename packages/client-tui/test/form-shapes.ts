import type { FormShape } from "../src/ui/form/form-state.js";

/** A form with a field of each simple kind. */
export const plainSchema = {
  type: "object",
  required: ["n", "sure"],
  properties: {
    n: { type: "integer", minimum: 1, default: 5 },
    name: { type: "string", title: "Name", pattern: "^[a-z]+$" },
    sure: { type: "boolean" },
    kind: { type: "string", enum: ["a", "b"], default: "a" },
    list: { type: "array" },
    client_id: { type: "string" },
  },
};
/** The form, with a button that sends it and one that does not. */
export const plainShape: FormShape = {
  schema: plainSchema,
  buttons: [
    { id: "run", label: "Run", sends: true },
    { id: "no", label: "No", sends: false },
  ],
};
/** Arguments that hold others: an object, a list of objects, a choice of named values. */
export const nestedSchema = {
  type: "object",
  properties: {
    source: {
      type: "object",
      required: ["url"],
      properties: { url: { type: "string" }, depth: { type: "integer" } },
    },
    people: { type: "array", items: { $ref: "#/$defs/person" } },
    level: {
      oneOf: [
        { const: 1, title: "low" },
        { const: 2, title: "high" },
      ],
    },
  },
  $defs: { person: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
};
/** Their form. */
export const nestedShape: FormShape = { schema: nestedSchema, buttons: [{ id: "run", label: "Run", sends: true }] };
