import { isDeepStrictEqual } from "node:util";
import type { SuiteRun } from "./run-suite.js";

/** Collects what a demonstration shows, as the checks of one scenario. */
export class Demonstration {
  readonly #title: string;
  readonly #problems: string[] = [];
  readonly #output: string[] = [];
  #passed = 0;

  constructor(title: string) {
    this.#title = title;
  }

  /** Checks that what came is what is expected. */
  equal(check: string, actual: unknown, expected: unknown): void {
    this.holds(check, isDeepStrictEqual(actual, expected), actual);
  }

  /** Checks that something holds of what came. */
  holds(check: string, passed: boolean, actual: unknown): void {
    this.#output.push(`${passed ? "ok  " : "FAIL"} ${check}`);
    if (passed) this.#passed += 1;
    else this.#problems.push(`${check}: ${JSON.stringify(actual)}`);
  }

  /** Runs a demonstration to its end, or to what it threw. */
  async run(steps: () => Promise<void>): Promise<SuiteRun> {
    await steps().catch((error: unknown) => this.holds("comes to its end", false, String(error)));
    const problems = this.#problems;
    const outcome = { scenario: this.#title, passed: this.#passed, failed: problems.length };
    return { title: this.#title, outcomes: [outcome], problems, output: this.#output.join("\n") };
  }
}
