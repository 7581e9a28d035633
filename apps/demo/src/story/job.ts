import { recordId } from "../tools/processed-record.js";

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
