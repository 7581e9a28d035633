import { createHash } from "node:crypto";

/** Facts of one event: plain values. */
export type Facts = { readonly [name: string]: string | number | boolean | undefined };

/** Something that was seen outside the engine, or that was done to the system. */
export interface HistoryEvent extends Facts {
  readonly atMs: number;
  readonly kind: string;
}

/** What happened in a run, in order: what callers saw, what tools did, what was broken. The checkers read nothing else. */
export class History {
  readonly events: HistoryEvent[] = [];
  /** How often each named point of the code was reached. */
  readonly reached = new Map<string, number>();
  /** The named points at which a process died. */
  readonly crashedAt = new Set<string>();
  /** How often each kind of fault had an effect. */
  readonly effects = new Map<string, number>();
  crashes = 0;
  /** Hears of each event. */
  onEvent: (event: HistoryEvent) => void = () => {};
  /** Hears of each effect of a fault. */
  onEffect: (effect: string) => void = () => {};
  readonly #nowMs: () => number;

  /** @param nowMs the one clock of all its events, in milliseconds */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Notes an event. What code of a dead process says is not noted. */
  add(kind: string, facts: Facts): HistoryEvent {
    if (kind === "died" && facts.byItself !== true) this.crashes += 1;
    const event = { atMs: Math.round(this.#nowMs() * 1000) / 1000, kind, ...facts };
    this.events.push(event);
    this.onEvent(event);
    return event;
  }

  reach(point: string): void {
    this.reached.set(point, (this.reached.get(point) ?? 0) + 1);
  }

  noteEffect(effect: string): void {
    this.effects.set(effect, (this.effects.get(effect) ?? 0) + 1);
    this.onEffect(effect);
  }

  crossed(point: string): void {
    this.crashedAt.add(point);
  }

  /** The same for the same seed, on every machine. */
  digest(): string {
    return createHash("sha256").update(JSON.stringify(this.events)).digest("hex").slice(0, 16);
  }
}
