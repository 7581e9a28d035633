/** How many arrays and objects of a message may stand in each other. */
const maxJsonDepth = 256;

/** What is wrong with such a message, for people. */
export const tooDeep = `nests deeper than maxJsonDepth = ${maxJsonDepth}`;

/** Tells whether the text of a message is long enough to nest too deep. */
export function mayBeTooDeep(text: string): boolean {
  return text.length > 2 * maxJsonDepth;
}

/**
 * Tells whether a parsed message nests too deep. Parsing does not recurse, but much of what comes after it does, and
 * would run out of stack. It stops looking at the limit.
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
  return typeof value === "object" && value !== null ? Object.values(value).filter(isContainer) : [];
}

function isContainer(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}
