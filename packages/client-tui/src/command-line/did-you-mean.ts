import { closestMatch } from "leven";

/** Letters that may be wrong in a word of so many letters. */
function mostWrong(length: number): number {
  return length < 4 ? 1 : length < 8 ? 2 : 3;
}

/** The known word that a mistyped one is nearest to, or begins; `undefined` where none is near. */
function nearestWord(word: string, known: readonly string[]): string | undefined {
  const begun = word.length < 3 ? undefined : known.find((one) => one.startsWith(word));
  return begun ?? closestMatch(word, known, { maxDistance: mostWrong(word.length) });
}

/** ` Did you mean tasks?`, to follow a sentence that names the mistyped word; empty where no known word is near. */
export function didYouMean(word: string, known: readonly string[], shownAs = (name: string) => name): string {
  const near = nearestWord(word, known);
  return near === undefined ? "" : ` Did you mean ${shownAs(near)}?`;
}
