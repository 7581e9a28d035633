import { defineTool, type TaskContext, type Tool } from "@resumable-mcp/core";
import { z } from "zod";
import { type Dataset, earthquakes } from "../data/catalog.js";
import { findDataset, knownDatasets, readRows } from "../data/dataset.js";
import {
  addInvalidRow,
  addRow,
  columnSummary,
  noStatistics,
  type RunningStatistics,
  runningStatistics,
  summariseColumns,
} from "../data/running-statistics.js";
import { maxDelayMs, pace } from "./pace.js";
import { addToDigest, emptyDigest, type ProcessedRecord, processedRecord, processRow } from "./processed-record.js";

/** Records that the result shows; all of them are the task's items. */
const shownRecords = 5;

const input = z.strictObject({
  dataset_name: z
    .string()
    .max(100)
    .default("default_dataset")
    .describe(`Which data to process: ${knownDatasets()}. Any other name gets the records of ${earthquakes.name}.`),
  total_records: z
    .int()
    .min(1, "must be 1 or more")
    .default(100)
    .describe("How many records to process; more than the dataset has means all of it."),
  batch_size: z.int().min(1, "must be 1 or more").default(10).describe("Records per checkpoint."),
  delay_ms: z.int().min(0).max(maxDelayMs).default(1_000).describe("Time per batch, so that a person can watch."),
});

const output = z.object({
  task_id: z.string(),
  dataset_name: z.string(),
  total_processed: z.number(),
  records: z.array(processedRecord).describe(`The first ${shownRecords}; get_task_items has all.`),
  status: z.literal("completed"),
  digest: z.string().describe("SHA-256 over all records in order, without processed_at; each includes the one before."),
  statistics: z.object({
    valid: z.number(),
    invalid: z.number(),
    columns: z.record(z.string(), columnSummary),
  }),
  note: z.string().optional(),
});

const state = z
  .object({ next: z.number(), digest: z.string(), statistics: runningStatistics })
  .default({ next: 0, digest: emptyDigest, statistics: noStatistics });

type Input = z.output<typeof input>;
type State = z.output<typeof state>;

/**
 * Makes the tool `resumable_data_processing`: parses and validates the rows of a data set batch by batch, with running
 * statistics, and appends every row as an item.
 *
 * @param now the time that is written into `processed_at`.
 */
export function createDataProcessing({ now }: { readonly now: () => Date }): Tool {
  return defineTool({
    name: "resumable_data_processing",
    title: "Process a dataset",
    description:
      "Parses and validates a real dataset in batches, with running statistics. Long-running; resumes where it was interrupted.",
    annotations: { readOnlyHint: true, openWorldHint: false },
    input,
    output,
    state,
    item: processedRecord,
    key: ({ delay_ms: _pace, ...rest }) => rest,
    async *run(asked, task) {
      const dataset = findDataset(asked.dataset_name) ?? earthquakes;
      const total = Math.min(asked.total_records, dataset.rows);
      let current: State = task.state;
      logStart(task, asked, total);
      try {
        for await (const batch of batches(dataset, current.next, total, asked.batch_size)) {
          await pace(asked.delay_ms, task.signal);
          const processedAt = now().toISOString();
          const range = `records ${current.next} to ${current.next + batch.length - 1}`;
          const append = batch.map((row) => processRow(dataset, row, { datasetName: asked.dataset_name, processedAt }));
          current = append.reduce(addRecord, current);
          task.log("debug", `Batch of ${append.length} records processed, ${current.next}/${total}: ${range}`);
          const message = `Processed ${current.next}/${total} records`;
          yield { progress: current.next, total, state: current, append, message };
        }
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        if (!task.signal.aborted) task.log("error", `Processing failed after ${current.next} records: ${why}`);
        throw error;
      }
      task.log("info", `Processing completed: ${current.next} records`);
      return resultOf(task.id, asked, dataset, current, await firstRecords(task));
    },
  });
}

function logStart(task: TaskContext<State>, asked: Input, total: number): void {
  const { next } = task.state;
  task.log(
    "info",
    next === 0 ? `Starting new processing of ${total} records` : `Resuming processing from record ${next}`,
  );
  const note = noteOn(asked, total);
  if (note !== undefined && next === 0) task.log("notice", note);
}

function noteOn({ dataset_name: name, total_records }: Input, total: number): string | undefined {
  const notes = [];
  if (findDataset(name) === undefined)
    notes.push(`The demo has no dataset ${JSON.stringify(name)}: the records are those of ${earthquakes.name}.`);
  if (total_records > total)
    notes.push(`${total_records} records were asked for; ${name} has ${total}, and all of them are processed.`);
  return notes.length === 0 ? undefined : notes.join(" ");
}

/** What the result shows: kept in the items, so that it need not be in every checkpoint. */
async function firstRecords(task: TaskContext<State, ProcessedRecord>): Promise<ProcessedRecord[]> {
  const records: ProcessedRecord[] = [];
  for await (const record of task.items()) {
    if (records.push(record) === shownRecords) break;
  }
  return records;
}

async function* batches(dataset: Dataset, from: number, total: number, size: number) {
  let batch = [];
  for await (const row of readRows(dataset, { from, limit: total - from })) {
    batch.push(row);
    if (batch.length < size && row.index + 1 < total) continue;
    yield batch;
    batch = [];
  }
}

function addRecord({ next, digest, statistics }: State, record: ProcessedRecord): State {
  return { next: next + 1, digest: addToDigest(digest, record), statistics: count(statistics, record) };
}

function count(statistics: RunningStatistics, record: ProcessedRecord): RunningStatistics {
  const { record_id: _id, processed_at: _time, value: _value, problem, ...row } = record;
  return problem === undefined ? addRow(statistics, row) : addInvalidRow(statistics);
}

function resultOf(
  taskId: string,
  asked: Input,
  dataset: Dataset,
  { next, digest, statistics }: State,
  records: ProcessedRecord[],
): z.output<typeof output> {
  const note = noteOn(asked, dataset.rows);
  return {
    task_id: taskId,
    dataset_name: asked.dataset_name,
    total_processed: next,
    records,
    status: "completed",
    digest,
    statistics: { valid: statistics.valid, invalid: statistics.invalid, columns: summariseColumns(statistics) },
    ...(note === undefined ? {} : { note }),
  };
}
