import { editsBetween } from "@resumable-mcp/core/internal";

/** More words than this are no help. */
const mostNamed = 3;

/** Letters that may be wrong in a word of so many letters. */
function mostWrong(length: number): number {
  return length < 4 ? 1 : length < 8 ? 2 : 3;
}

/** The letters in which a typed word differs from a known one; a word that was begun rightly is as near as one with a wrong letter. */
function distanceTo(name: string, word: string): number {
  return word.length > 2 && name.startsWith(word) ? Math.min(1, name.length - word.length) : editsBetween(word, name);
}

/** ` Did you mean tasks?`, to follow a sentence that names the mistyped word; empty where no known word is near. Pure. */
export function didYouMean(word: string, known: readonly string[], shownAs = (name: string) => name): string {
  const near = known
    .map((name) => ({ name, distance: distanceTo(name, word) }))
    .filter(({ distance }) => distance <= mostWrong(word.length));
  const least = Math.min(...near.map(({ distance }) => distance));
  const nearest = near.filter(({ distance }) => distance === least).slice(0, mostNamed);
  if (nearest.length === 0) return "";
  return ` Did you mean ${nearest.map(({ name }) => shownAs(name)).join(" or ")}?`;
}
