import { TaskInterrupted } from "../../errors.js";
import type { AttemptParts } from "./attempt-parts.js";

interface Wait {
  readonly nextMs: number;
  readonly wake: () => void;
  readonly interrupt: () => void;
}

/** The waits of one attempt's verbs. A wait that takes too long ends the attempt, so that it holds no slot. */
export class WaitsInPlace {
  readonly #parts: AttemptParts;
  readonly #isBusy: () => boolean;
  readonly #waits = new Map<string, Wait>();
  readonly #onIdle: (() => void)[] = [];
  #earliestMs: number | undefined;

  /** @param isBusy a step or a map is under way: ending the attempt now would do it twice. */
  constructor(parts: AttemptParts, isBusy: () => boolean) {
    this.#parts = parts;
    this.#isBusy = isBusy;
    parts.control.signal.addEventListener("abort", () => {
      this.interruptAll();
      this.noteIdle();
    });
  }

  /** Until {@link noteIdle} says that nothing works in the attempt, or it stops. */
  nextIdle(): Promise<void> {
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  noteIdle(): void {
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** When the next attempt begins, because of the waits that ended this one; `undefined`: when an answer comes. */
  get untilMs(): number | undefined {
    return this.#earliestMs;
  }

  /** What is waited for now. */
  get keys(): readonly string[] {
    return [...this.#waits.keys()];
  }

  /** Ends the wait of this key. */
  wake(key: string): void {
    this.#waits.get(key)?.wake();
  }

  /** The attempt is over, though its tool left waits behind: none of them may expire a question or keep the process. */
  interruptAll(): void {
    for (const { interrupt } of [...this.#waits.values()]) interrupt();
  }

  /**
   * Waits until woken or until `untilMs` of the wall clock comes.
   *
   * @param nextMs when to look though nothing came: in the next attempt where this one ends with the wait.
   * @throws {@link TaskInterrupted} when the attempt stops.
   */
  wait(key: string, untilMs: number, nextMs = untilMs): Promise<void> {
    const { control, clock, dueTimes, limits, mayWaitInPlace } = this.#parts;
    const { waitInPlaceMs } = limits;
    const stayMs = this.#waits.size > 0 || mayWaitInPlace() ? waitInPlaceMs : 0;
    return new Promise((resolve, reject) => {
      const begunMs = clock.monotonicMs();
      let stopTimer = () => {};
      const end = (): void => {
        stopTimer();
        leave();
        this.#waits.delete(key);
      };
      const wake = (): void => {
        end();
        resolve();
      };
      const interrupted = (): void => {
        end();
        reject(new TaskInterrupted(control.aborted ?? "waiting"));
      };
      const look = (): void => {
        const leftMs = dueTimes.leftMs(untilMs);
        const hereMs = begunMs + stayMs - clock.monotonicMs();
        if (leftMs <= 0 || dueTimes.leftMs(nextMs) <= 0) wake();
        else if ((hereMs <= 0 || (leftMs > waitInPlaceMs && Number.isFinite(leftMs))) && this.#giveUp()) return;
        else stopTimer = clock.after(Math.min(leftMs, hereMs > 0 ? hereMs : waitInPlaceMs), look, true);
      };
      // Stops the attempt at once where that was requested before.
      const leave = control.waitInPlace();
      this.#waits.set(key, { nextMs, wake, interrupt: interrupted });
      if (control.aborted === undefined) look();
      else interrupted();
    });
  }

  /** Ends the attempt, unless something else is under way in it. */
  #giveUp(): boolean {
    if (this.#isBusy()) return false;
    const earliestMs = Math.min(...Array.from(this.#waits.values(), (wait) => wait.nextMs));
    if (Number.isFinite(earliestMs)) this.#earliestMs = earliestMs;
    this.#parts.control.abort("waiting");
    return true;
  }
}
