import { type ErrorCode, isResumableError } from "@resumable-mcp/core";
import { canonicalJson, copyJson } from "@resumable-mcp/core/store";

const shownCharacters = 600;

/** What a clause fails with when a store does not keep it. */
export class ClauseBroken extends Error {
  override readonly name = "ClauseBroken";
}

/** Fails unless something holds. */
export function expectThat(holds: boolean, what: string): asserts holds {
  if (!holds) throw new ClauseBroken(`Expected that ${what}.`);
}

/** Fails unless two JSON values are the same; the order of keys does not count. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [textOf(actual), textOf(expected)];
  if (found === wanted) return;
  const at = [...wanted].findIndex((character, index) => found[index] !== character);
  const from = Math.max(0, (at < 0 ? wanted.length : at) - shownCharacters / 4);
  throw new ClauseBroken(`${what}: expected ${cut(wanted, from)}, found ${cut(found, from)}.`);
}

/** Fails unless a promise rejects with one of these codes. */
export async function expectCode(action: Promise<unknown>, codes: readonly ErrorCode[], what: string): Promise<void> {
  const outcome = await findOutcome(action);
  expectEqual(codes.includes(outcome as ErrorCode), true, `${what} gives ${codes.join(" or ")}, not ${outcome}`);
}

/** The code that a promise rejects with, or `ok`. Errors without a code pass through. */
export async function findOutcome(action: Promise<unknown>): Promise<ErrorCode | "ok"> {
  try {
    await action;
    return "ok";
  } catch (error) {
    if (isResumableError(error)) return error.code;
    throw error;
  }
}

function textOf(value: unknown): string {
  return value === undefined ? "undefined" : canonicalJson(copyJson(value, "value"));
}

function cut(text: string, from: number): string {
  const part = text.slice(from, from + shownCharacters);
  return `${from > 0 ? "…" : ""}${part}${from + part.length < text.length ? "…" : ""}`;
}

/** One field of each row. */
export function pluck<Row, Field extends keyof Row>(rows: readonly Row[], field: Field): readonly Row[Field][] {
  return rows.map((row) => row[field]);
}

/** Waits for a promise, and fails with a message when it takes longer than `timeoutMs`. */
export async function inTime<Value>(action: Promise<Value>, timeoutMs: number, message: string): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ClauseBroken(message)), timeoutMs);
  });
  try {
    return await Promise.race([action, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
