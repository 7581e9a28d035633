import type { EngineLimits } from "../limits.js";
import type { JsonSchemaValidator } from "../schema.js";
import type { Store } from "../store.js";
import type { Tool } from "../tool.js";
import type { Clock } from "./engine.js";
import type { Scheduler } from "./scheduler.js";
import type { UnfinishedTasks } from "./unfinished-tasks.js";

/** What all owners' views of an engine share. */
export interface EngineParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly limits: EngineLimits;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly scheduler: Scheduler;
  readonly unfinished: UnfinishedTasks;
  /** How many callers in this process wait for a task, by its id. */
  readonly callers: Map<string, number>;
  /** When a call found a task that it is about to wait for, by the task's id, in monotonic milliseconds. */
  readonly arrivals: Map<string, number>;
  /** Tasks that are being stopped because their last caller cancelled its request. */
  readonly stopping: Map<string, Promise<void>>;
  readonly createId: () => string;
  readonly validate: JsonSchemaValidator | undefined;
  /** Never throws. */
  readonly onError: (error: unknown) => void;
  /** Opens the engine unless it is open or draining. */
  readonly open: () => Promise<void>;
  /** Throws `DRAINING` when no new work is taken. */
  readonly checkOpen: () => void;
}
