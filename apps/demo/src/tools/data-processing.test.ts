import { createEngine, createMemoryStore, type Json, type OwnedTasks } from "@resumable-mcp/core";
import type { StartedTask } from "@resumable-mcp/core/engine";
import { checkResumable } from "@resumable-mcp/core/testing";
import { expect, test } from "vitest";
import { createDataProcessing } from "./data-processing.js";
import { addToDigest, digestRecords, emptyDigest, type ProcessedRecord } from "./processed-record.js";

const at = "2026-01-02T03:04:05.678Z";
const tool = createDataProcessing({ now: () => new Date(at) });
const quick = { dataset_name: "customer_data", total_records: 12, batch_size: 5, delay_ms: 0 };

function ownTasks(): OwnedTasks {
  return createEngine({ store: createMemoryStore(), tools: [tool] }).forOwner("local:me");
}

async function run(input: Json, tasks = ownTasks()) {
  const { record } = await tasks.start({ tool: tool.name, input });
  const { record: ended } = await tasks.wait(record.id);
  const { items } = await tasks.items(record.id, { limit: 1_000 });
  return { ended, output: ended.output, items: items as readonly ProcessedRecord[] };
}

async function messages(input: Json) {
  const tasks = ownTasks();
  const { record } = await tasks.start({ tool: tool.name, input });
  return logged(tasks, record.id);
}

async function logged(tasks: OwnedTasks, taskId: string) {
  const logs: unknown[] = [];
  const progress: unknown[] = [];
  for await (const entry of tasks.follow(taskId)) {
    if (entry.kind !== "event") continue;
    if (entry.event.type === "log") logs.push([entry.event.level, entry.event.data]);
    if (entry.event.type === "checkpoint")
      progress.push([entry.event.progress, entry.event.total, entry.event.message]);
  }
  return { logs, progress };
}

test("ends with the same result and items wherever it is killed (G1, G2, G3)", async () => {
  const report = await checkResumable(tool, quick);
  expect(report.differences).toEqual([]);
  expect(report.items).toHaveLength(12);
  expect(report.boundaries).toBeGreaterThanOrEqual(5);
});

test("tells what it processed, with the first five records", async () => {
  const { output, items, ended } = await run(quick);
  expect(output).toMatchObject({
    task_id: ended.id,
    dataset_name: "customer_data",
    total_processed: 12,
    status: "completed",
    digest: digestRecords(items),
    records: items.slice(0, 5),
    statistics: { valid: 7, invalid: 5, columns: { body_mass_g: { count: 7, min: 3250, max: 4675 } } },
  });
  expect(output).not.toHaveProperty("note");
});

test("makes one record of every row: its clean columns, or the problem that it has", async () => {
  const { items } = await run(quick);
  expect(items.map((item) => item.record_id)).toEqual(
    Array.from({ length: 12 }, (_, index) => `customer_data_${String(index).padStart(6, "0")}`),
  );
  expect(items[0]).toEqual({
    record_id: "customer_data_000000",
    processed_at: at,
    value: 3750,
    species: "Adelie",
    island: "Torgersen",
    bill_length_mm: 39.1,
    bill_depth_mm: 18.7,
    flipper_length_mm: 181,
    body_mass_g: 3750,
    sex: "MALE",
  });
  expect(items[8]).toEqual({
    record_id: "customer_data_000008",
    processed_at: at,
    value: null,
    problem: "sex is missing",
  });
});

test("tells progress after each batch, and logs start, batches and end", async () => {
  expect(await messages(quick)).toEqual({
    logs: [
      ["info", "Starting new processing of 12 records"],
      ["debug", "Batch of 5 records processed, 5/12: records 0 to 4"],
      ["debug", "Batch of 5 records processed, 10/12: records 5 to 9"],
      ["debug", "Batch of 2 records processed, 12/12: records 10 to 11"],
      ["info", "Processing completed: 12 records"],
    ],
    progress: [
      [5, 12, "Processed 5/12 records"],
      [10, 12, "Processed 10/12 records"],
      [12, 12, "Processed 12/12 records"],
    ],
  });
});

test("logs why it fails, and keeps what it has done", async () => {
  const now = () => {
    if (++calls > 1) throw new Error("The clock stands still.");
    return new Date(at);
  };
  let calls = 0;
  const tasks = createEngine({ store: createMemoryStore(), tools: [createDataProcessing({ now })] }).forOwner(
    "local:me",
  );
  const { record } = await tasks.start({ tool: tool.name, input: quick });
  expect((await logged(tasks, record.id)).logs).toContainEqual([
    "error",
    "Processing failed after 5 records: The clock stands still.",
  ]);
  expect(await tasks.get(record.id)).toMatchObject({ status: "failed", record: { progress: 5, itemCount: 5 } });
});

