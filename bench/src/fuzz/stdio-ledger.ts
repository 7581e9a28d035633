/** What a host wrote, and what must come back for it. */
export interface HostLine {
  readonly index: number;
  readonly text: string;
}

/** Compares the answers of a server over stdio with what its host wrote: one for each request, and one for each line that is none. */
export class StdioLedger {
  /** By ids as JSON; "null" for what cannot be named. */
  readonly #unanswered = new Map<string, HostLine[]>();
  readonly #answers = new Map<string, number>();
  readonly #takenBack = new Set<string>();

  /** The lines that have no answer yet, without those that need none. */
  get missing(): readonly HostLine[] {
    return [...this.#unanswered].flatMap(([id, lines]) => (this.#takenBack.has(id) ? [] : lines));
  }

  /** Notes a line that was written. */
  wrote(line: HostLine): void {
    const id = answerTo(line.text);
    if (id === undefined) return;
    this.#unanswered.set(id, [...(this.#unanswered.get(id) ?? []), line]);
  }

  /** A client took a request back, or listens without an end: there may be an answer, or none. */
  mayStayOpen(id: unknown): void {
    this.#takenBack.add(isRequestId(id) ? JSON.stringify(id) : "null");
  }

  /** Notes an answer, and tells what is wrong with it. */
  heard(id: unknown): string | undefined {
    const key = JSON.stringify(id) ?? "null";
    this.#answers.set(key, (this.#answers.get(key) ?? 0) + 1);
    const lines = this.#unanswered.get(key) ?? [];
    if (lines.length === 0)
      return `answer ${this.#answers.get(key)} to ${key.slice(0, 100)}, which has ${(this.#answers.get(key) ?? 1) - 1} requests`;
    lines.shift();
    if (lines.length === 0) this.#unanswered.delete(key);
    return undefined;
  }
}

/** The id, as JSON, of the answer that a line must have; `undefined` when it is none. Source: JSON-RPC 2.0. */
export function answerTo(line: string): string | undefined {
  const value = parsed(line);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "null";
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  if (jsonrpc !== "2.0") return "null";
  const isId = isRequestId(id);
  const named = isId ? JSON.stringify(id) : "null";
  const isResponse = method === undefined && (result !== undefined || error !== undefined);
  const isParams = params === undefined || (typeof params === "object" && params !== null && !Array.isArray(params));
  const isMessage = isResponse || (typeof method === "string" && isParams && (id === undefined || isId));
  if (!isMessage || depthOf(line) > maxDepth) return named;
  return isResponse || id === undefined ? undefined : named;
}

/** As the server counts it: besides the message itself. */
const maxDepth = 65;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function depthOf(json: string): number {
  let [depth, deepest] = [0, 0];
  for (const mark of json.replace(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/[[\]{}]/g)) {
    depth += mark[0] === "[" || mark[0] === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** Anything else may nest deeper than `JSON.stringify` goes. */
const isRequestId = (id: unknown): boolean => typeof id === "string" || Number.isInteger(id);
