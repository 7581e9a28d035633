import { expect, test } from "vitest";
import { UnusedSessions } from "./session-room.js";

const unused = (name: number) => ({ name, isUnused: true, closed: false });

test("of unused sessions that are opened at once each one beyond the limit ends another (F5)", () => {
  const sessions = new UnusedSessions<ReturnType<typeof unused>>();
  const ended = Array.from({ length: 6 }, (_, name) => sessions.add("192.0.2.1", unused(name), 2)?.name);
  expect(ended).toEqual([undefined, undefined, 0, 1, 2, 3]);
  expect(sessions.add("192.0.2.2", unused(6), 2)).toBeUndefined();
});

test("sessions that were used or have ended make room for others (F5)", () => {
  const sessions = new UnusedSessions<ReturnType<typeof unused>>();
  const [first, second, third] = [unused(1), unused(2), unused(3)];
  for (const session of [first, second, third]) sessions.add("192.0.2.1", session, 3);
  first.closed = true;
  second.isUnused = false;
  expect([4, 5, 6].map((name) => sessions.add("192.0.2.1", unused(name), 3)?.name)).toEqual([undefined, undefined, 3]);
});
