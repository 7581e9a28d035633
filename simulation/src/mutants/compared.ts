import { readFileSync } from "node:fs";
import { join } from "node:path";
import { keyOf, type Mutant, offsetsOf } from "./mutant.js";

/** What may call, assign, wait or be no expression: evaluating the mutant next to the original could change something. */
const notPlain = /[\w$)\]]\s*\(|=>|[{};`]|\+\+|--|\b(await|yield|new|case|default|delete)\b|(^|[^=!<>])=(?![=>])/;

const isPlain = (text: string): boolean => !notPlain.test(text);

/** Notes as Stryker's instrumenter does, where the values differ. */
const helper = `
function differs(id, original, mutant) {
  const note = () => {
    const stryker = (globalThis.__stryker__ ??= {});
    const { static: always, perTest } = (stryker.mutantCoverage ??= { static: {}, perTest: {} });
    const test = stryker.currentTestId;
    (test === undefined ? always : (perTest[test] ??= {}))[id] = 1;
  };
  try {
    const value = original();
    if (!Object.is(value, mutant())) note();
    return value;
  } catch {
    note();
    return original();
  }
}
`;

/**
 * Sources that tell when a mutant's value is another than the original's. A run in which it never is goes as without the mutant.
 *
 * @param ids By key of the mutant.
 * @returns the sources, and the ids of the mutants that are looked at: of plain expressions, and not one within another.
 */
export function comparedSources(
  checkout: string,
  mutants: readonly Mutant[],
  ids: ReadonlyMap<string, string>,
): { readonly sources: ReadonlyMap<string, string>; readonly ids: ReadonlySet<string> } {
  const sources = new Map<string, string>();
  const compared = new Set<string>();
  for (const file of new Set(mutants.map((mutant) => mutant.file))) {
    const text = readFileSync(join(checkout, "packages", file), "utf8");
    const places = mutants
      .filter((mutant) => mutant.file === file && mutant.kind !== "OptionalChaining")
      .map((mutant) => ({ mutant, ...offsetsOf(mutant, text) }))
      .sort((left, right) => right.start - left.start);
    let [source, before] = [`${text}${helper}`, text.length];
    for (const { mutant, start, end } of places) {
      const [id, original] = [ids.get(keyOf(mutant)), text.slice(start, end)];
      if (id === undefined || end > before || !isPlain(original) || !isPlain(mutant.replacement)) continue;
      const call = `differs("${id}", () => (${original}), () => (${mutant.replacement}))`;
      source = `${source.slice(0, start)}${call}${source.slice(end)}`;
      before = start;
      compared.add(id);
    }
    sources.set(file, source);
  }
  return { sources, ids: compared };
}
