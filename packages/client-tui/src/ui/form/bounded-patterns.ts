import { createContext, Script } from "node:vm";

/** One test of a value takes no longer than this; patterns that mean well take a thousandth of it. */
const patternLimitMs = 250;
/** Patterns of one schema that may turn out to be too slow; from then on none of that schema is tested. */
const maxSlowPatterns = 4;

/** What the validator needs of a regular expression. */
interface Pattern {
  test(text: string): boolean;
  /** Tells patterns apart: the validator makes one of those that have the same. */
  toString(): string;
}

/**
 * Makes the regular expressions of one schema, of which none can hold the program up.
 *
 * A schema comes from a server, and a pattern can be made to take years. One that takes too long counts as matched and
 * is not tested again: the server checks everything once more.
 *
 * Limits: 250 ms for a test, 4 slow patterns for a schema.
 */
export function boundedPatterns(limitMs = patternLimitMs): (source: string, flags: string) => Pattern {
  const slow = new Set<string>();
  return (source, flags) => {
    const expression = new RegExp(source, flags);
    return {
      test(text) {
        if (slow.has(source) || slow.size >= maxSlowPatterns) return true;
        const matched = testWithin(expression, text, limitMs);
        if (matched === undefined) slow.add(source);
        return matched ?? true;
      },
      toString: () => String(expression),
    };
  };
}

const work = { expression: /^/, text: "" };
const context = createContext(work);
const script = new Script("expression.test(text)");

/** Only code that runs in a context of its own can be stopped by the clock, in the middle of an expression too. */
function testWithin(expression: RegExp, text: string, timeout: number): boolean | undefined {
  Object.assign(work, { expression, text });
  try {
    return script.runInContext(context, { timeout }) === true;
  } catch {
    return undefined;
  }
}
