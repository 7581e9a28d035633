import type { Instant } from "@resumable-mcp/core";

/** A process's clocks, turned by hand. */
export interface KitClock {
  now(): Instant;
  /** Lets time pass. */
  advance(ms: number): void;
  /** Sets the wall clock; no time passes. */
  jumpWall(ms: number): void;
}

/** Makes clocks that stand still until they are turned. */
export function createKitClock(monotonicMs = 1_000): KitClock {
  let wall = Date.UTC(2026, 0, 1);
  let monotonic = monotonicMs;
  return {
    now: () => ({ wallMs: wall, monotonicMs: monotonic }),
    advance(ms) {
      wall += ms;
      monotonic += ms;
    },
    jumpWall(ms) {
      wall += ms;
    },
  };
}
