import type { Json } from "@resumable-mcp/core";

/** What a task leaves at a checkpoint: the same for everybody who is measured. */
export interface Checkpoint {
  readonly progress: number;
  readonly total: number;
  readonly message: string;
  readonly state: Json;
}

/** Keeps checkpoints of tasks in some way, this project's or another's. */
export interface CheckpointKeeper {
  /** Makes a task known, before its first checkpoint. */
  begin(taskId: string): Promise<void>;
  /** Resolves when the checkpoint is as safe as this way of keeping makes it. */
  keep(taskId: string, checkpoint: Checkpoint): Promise<void>;
  close(): Promise<void>;
}

/** A checkpoint with a state of about 130 bytes of JSON. */
export function someCheckpoint(progress: number): Checkpoint {
  const state = { line: progress, words: progress * 7, note: "x".repeat(100) };
  return { progress, total: 1_000_000_000, message: `Processed ${progress}`, state };
}
