import type { TaskFailure } from "./task-event.js";

const pinned = /^JSON_RPC_(-32[0-9]{3})$/;

/**
 * The code under which a thrown JSON-RPC error is kept, or `undefined` for any other error.
 *
 * Only the range that JSON-RPC reserves counts (-32768 to -32000): other libraries number their errors too.
 */
export function rpcFailureCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  const { code } = error;
  const reserved = Number.isInteger(code) && Number(code) >= -32_768 && Number(code) <= -32_000;
  return reserved ? `JSON_RPC_${String(code)}` : undefined;
}

/** The JSON-RPC code that a tool ended its task with, or `undefined` when it failed in any other way. */
export function rpcCodeOf(failure: TaskFailure): number | undefined {
  const code = pinned.exec(failure.code)?.[1];
  return code === undefined ? undefined : Number(code);
}
