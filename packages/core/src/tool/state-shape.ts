import { copyJson, type Json } from "../json.js";
import { fixedLimits } from "../limits.js";

/**
 * Describes the shape of a tool's first state, not its values: the type of each part, by name.
 *
 * `null`, `[]`, `{}` and lists of unlike elements say nothing about what they will hold. A name whose value is `undefined` is
 * not there, as in JSON.
 *
 * Limits: `undefined` for a shape longer than `maxStateShape` characters: it is not compared.
 */
export function describeStateShape(state: unknown): string | undefined {
  const text = JSON.stringify(shapeOf(copyJson(state, "the first state")));
  return text.length > fixedLimits.maxStateShape ? undefined : text;
}

/** Tells whether a state of one shape may be one of another shape. A shape that is not known fits all. */
export function fitsShape(before: string | undefined, now: string | undefined): boolean {
  return before === undefined || now === undefined || fits(JSON.parse(before), JSON.parse(now));
}

function shapeOf(value: Json): Json {
  if (value === null) return null;
  if (typeof value !== "object") return typeof value;
  if (!Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([name, part]) => [name, shapeOf(part)]),
    );
  }
  const [first, ...rest] = value.map((element: Json) => shapeOf(element));
  const isUniform = first !== undefined && rest.every((shape) => JSON.stringify(shape) === JSON.stringify(first));
  return isUniform ? [first] : [];
}

function fits(before: Json, now: Json): boolean {
  if (before === null || now === null) return true;
  if (typeof before !== "object" || typeof now !== "object") return before === now;
  if (Array.isArray(before) !== Array.isArray(now)) return false;
  const [left, right] = [Object.entries(before), Object.entries(now)];
  if (left.length === 0 || right.length === 0) return true;
  return (
    left.length === right.length &&
    left.every(([name, shape], index) => name === right[index]?.[0] && fits(shape, right[index][1]))
  );
}
