import type { Json } from "../../json.js";
import type { Instant, StoredSession } from "../store.js";
import { isolate, type Memory } from "./memory.js";
import { sessionConflict } from "./memory-error.js";

/** Writes a session when its version is the expected one. */
export function putSession(
  memory: Memory,
  request: { id: string; owner: string; value: Json; expectedVersion: number; now: Instant },
): StoredSession {
  const { id, owner, value, expectedVersion, now } = request;
  const version = memory.sessions.get(id)?.version ?? 0;
  if (version !== expectedVersion) throw sessionConflict(id);
  const updatedAt = new Date(now.wallMs).toISOString();
  const session = isolate({ id, owner, value, version: version + 1, updatedAt }, "session");
  memory.sessions.set(id, session);
  return session;
}

/** Sessions that were last put before a time, oldest first. */
export function listIdleSessions(
  memory: Memory,
  request: { idleSinceMs: number; limit: number },
): readonly StoredSession[] {
  return [...memory.sessions.values()]
    .filter((session) => Date.parse(session.updatedAt) < request.idleSinceMs)
    .sort((left, right) => (left.updatedAt < right.updatedAt ? -1 : 1))
    .slice(0, request.limit);
}
