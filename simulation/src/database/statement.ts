import type { Tables } from "./tables.js";

/** The server's end of a connection. */
export interface Session {
  /** The number of the server's process. */
  pid: number;
  readonly channels: Set<string>;
  readonly locks: Set<string>;
  /** Sends a notification to the client. */
  notify(channel: string, payload: string): void;
}

/** What a statement may reach beyond the tables. */
export interface Backend {
  readonly tables: Tables;
  readonly session: Session;
  /** All sessions that are open, with this one. */
  readonly sessions: Iterable<Session>;
}

/** Does what a statement of the store does, and gives its rows. A statement that throws leaves nothing behind. */
export type Statement = (backend: Backend, values: readonly unknown[]) => readonly object[];

/** Names the types of a statement's values: the store's own code says what it sends. */
export function statement<Values extends readonly unknown[]>(
  run: (backend: Backend, values: Values) => readonly object[],
): Statement {
  return (backend, values) => run(backend, values as Values);
}

/** What the server answers to a statement that it refuses. */
export function serverError(code: string, message: string, constraint?: string): Error {
  return Object.assign(new Error(message), { severity: "ERROR", code, constraint });
}

/** A row breaks a constraint. */
export function breaks(constraint: string): Error {
  return serverError("23505", `duplicate key value violates unique constraint "${constraint}"`, constraint);
}

/** Bytes as the tables hold them. */
export function hex(bytes: Uint8Array): string;
export function hex(bytes: Uint8Array | null): string | null;
export function hex(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString("hex");
}
