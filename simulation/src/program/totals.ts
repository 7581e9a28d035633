import { createHash } from "node:crypto";
import { namedPoints } from "../run/named-points.js";
import type { SeedResult } from "./run-seed.js";

/** What the seeds so far came to. */
export class Totals {
  runs = 0;
  failed = 0;
  virtualMs = 0;
  #crashes = 0;
  #cpuMs = 0;
  readonly #crossed = new Set<string>();
  readonly #effects = new Map<string, number>();
  readonly #hash = createHash("sha256");

  add({ seed, digest, crashes, cpuMs, virtualMs, violation, crossed, effects }: SeedResult): void {
    this.runs += 1;
    this.#crashes += crashes;
    this.#cpuMs += cpuMs;
    this.virtualMs += virtualMs;
    if (violation !== undefined) this.failed += 1;
    for (const point of crossed) this.#crossed.add(point);
    for (const [effect, times] of effects) this.#effects.set(effect, (this.#effects.get(effect) ?? 0) + times);
    this.#hash.update(`${seed} ${digest}\n`);
  }

  /** One line about all runs. */
  toString(): string {
    const perSecond = Math.round((this.#crashes / Math.max(1, this.#cpuMs)) * 1_000);
    return [
      `${this.runs} seeds, ${this.failed} with violations, ${(this.virtualMs / 3_600_000).toFixed(1)} virtual hours`,
      `${this.#crashes} crashes, ${perSecond} for each second of processor time`,
      `${namedPoints.length - this.#missed.length} of ${namedPoints.length} named points crossed by a crash`,
    ].join("; ");
  }

  /** What is said at the end: the same on every machine, but for the speed. A fault without an effect is of no use. */
  summary(): string {
    const effects = [...this.#effects].sort().map(([effect, times]) => `${effect} ${times}`);
    return [
      this.toString(),
      `named points not crossed: ${this.#missed.join(", ") || "none"}`,
      `effects of faults: ${effects.join(", ") || "none"}`,
      `digest of all histories: ${this.#hash.copy().digest("hex").slice(0, 16)}`,
    ]
      .map((line) => `${line}\n`)
      .join("");
  }

  get #missed(): readonly string[] {
    return namedPoints.filter((point) => !this.#crossed.has(point));
  }
}
