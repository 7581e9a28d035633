import type { EngineLimits } from "../../limits.js";
import type { Store } from "../../store/store.js";
import type { Tool } from "../../tool/tool.js";
import type { Clock, DueTimes } from "../clock.js";
import type { Scheduler } from "../scheduling/scheduler.js";
import type { RunnableTools } from "../scheduling/tool-table.js";
import type { UnfinishedTasks } from "../scheduling/unfinished-tasks.js";
import type { CallerStops } from "./caller-stops.js";
import type { DeliveryNotes } from "./delivery-notes.js";

/** What all owners' views of an engine share. */
export interface EngineParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly dueTimes: DueTimes;
  readonly limits: EngineLimits;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly runnable: RunnableTools;
  readonly scheduler: Scheduler;
  readonly unfinished: UnfinishedTasks;
  /** How many callers in this process wait for a task, by its id. */
  readonly callers: Map<string, number>;
  /** When a call found a task that it is about to wait for, by the task's id, in monotonic milliseconds. */
  readonly arrivals: Map<string, number>;
  readonly stops: CallerStops;
  readonly deliveries: DeliveryNotes;
  readonly createId: () => string;
  /** Never throws. */
  readonly onError: (error: unknown) => void;
  /** Opens the engine unless it is open or draining. */
  readonly open: () => Promise<void>;
  /** Throws `DRAINING` when no new work is taken. */
  readonly checkOpen: () => void;
}
