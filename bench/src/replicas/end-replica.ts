import { setTimeout as pause } from "node:timers/promises";
import type { Random } from "../kills/kill-plan.js";
import type { Life } from "../kills/life.js";

/** How long a replica that is to stop may take. */
const stopPatienceMs = 10_000;
/** Longer than a lease, which is 15 s. */
const freezeMs = 17_000;

interface EndOptions {
  readonly random: Random;
  /** Called when the replica falls asleep, and when it wakes. */
  readonly noteFreeze: () => void;
  /** Aborts when no replica is to sleep any more. */
  readonly signal: AbortSignal;
}

/**
 * Ends a replica: most are killed at once, some are asked to stop as those who deploy do, and some sleep through their
 * lease first.
 *
 * @returns what ended.
 */
export async function endReplica(life: Life, options: EndOptions): Promise<string> {
  const chance = options.random.next();
  if (chance < 0.15) await freeze(life, options);
  else if (chance < 0.4) await stop(life);
  await killNow(life);
  return chance < 0.15 ? "a replica after it slept" : chance < 0.4 ? "a replica after SIGTERM" : "a replica";
}

/** One that does not end in time is killed. */
async function stop(life: Life): Promise<void> {
  life.kill("SIGTERM");
  const patience = new AbortController();
  const tooLong = pause(stopPatienceMs, undefined, { signal: patience.signal });
  await Promise.race([life.death, tooLong]).catch(() => {});
  patience.abort();
  await Promise.allSettled([tooLong]);
}

async function freeze(life: Life, { random, noteFreeze, signal }: EndOptions): Promise<void> {
  life.kill("SIGSTOP");
  noteFreeze();
  await pause(freezeMs, undefined, { signal }).catch(() => {});
  noteFreeze();
  life.kill("SIGCONT");
  await pause(random.between(100, 500));
}

/** Kills a process, whatever it does. */
export async function killNow(life: Life): Promise<void> {
  life.kill("SIGKILL");
  await life.death.catch(() => {});
}
