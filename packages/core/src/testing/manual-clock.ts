import type { Clock } from "../engine/clock.js";

/** A clock that stands still until it is turned. */
export interface ManualClock extends Clock {
  /** Turns the clock on by so many milliseconds, calling back what falls due, in order. */
  advance(ms: number): Promise<void>;
  /** Makes the wall clock jump, as when a user sets it; monotonic time and timers do not notice. */
  jump(ms: number): void;
}

/** Makes a clock for tests; the wall clock begins at 2026-01-01T00:00:00Z by default. */
export function createManualClock(startMs: number = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsedMs = 0;
  let offsetMs = startMs;
  let last = 0;
  const timers = new Map<number, { readonly dueMs: number; readonly run: () => void }>();
  const nextDue = (untilMs: number): [number, () => void] | undefined => {
    const due = [...timers].filter(([, timer]) => timer.dueMs <= untilMs);
    const first = due.sort(([, a], [, b]) => a.dueMs - b.dueMs)[0];
    if (first === undefined) return undefined;
    timers.delete(first[0]);
    return [first[1].dueMs, first[1].run];
  };
  return {
    wallMs: () => offsetMs + elapsedMs,
    monotonicMs: () => elapsedMs,
    after(delayMs, run) {
      last += 1;
      const id = last;
      timers.set(id, { dueMs: elapsedMs + Math.max(0, delayMs), run });
      return () => timers.delete(id);
    },
    jump(ms) {
      offsetMs += ms;
    },
    async advance(ms) {
      const untilMs = elapsedMs + ms;
      await takeRest();
      for (let next = nextDue(untilMs); next !== undefined; next = nextDue(untilMs)) {
        elapsedMs = Math.max(elapsedMs, next[0]);
        next[1]();
        await takeTurns(turnsBetween);
      }
      elapsedMs = untilMs;
      await takeRest();
    },
  };
}

/** Rounds of hashing that what hangs on promises alone may take. */
const turnsAtEnds = 12;
const turnsBetween = 4;

/**
 * Lets everything that waits for promises alone come to rest: hashing comes back in later turns of the event loop, behind the hash that
 * is begun here, which takes a tenth of the shortest timer's time.
 */
async function takeTurns(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await crypto.subtle.digest("SHA-256", nothing);
}

const nothing = new Uint8Array();

/** What a tool reads of files, and its shortest timers, come back too. */
async function takeRest(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  await takeTurns(turnsAtEnds);
}
