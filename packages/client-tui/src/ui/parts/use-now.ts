import { useEffect, useState } from "react";

const tickMs = 1000;

/** The present time, renewed every second while it is needed; nothing is drawn for a clock that nobody sees. */
export function useNow(needed: boolean, clock: () => number): number {
  const [now, setNow] = useState(clock);
  useEffect(() => {
    if (!needed) return;
    const timer = setInterval(() => setNow(clock()), tickMs);
    return () => clearInterval(timer);
  }, [needed, clock]);
  return now;
}
