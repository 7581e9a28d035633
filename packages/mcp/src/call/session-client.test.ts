import { expect, it } from "vitest";
import { declaresClientId } from "./session-client.js";

const own = { properties: { client_id: { type: "string" } } };
const other = { properties: { n: { type: "number" } } };

it.each<readonly [string, unknown, boolean]>([
  ["at its root", own, true],
  ["nowhere", other, false],
  ["in one part of several", { ...other, allOf: [other, own] }, true],
  ["in one branch", { anyOf: [other, { oneOf: [other, own] }] }, true],
  ["under a condition", { if: own, else: own }, true],
  ["in a definition that it refers to", { $ref: "#/$defs/own", $defs: { own } }, true],
  ["in a definition that it does not refer to", { ...other, $defs: { own } }, false],
  ["in another file", { $ref: "https://example.com/own.json" }, false],
])("sees whether a tool has an argument client_id of its own: %s (G10)", (_where, schema, expected) => {
  expect(declaresClientId(schema)).toBe(expected);
});

it("ends with a schema that refers to itself", () => {
  expect(declaresClientId({ $ref: "#/$defs/a", $defs: { a: { allOf: [{ $ref: "#/$defs/a" }] } } })).toBe(false);
});
