/** Faults that come to a worker's next lives. */
export interface PlannedDeaths<Fault> {
  readonly die_at_call: Fault[];
  readonly die_at_turn: Fault[];
}

/** Tells the kinds of {@link PlannedDeaths}. */
export function isPlannedDeath(kind: string): kind is keyof PlannedDeaths<unknown> {
  return kind === "die_at_call" || kind === "die_at_turn";
}

/** The death of a process at a named point. */
interface PointDeath {
  readonly point: string;
  /** How often the point is still to be reached, by any process. */
  left: number;
  readonly takesPower: boolean;
}

/**
 * The deaths that wait for a named point, whichever process reaches it. Those at frequent points are soon over; those at
 * rare ones last until a process comes by.
 */
export class PointDeaths {
  readonly #waiting = new Map<string, PointDeath[]>();

  add(death: PointDeath): void {
    const others = this.#waiting.get(death.point);
    if (others === undefined) this.#waiting.set(death.point, [death]);
    else others.push(death);
  }

  /** A process is at a point. @returns how it dies there, if it does. */
  reach(point: string): PointDeath | undefined {
    const waiting = this.#waiting.get(point);
    const [next] = waiting ?? [];
    if (next === undefined) return undefined;
    next.left -= 1;
    return next.left > 0 ? undefined : waiting?.shift();
  }

  clear(): void {
    this.#waiting.clear();
  }
}
