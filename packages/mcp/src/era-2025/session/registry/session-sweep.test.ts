import { createMemoryStore, ResumableError } from "@resumable-mcp/core";
import { expect, test } from "vitest";
import { sessionLimits } from "../../../limits.js";
import { SessionSweep } from "./session-sweep.js";

const full = new ResumableError("STORE_WRITE_FAILED", "The disk is full.", { details: { path: "", reason: "ENOSPC" } });
const ended = new ResumableError("DOCUMENT_CONFLICT", "It has ended.", { details: { kind: "session", id: "" } });
const unreadable = new TypeError("Another version wrote it.");

/** Sessions that are idle for long; `errors`: what the writes of some end with. */
function idleSessions(names: readonly string[], errors: Readonly<Record<string, unknown>> = {}) {
  const written: string[] = [];
  const sessions = names.map((name) => ({
    name,
    ...{ busy: false, isUnused: false, lastUsedMs: Number.NEGATIVE_INFINITY },
    document: {
      writtenMs: 0,
      async change() {
        written.push(name);
        if (name in errors) throw errors[name];
      },
      refresh: async () => errors[name] !== ended,
    },
  }));
  return { sessions, written };
}

async function sweep({ sessions }: ReturnType<typeof idleSessions>, store = createMemoryStore()) {
  const forgotten: string[] = [];
  const reported: unknown[] = [];
  const swept = new SessionSweep({
    documents: store,
    limits: sessionLimits,
    live: () => sessions,
    isLive: () => false,
    forget: async ({ name }) => void forgotten.push(name),
    endUnused: async () => {},
    onError: (error) => reported.push(error),
  });
  await swept.run();
  return { forgotten, reported };
}

test("what is wrong with one session hinders no other one, and keeps none in memory (G11)", async () => {
  const idle = idleSessions(["a", "ended", "later version", "b"], { ended, "later version": unreadable });
  expect(await sweep(idle)).toEqual({ forgotten: ["a", "ended", "later version", "b"], reported: [unreadable] });
});

test("a session that cannot be written and is in use again stays, and so does one that others write without end", async () => {
  const idle = idleSessions(["used", "written by others"], { used: unreadable, "written by others": ended });
  for (const session of idle.sessions) {
    const { change } = session.document;
    session.document.refresh = async () => true;
    session.document.change = () => {
      session.busy = true;
      return change();
    };
  }
  expect(await sweep(idle)).toEqual({ forgotten: [], reported: [unreadable, ended] });
});

test("on a full disk what is old is removed, all the same, and the store is asked once (G11)", async () => {
  const store = createMemoryStore();
  const old = { kind: "session", id: "old", owner: "client:a", value: {}, expectedVersion: 0 };
  await store.putDocument({ ...old, now: { wallMs: 0, monotonicMs: 0 } });
  const idle = idleSessions(["a", "b"], { a: full, b: full });
  expect(await sweep(idle, store)).toEqual({ forgotten: [], reported: [full] });
  expect(idle.written).toEqual(["a"]);
  expect(await store.getDocument("session", "old")).toBeUndefined();
});