test("continues behind the last batch that was committed, and says so (G2, G6)", async () => {
  const store = createMemoryStore();
  const { record } = await new Promise<StartedTask>((resolve) => {
    let batches = 0;
    const observer = (point: string): void => {
      if (point !== "engine.checkpoint.after" || ++batches < 2) return;
      store.kill({ noticed: true });
      resolve(started);
    };
    const engine = createEngine({ store, tools: [tool], observer });
    const started = engine.forOwner("local:me").start({ tool: tool.name, input: quick });
  });
  const tasks = createEngine({ store: store.anotherProcess(), tools: [tool], limits: { crashBackoffMs: 0 } }).forOwner(
    "local:me",
  );
  await tasks.start({ tool: tool.name, input: quick });
  expect((await logged(tasks, record.id)).logs).toEqual([
    ["info", "Starting new processing of 12 records"],
    ["debug", "Batch of 5 records processed, 5/12: records 0 to 4"],
    ["debug", "Batch of 5 records processed, 10/12: records 5 to 9"],
    ["info", "Resuming processing from record 10"],
    ["debug", "Batch of 2 records processed, 12/12: records 10 to 11"],
    ["info", "Processing completed: 12 records"],
  ]);
});

test("processes all rows when more are asked for, and says so", async () => {
  const input = { dataset_name: "customer_data", total_records: 10 ** 9, batch_size: 100, delay_ms: 0 };
  const { output, items } = await run(input);
  expect(items).toHaveLength(344);
  expect(output).toMatchObject({
    total_processed: 344,
    statistics: { valid: 333, invalid: 11 },
    note: "1000000000 records were asked for; customer_data has 344, and all of them are processed.",
  });
  expect((await messages(input)).logs).toContainEqual([
    "notice",
    "1000000000 records were asked for; customer_data has 344, and all of them are processed.",
  ]);
});

test("gives an unknown name the default records, and says so", async () => {
  const { output, items } = await run({ ...quick, dataset_name: "sales" });
  const note = 'The demo has no dataset "sales": the records are those of earthquakes.';
  expect(output).toMatchObject({ dataset_name: "sales", total_processed: 12, note });
  expect(items[0]).toMatchObject({ record_id: "sales_000000", magType: expect.any(String) });
  expect((await messages({ ...quick, dataset_name: "sales" })).logs).toContainEqual(["notice", note]);
});

test("takes a batch larger than everything as one batch", async () => {
  expect((await messages({ ...quick, batch_size: 10 ** 9 })).progress).toEqual([[12, 12, "Processed 12/12 records"]]);
});

test.each([
  [{ total_records: 0 }, "total_records: must be 1 or more"],
  [{ total_records: 1.5 }, "total_records: "],
  [{ batch_size: 0 }, "batch_size: must be 1 or more"],
  [{ delay_ms: -1 }, "delay_ms: "],
  [{ dataset: "penguins" }, 'Unrecognized key: "dataset"'],
  [{ dataset_name: "x".repeat(101) }, "dataset_name: "],
])("refuses %j with one sentence, before there is a task", async (input, message) => {
  const tasks = ownTasks();
  await expect(tasks.start({ tool: tool.name, input })).rejects.toMatchObject({
    code: "INVALID_VALUE",
    message: expect.stringContaining(message),
  });
  expect((await tasks.list()).tasks).toEqual([]);
});

test("is the same call at another pace and with defaults written out", async () => {
  const tasks = ownTasks();
  const first = await tasks.start({ tool: tool.name, input: { delay_ms: 60_000 } });
  const written = { dataset_name: "default_dataset", total_records: 100, batch_size: 10, delay_ms: 0 };
  const second = await tasks.start({ tool: tool.name, input: written });
  const other = await tasks.start({ tool: tool.name, input: { ...written, total_records: 99 } });
  expect([second.created, second.record.id]).toEqual([false, first.record.id]);
  expect(other.created).toBe(true);
});

test("has one digest for the same records in the same order, whenever they were processed", async () => {
  const { items } = await run(quick);
  const [first, second] = items;
  if (first === undefined || second === undefined) throw new Error("There are twelve records.");
  const later = { ...first, processed_at: "2030-01-01T00:00:00.000Z" };
  expect(digestRecords([later, second])).toBe(digestRecords([first, second]));
  expect(digestRecords([second, first])).not.toBe(digestRecords([first, second]));
  expect(digestRecords([first])).not.toBe(digestRecords([first, first]));
  expect(digestRecords([{ ...first, value: 0 }])).not.toBe(digestRecords([first]));
  expect(addToDigest(addToDigest(emptyDigest, first), second)).toBe(digestRecords([first, second]));
});
