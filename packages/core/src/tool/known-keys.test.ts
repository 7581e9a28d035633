import { expect, it } from "vitest";
import { unknownKeys } from "./known-keys.js";

it("names the key that was meant, and of very many keys only the first", () => {
  const known = new Set(["progress", "state"]);
  expect(unknownKeys({ sate: 1, state: 2 }, known, "a checkpoint")).toEqual([
    '"sate" is not a key of a checkpoint (did you mean "state"?)',
  ]);
  const clauses = unknownKeys(Array(100_000).fill(0), known, "a checkpoint");
  expect(clauses).toHaveLength(9);
  expect(clauses.at(-1)).toBe("99992 more keys are not keys of a checkpoint");
});
