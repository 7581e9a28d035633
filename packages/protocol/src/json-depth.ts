/** How deep the arrays and objects of a message may nest. */
const maxJsonDepth = 256;

/** The end of a sentence about a message that nests too deep. */
export const tooDeep = `nests deeper than maxJsonDepth = ${maxJsonDepth}`;

/** Tells whether the text of a message is long enough to nest too deep. */
export function mayBeTooDeep(text: string): boolean {
  return text.length > 2 * maxJsonDepth;
}

/**
 * Tells whether a parsed message nests too deep. Parsing does not recurse, but much of the later code does and would
 * overflow the stack.
 *
 * Limits: stops at `maxJsonDepth` levels.
 */
export function isTooDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= maxJsonDepth; depth++) {
    level = level.flatMap(childrenOf);
    if (level.length === 0) return false;
  }
  return true;
}

function childrenOf(value: unknown): readonly unknown[] {
  return isContainer(value) ? Object.values(value).filter(isContainer) : [];
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
