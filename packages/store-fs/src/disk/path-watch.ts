import type { Disk, DiskWatch } from "./disk.js";

/** Watches a path natively, or by looking again and again where the system gives no notice. Keeps no process alive. */
export function watchPath(options: {
  readonly disk: Disk;
  readonly path: string;
  readonly pollMs: number;
  /** Changes whenever there may be something new. */
  readonly fingerprint: () => string;
  readonly changed: (name: string | undefined) => void;
}): () => void {
  const { disk, path, pollMs, fingerprint, changed } = options;
  let stop: () => void = () => {};
  const poll = () => {
    let last = look(fingerprint);
    const timer = setInterval(() => {
      const next = look(fingerprint);
      if (next === last) return;
      last = next;
      changed(undefined);
    }, pollMs);
    timer.unref();
    stop = () => clearInterval(timer);
  };
  try {
    const watch: DiskWatch = disk.watch(path, changed, poll);
    stop = () => watch.close();
  } catch {
    poll();
  }
  return () => stop();
}

function look(fingerprint: () => string): string {
  try {
    return fingerprint();
  } catch {
    return "unreadable";
  }
}
