import { createHash } from "node:crypto";
import { canonicalJson } from "@resumable-mcp/core/store";
import { z } from "zod";
import type { Dataset } from "../data/catalog.js";
import { parseRow, type RawRow } from "../data/dataset.js";

/**
 * One processed row: the typed columns of the data set next to the fields below. A row that could not be used has a
 * `problem` instead of its columns, so that every row of the input has exactly one record.
 */
export const processedRecord = z
  .object({
    /** The name under which the data set was asked for, and the row's index: `customer_data_000015`. */
    record_id: z.string(),
    /** When the row was processed, ISO 8601 UTC. Not part of the digest: another run has other times. */
    processed_at: z.string(),
    /** The data set's leading number; `null` when the row could not be used. */
    value: z.number().nullable(),
    problem: z.string().exactOptional(),
  })
  .catchall(z.union([z.string(), z.number(), z.null()]));

export type ProcessedRecord = z.output<typeof processedRecord>;

/** Names a row. */
export function recordId(datasetName: string, index: number): string {
  return `${datasetName}_${String(index).padStart(6, "0")}`;
}

/** Parses and validates one row. */
export function processRow(
  dataset: Dataset,
  { index, cells }: RawRow,
  { datasetName, processedAt }: { readonly datasetName: string; readonly processedAt: string },
): ProcessedRecord {
  const record_id = recordId(datasetName, index);
  const parsed = parseRow(dataset, cells);
  if (!parsed.ok) return { record_id, processed_at: processedAt, value: null, problem: parsed.problem };
  const value = parsed.row[dataset.value];
  return {
    ...parsed.row,
    record_id,
    processed_at: processedAt,
    value: typeof value === "number" ? value : null,
  };
}

/** The digest of no records. */
export const emptyDigest = "";

/**
 * Adds a record to a digest of all records in order: the SHA-256, in hexadecimal digits, of the digest before it
 * followed by the record as JSON with sorted keys and without `processed_at`.
 *
 * A chain of hashes says the same as one hash of everything, and needs 64 characters to go on after a crash where one
 * hash would need all earlier records again.
 */
export function addToDigest(digest: string, { processed_at: _time, ...record }: ProcessedRecord): string {
  return createHash("sha256").update(digest).update(canonicalJson(record)).digest("hex");
}

/** The digest of records that are all at hand; a client compares it with the one that the tool returned. */
export function digestRecords(records: Iterable<ProcessedRecord>): string {
  let digest = emptyDigest;
  for (const record of records) digest = addToDigest(digest, record);
  return digest;
}
