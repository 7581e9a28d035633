import { expect, test } from "vitest";
import { readPromises, readProofs } from "../src/proofs.js";

const { guarantees, clauses } = readPromises();
const known = new Set([...guarantees, ...clauses].map(({ id }) => id));
const proofs = readProofs();

test("the documents have twelve guarantees with claims, and the clauses of the store contract, each id once", () => {
  const ids = guarantees.map(({ id }) => id);
  const sections = ids.filter((id) => !id.includes("."));
  expect(sections).toEqual(Array.from({ length: 12 }, (_, index) => `G${index + 1}`));
  expect(sections.filter((id) => !known.has(`${id}.1`))).toEqual([]);
  expect(clauses.length).toBeGreaterThan(100);
  expect(known.size).toBe(guarantees.length + clauses.length);
});

test("each guarantee, each of its claims and each clause has a test whose title carries its id", () => {
  const all = [...proofs.keys()];
  const isProved = (id: string) => proofs.has(id) || all.some((other) => other.startsWith(`${id}.`));
  expect([...known].filter((id) => !isProved(id))).toEqual([]);
});

test("no title of a test carries an id that the documents do not have", () => {
  expect([...proofs].filter(([id]) => !known.has(id))).toEqual([]);
});
