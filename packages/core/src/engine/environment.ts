import type { EngineLimits } from "../limits.js";
import type { Observer, Store } from "../store/store.js";
import type { Clock, DueTimes } from "./clock.js";
import type { FailedAttempt, RunAttempt } from "./engine.js";
import type { LimitRules } from "./limit-rules.js";
import type { ToolTable } from "./scheduling/tool-table.js";
import type { EngineTelemetry } from "./telemetry.js";

/** What all parts of an engine share. */
export interface Environment {
  readonly store: Store;
  readonly clock: Clock;
  readonly dueTimes: DueTimes;
  /** Gives a number from 0 on, below 1. */
  readonly random: () => number;
  readonly limits: EngineLimits;
  readonly limitRules: LimitRules;
  readonly tools: ToolTable;
  /** The name of this process in the store. */
  readonly worker: string;
  /** Never throws. */
  readonly observer: Observer;
  readonly telemetry: EngineTelemetry;
  /** Never throws. */
  readonly onError: (error: unknown) => void;
  /** Never throws. */
  readonly runAttempt: RunAttempt;
  /** Never throws. */
  readonly onToolError: (error: unknown, failed: FailedAttempt) => void;
}
