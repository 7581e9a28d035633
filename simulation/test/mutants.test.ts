import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { comparedSources } from "../src/mutants/compared.js";
import { hashOf, keyOf, type Mutant, mutantsOf, shuffled, switchedSources, withMutant } from "../src/mutants/mutant.js";
import { knownVerdict, sumUp } from "../src/mutants/results.js";

const file = "core/src/task/small.ts";
const source = 'const greet = "ä";\n\nexport const isOpen = (a: number): boolean =>\n  a > 1 && greet !== "";\n';
let checkout: string;
let mutants: readonly Mutant[];

beforeAll(async () => {
  checkout = mkdtempSync(join(tmpdir(), "mutants-"));
  const path = join(checkout, "packages", file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, source);
  mutants = await mutantsOf(checkout, [file]);
});

afterAll(() => rmSync(checkout, { recursive: true }));

it("puts each mutant where it was found, and changes nothing else", () => {
  const line = (mutant: Mutant): string => {
    const [first, second, third, changed] = withMutant(mutant, source).split("\n");
    expect([first, second, third]).toEqual(source.split("\n").slice(0, 3));
    return changed ?? "";
  };
  expect(mutants.filter(({ kind }) => kind !== "ArrowFunction").map(line)).toEqual(
    expect.arrayContaining([
      "  true;",
      "  false;",
      '  a > 1 || greet !== "";',
      '  a >= 1 && greet !== "";',
      '  a <= 1 && greet !== "";',
      '  a > 1 && greet === "";',
    ]),
  );
});

it("puts all of them into one source, each with an id of its own", async () => {
  const { sources, ids } = await switchedSources(checkout, mutants);
  expect([...ids.keys()]).toEqual(expect.arrayContaining(mutants.map(keyOf)));
  expect(new Set(ids.values()).size).toBe(ids.size);
  expect(sources.get(file)).toContain("__STRYKER_ACTIVE_MUTANT__");
});

it("notes where the value of a mutant is another, and looks at no mutant that may do something", async () => {
  const plain = "export const isOpen = (a) => a > 1;\nexport const isDone = (run) => run() > 1;\n";
  writeFileSync(join(checkout, "packages", file), plain);
  const chosen = (await mutantsOf(checkout, [file])).filter(({ replacement }) => replacement.includes(">= 1"));
  const ids = new Map(chosen.map((mutant, index) => [keyOf(mutant), `m${index}`]));
  const { sources, ids: compared } = comparedSources(checkout, chosen, ids);
  writeFileSync(join(checkout, "packages", file), source);
  expect([ids.size, [...compared]]).toEqual([2, ["m0"]]);
  const { isOpen } = await import(`data:text/javascript,${encodeURIComponent(sources.get(file) ?? "")}`);
  const noted = () => (globalThis as { __stryker__?: { mutantCoverage: object } }).__stryker__?.mutantCoverage;
  expect([isOpen(0), isOpen(2), noted()]).toEqual([false, true, undefined]);
  expect([isOpen(1), noted()]).toEqual([false, { static: { m0: 1 }, perTest: {} }]);
});

it("has no mutants of texts", () => {
  expect(mutants.map(({ kind }) => kind)).not.toContain("StringLiteral");
});

it("draws the same order for a seed, whatever else there is to draw", () => {
  const order = shuffled(mutants, 7);
  expect(shuffled([...mutants].reverse(), 7)).toEqual(order);
  const [, second] = order;
  expect(
    shuffled(
      mutants.filter((mutant) => mutant !== second),
      7,
    ),
  ).toEqual(order.filter((one) => one !== second));
  expect(shuffled(mutants, 8)).not.toEqual(order);
});

it("knows what was said of a mutant as long as its source stays", () => {
  const [first, second, third] = mutants;
  if (first === undefined || second === undefined || third === undefined) throw new Error("There are too few.");
  const seen = new Map([
    [keyOf(first), "survived" as const],
    [keyOf(second), "uncovered" as const],
    [keyOf(third), "killed" as const],
  ]);
  const result = sumUp(mutants, seen, { hash: hashOf(checkout, file), commit: "abc", seconds: 3 });
  expect(result).toMatchObject({ killed: 1, timeout: 0, survived: [keyOf(first)], uncovered: [keyOf(second)] });
  const verdicts = [first, second, third].map((mutant) => knownVerdict(checkout, { [file]: result }, mutant));
  expect(verdicts).toEqual(["survived", "uncovered", "killed"]);
  expect(knownVerdict(checkout, { [file]: { ...result, hash: "other" } }, first)).toBeUndefined();
});
