import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let nowMs = Date.now();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  nowMs = Date.now();
  timer ??= setInterval(tick, 1_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** What cannot be seen needs no clock. */
function tick(): void {
  if (document.hidden) return;
  nowMs = Date.now();
  for (const listener of listeners) listener();
}

function getNow(): number {
  return nowMs;
}

function unchanging(): () => void {
  return () => {};
}

/** Milliseconds since 1970, to the second; one clock for all views. A view of something that stands still needs none. */
export function useNow(ticks = true): number {
  return useSyncExternalStore(ticks ? subscribe : unchanging, getNow, getNow);
}
