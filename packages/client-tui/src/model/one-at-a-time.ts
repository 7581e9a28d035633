/**
 * Returns a function that runs one piece of work with the same name at a time.
 *
 * Work that is requested while the same work runs is not queued: it causes one more run after the present one, so that
 * its result is as new as the request. Once `isClosed`, nothing runs again.
 */
export function oneAtATime(isClosed: () => boolean): (name: string, work: () => Promise<void>) => Promise<void> {
  /** The work that runs, and whether it was requested again meanwhile. */
  const running = new Map<string, boolean>();
  return async (name, work) => {
    if (running.has(name)) return void running.set(name, true);
    try {
      do {
        running.set(name, false);
        await work();
      } while (running.get(name) === true && !isClosed());
    } finally {
      running.delete(name);
    }
  };
}
