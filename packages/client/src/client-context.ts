import type { ClientLimits } from "./limits.js";
import type { RemoteServer } from "./servers/remote-server.js";
import type { RecordedProgress } from "./state/progress-recorder.js";
import type { StateFile } from "./state/state-file.js";

/** What every part of one client shares. */
export interface ClientContext {
  readonly servers: readonly RemoteServer[];
  readonly stateFile: StateFile;
  readonly limits: ClientLimits;
  /** ISO 8601 UTC. */
  readonly now: () => string;
  readonly newId: () => string;
  readonly delay: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Notes progress in the state file, now and then. */
  readonly recordProgress: (taskId: string, progress: RecordedProgress) => void;
}
