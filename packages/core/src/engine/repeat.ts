import type { Clock } from "./engine.js";

/** Calls again and again, each time after the call before has ended. Returns how to stop. */
export function repeat(
  clock: Clock,
  { firstMs, everyMs }: { readonly firstMs: number; readonly everyMs: number },
  run: () => Promise<unknown>,
  onError: (error: unknown) => void,
): () => void {
  let stopped = false;
  let stopTimer = () => {};
  const arm = (delayMs: number): void => {
    if (stopped) return;
    stopTimer = clock.after(delayMs, () => {
      void run()
        .catch(onError)
        .finally(() => arm(everyMs));
    });
  };
  arm(firstMs);
  return () => {
    stopped = true;
    stopTimer();
  };
}
