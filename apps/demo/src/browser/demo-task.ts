import type { Client } from "@resumable-mcp/client";
import { countRecords, expectedIds, job, jobArguments, type RecordCount, readRecords } from "../story/job.js";

/** Time of a batch: a person has to find the button. */
const batchMs = 2_000;

/** The job of the story, as a task of this machine's user: the panel shows that user's tasks. */
export interface DemoTask {
  readonly id: string;
  /** Resolves when the task is completed: to what is in its items. Waits while no server runs. */
  readonly counted: Promise<RecordCount>;
}

/** Calls the tool of the story, which continues by itself. */
export async function startDemoTask(client: Client): Promise<DemoTask> {
  const { taskId: id, result } = await client.call(job.tool, jobArguments(batchMs), { detached: true });
  if (id === undefined) throw new Error("The server answered without a task.");
  const count = async (): Promise<RecordCount> => {
    const { status } = await result();
    if (status !== "completed") throw new Error(`The task ${id} is ${status}.`);
    const records = await readRecords(client, id);
    return countRecords(
      records.map((record) => record.record_id),
      expectedIds,
    );
  };
  return { id, counted: count() };
}
