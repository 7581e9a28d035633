import type { Environment } from "../environment.js";
import type { Scheduler } from "../scheduling/scheduler.js";
import type { UnfinishedTasks } from "../scheduling/unfinished-tasks.js";
import type { Callers } from "./callers.js";
import type { DeliveryNotes } from "./delivery-notes.js";

/** What all owners' views of an engine share. */
export interface EngineParts extends Environment {
  readonly scheduler: Scheduler;
  readonly unfinished: UnfinishedTasks;
  readonly callers: Callers;
  readonly deliveries: DeliveryNotes;
  readonly createId: () => string;
  /** Opens the engine unless it is open or draining. */
  readonly open: () => Promise<void>;
  /** Throws `DRAINING` when no new work is taken. */
  readonly checkOpen: () => void;
}
