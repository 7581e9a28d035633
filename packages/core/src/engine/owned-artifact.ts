import type { ArtifactFacts } from "../task/task-record.js";

/** A file that a task made, for its owner. */
export interface OwnedArtifact extends ArtifactFacts {
  /** Differs where other content has the name: after a restart from nothing. */
  readonly id: string;
  /**
   * Gives the bytes from one position to before another (default: all), in parts of 256 KiB at most, each when it is asked for.
   *
   * @throws {@link ResumableError} `UNKNOWN_ARTIFACT` where the task is deleted or restarts from nothing meanwhile; `TASK_CORRUPT`.
   */
  read(from?: number, to?: number): AsyncIterable<Uint8Array>;
}
