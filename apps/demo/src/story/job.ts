import type { Client } from "@resumable-mcp/client";
import { z } from "zod";
import { type ProcessedRecord, processedRecord, recordId } from "../tools/processed-record.js";

/** The job of the story: the one whose first published version ended with 55 of 50 records. */
export const job = {
  tool: "resumable_data_processing",
  dataset: "customer_data",
  total: 50,
  batch: 5,
} as const;

/** The arguments of the call. */
export function jobArguments(delayMs: number): { [name: string]: string | number } {
  return { dataset_name: job.dataset, total_records: job.total, batch_size: job.batch, delay_ms: delayMs };
}

/** The ids of all records that there have to be. */
export const expectedIds = Array.from({ length: job.total }, (_, index) => recordId(job.dataset, index));

/** What became of the records of a job. */
const recordCount = z.object({
  expected: z.number(),
  /** Expected records that are there, each counted once. */
  processed: z.number(),
  /** Records that are there more often than once, or that the job does not have. */
  repeated: z.number(),
  lost: z.number(),
});

export type RecordCount = z.output<typeof recordCount>;

/** Reads the items of a task themselves: what is counted trusts nothing else. */
export async function readRecords({ task }: Client, taskId: string): Promise<readonly ProcessedRecord[]> {
  const records: ProcessedRecord[] = [];
  for await (const item of task(taskId).items()) records.push(processedRecord.parse(item));
  return records;
}

/** Counts records by their ids. */
export function countRecords(ids: readonly string[], expected: readonly string[]): RecordCount {
  const found = new Set(ids);
  const processed = expected.filter((id) => found.has(id)).length;
  return {
    expected: expected.length,
    processed,
    repeated: ids.length - processed,
    lost: expected.length - processed,
  };
}

/** Whether every record is there once. */
export function isComplete({ expected, processed, repeated, lost }: RecordCount): boolean {
  return processed === expected && repeated === 0 && lost === 0;
}

/** The sentence with which the story ends. */
export function describeCount({ expected, processed, repeated, lost }: RecordCount): string {
  return `${processed} of ${expected} records, ${repeated} repeated, ${lost} lost`;
}

/** What the story's client writes to its standard output: one JSON object a line. */
export const clientLine = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("found"), taskId: z.string(), percent: z.number() }),
  z.object({ kind: z.literal("started"), taskId: z.string() }),
  z.object({ kind: z.literal("progress"), progress: z.number(), total: z.number(), message: z.string() }),
  z.object({ kind: z.literal("log"), text: z.string() }),
  z.object({ kind: z.literal("disconnected"), reason: z.string() }),
  z.object({ kind: z.literal("connected") }),
  z.object({
    kind: z.literal("finished"),
    count: recordCount,
    /** Of the items, computed by the client. */
    digest: z.string(),
    /** What the tool itself returned. */
    reportedDigest: z.string(),
  }),
]);

export type ClientLine = z.output<typeof clientLine>;
