/** What became of the records of a job. */
export interface RecordCount {
  readonly expected: number;
  /** Expected records that are there, each counted once. */
  readonly processed: number;
  /** Records that are there more often than once, or that nobody asked for. */
  readonly repeated: number;
  readonly lost: number;
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

/** Whether every record is there exactly once. */
export function isComplete({ expected, processed, repeated, lost }: RecordCount): boolean {
  return processed === expected && repeated === 0 && lost === 0;
}

/** The sentence with which the story ends. */
export function describeCount({ expected, processed, repeated, lost }: RecordCount): string {
  return `${processed} of ${expected} records, ${repeated} repeated, ${lost} lost`;
}
