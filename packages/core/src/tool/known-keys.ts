/**
 * Gives a clause for each key of an object that it must not have, with the known key that was probably meant.
 *
 * @param owner what has keys, for the clause: `a checkpoint`.
 */
export function unknownKeys(value: object, known: ReadonlySet<string>, owner: string): string[] {
  const unknown = Object.keys(value).filter((key) => !known.has(key));
  const clauses = unknown.slice(0, mostClauses).map((key) => clauseOf(key, known, owner));
  const left = unknown.length - clauses.length;
  return left === 0 ? clauses : [...clauses, `${left} more keys are not keys of ${owner}`];
}

/** A list that was given by mistake has a key for each of its entries. */
const mostClauses = 8;

function clauseOf(key: string, known: ReadonlySet<string>, owner: string): string {
  const shown = JSON.stringify(key.slice(0, longestShown));
  const near = nearestOf(key, known);
  const keys = known.size > mostListed ? "" : ` (known: ${[...known].join(", ")})`;
  return `${shown} is not a key of ${owner}${near === undefined ? keys : ` (did you mean ${JSON.stringify(near)}?)`}`;
}

const longestShown = 64;
const mostListed = 8;

function nearestOf(key: string, known: ReadonlySet<string>): string | undefined {
  if (key.length > longestShown) return undefined;
  const limit = key.length < 4 ? 1 : key.length < 8 ? 2 : 3;
  const near = [...known]
    .map((name) => ({ name, edits: editsBetween(key.toLowerCase(), name.toLowerCase()) }))
    .filter(({ edits }) => edits <= limit)
    .sort((one, other) => one.edits - other.edits);
  return near[0]?.name;
}

/** How many letters were put in, left out, changed or swapped with the next one. */
export function editsBetween(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const changed = at(last, column - 1) + (isSame ? 0 : 1);
      const isSwapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwapped ? at(beforeLast, column - 2) + 1 : changed;
      current.push(Math.min(changed, swapped, at(last, column) + 1, at(current, column - 1) + 1));
    }
    [beforeLast, last] = [last, current];
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
